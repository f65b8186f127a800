"""The options of `ciphermark sessions` that no other command has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ciphermark.command.options import PolicyOption, flag, option


@dataclass
class SessionOptions:
    """How many sessions there are, and how they run."""

    sessions: Annotated[
        str | None, option("LIST", "Number of sessions at once: 1,10,100. Default: 100.")
    ] = None
    placement: Annotated[
        str | None,
        option(
            "LIST",
            "free: the kernel moves threads within their CPUs (default); fixed: each thread stays "
            "on one CPU.",
        ),
    ] = None
    threads: Annotated[
        str | None,
        option(
            "WAY",
            "per-session: a thread for each session; per-cpu: the sessions take turns on one "
            "thread for each CPU. Default: per-session where there is time.",
        ),
    ] = None
    contexts: Annotated[
        str | None,
        option(
            "LIST",
            "own: a key and context for each session (default); shared: one for all, behind a "
            "lock.",
        ),
    ] = None
    window: Annotated[
        str | None,
        option(
            "T1-T2",
            "Part of the execution time t that is measured: 0.5s-4s. Default: chosen for the case.",
        ),
    ] = None
    life: Annotated[
        str | None,
        option(
            "TIME",
            "Lifetime of a session, after which another takes its place: 1s, or 0.5s-2s. Default: "
            "the whole execution.",
        ),
    ] = None
    policy: PolicyOption = None
    nice: Annotated[str | None, option("LIST", "Nice levels, -20 to 19. Default: 19.")] = None
    quota: Annotated[
        str | None,
        option("LIST", "Limit of the CPU time of all sessions together, in CPUs: 0.5,1."),
    ] = None
    neighbours: Annotated[
        str | None,
        option(
            "LIST",
            "Number of other threads that sweep through all caches meanwhile: 0,1. Default: 0.",
        ),
    ] = None
    attempts: Annotated[
        str | None, option("N", "Most executions of a case until one is valid. Default: 3.")
    ] = None


@dataclass
class CourseOptions:
    """Which of the plans for sessions is measured."""

    sweep: Annotated[
        bool,
        flag("Measure how throughput scales from 1 to 1000 sessions, and from one CPU to all."),
    ] = False
    soak: Annotated[
        str | None,
        option("TIME", "Run one case for minutes, to record clock, temperature and rate: 5m."),
    ] = None
