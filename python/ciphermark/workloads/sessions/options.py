"""The options of `ciphermark sessions` that no other command has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from ciphermark.command.options import PolicyOption


@dataclass
class SessionOptions:
    """How many sessions there are, and how they run."""

    sessions: Annotated[
        str | None,
        typer.Option(
            "--sessions", metavar="LIST", help="Number of sessions at once: 1,10,100. Default: 100."
        ),
    ] = None
    placement: Annotated[
        str | None,
        typer.Option(
            "--placement",
            metavar="LIST",
            help="free: the kernel moves threads within their CPUs (default); fixed: each "
            "thread stays on one CPU.",
        ),
    ] = None
    threads: Annotated[
        str | None,
        typer.Option(
            "--threads",
            metavar="WAY",
            help="per-session: a thread for each session; per-cpu: the sessions take turns on "
            "one thread for each CPU. Default: per-session where there is time.",
        ),
    ] = None
    contexts: Annotated[
        str | None,
        typer.Option(
            "--contexts",
            metavar="LIST",
            help="own: a key and context for each session (default); shared: one for all, "
            "behind a lock.",
        ),
    ] = None
    window: Annotated[
        str | None,
        typer.Option(
            "--window",
            metavar="T1-T2",
            help="Part of the execution time t that is "
            "measured: 0.5s-4s. Default: chosen for "
            "the case.",
        ),
    ] = None
    life: Annotated[
        str | None,
        typer.Option(
            "--life",
            metavar="TIME",
            help="Lifetime of a session, after which another takes its place: 1s, or 0.5s-2s. "
            "Default: the whole execution.",
        ),
    ] = None
    policy: PolicyOption = None
    nice: Annotated[
        str | None,
        typer.Option("--nice", metavar="LIST", help="Nice levels, -20 to 19. Default: 19."),
    ] = None
    quota: Annotated[
        str | None,
        typer.Option(
            "--quota",
            metavar="LIST",
            help="Limit of the CPU time of all sessions together, in CPUs: 0.5,1.",
        ),
    ] = None
    neighbours: Annotated[
        str | None,
        typer.Option(
            "--neighbours",
            metavar="LIST",
            help="Number of other threads that sweep through all caches meanwhile: 0,1. "
            "Default: 0.",
        ),
    ] = None
    attempts: Annotated[
        str | None,
        typer.Option(
            "--attempts",
            metavar="N",
            help="Most executions of a case until one is valid. Default: 3.",
        ),
    ] = None


@dataclass
class CourseOptions:
    """Which of the plans for sessions is measured."""

    sweep: Annotated[
        bool,
        typer.Option(
            "--sweep",
            help="Measure how throughput scales from 1 to 1000 sessions, and from one CPU to all.",
        ),
    ] = False
    soak: Annotated[
        str | None,
        typer.Option(
            "--soak",
            metavar="TIME",
            help="Run one case for minutes, to record clock, temperature and rate: 5m.",
        ),
    ] = None
