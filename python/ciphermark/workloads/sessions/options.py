"""The options of `ciphermark sessions` that no other command has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer


@dataclass
class SessionOptions:
    """How many sessions there are, and how they run."""

    sessions: Annotated[
        str | None,
        typer.Option("--sessions", metavar="LIST", help="How many at once: 1,10,100; 100."),
    ] = None
    placement: Annotated[
        str | None,
        typer.Option(
            "--placement",
            metavar="LIST",
            help="Threads free within their CPUs, or fixed to one each: free,fixed.",
        ),
    ] = None
    threads: Annotated[
        str | None,
        typer.Option(
            "--threads",
            metavar="WAY",
            help="per-session: a thread each; per-cpu: sessions take turns on one for each CPU.",
        ),
    ] = None
    contexts: Annotated[
        str | None,
        typer.Option(
            "--contexts",
            metavar="LIST",
            help="own: a key and context each; shared: one for all, behind a lock.",
        ),
    ] = None
    window: Annotated[
        str | None,
        typer.Option("--window", metavar="T1-T2", help="When it is measured: 0.5s-4s of t."),
    ] = None
    life: Annotated[
        str | None,
        typer.Option(
            "--life",
            metavar="TIME",
            help="How long a session lives before another takes its place: 1s, or 0.5s-2s.",
        ),
    ] = None
    policy: Annotated[
        str | None,
        typer.Option(
            "--policy",
            metavar="LIST",
            help="How the kernel schedules them: other, batch, idle, round-robin.",
        ),
    ] = None
    nice: Annotated[
        str | None, typer.Option("--nice", metavar="LIST", help="Nice levels, -20 to 19; 19.")
    ] = None
    quota: Annotated[
        str | None,
        typer.Option(
            "--quota", metavar="LIST", help="Most CPU time that all may take, in CPUs: 0.5,1."
        ),
    ] = None
    neighbours: Annotated[
        str | None,
        typer.Option(
            "--neighbours",
            metavar="LIST",
            help="Threads beside them that go through all caches: 0,1.",
        ),
    ] = None
    attempts: Annotated[
        str | None,
        typer.Option(
            "--attempts", metavar="N", help="Executions of a case until one is valid; at most 3."
        ),
    ] = None


@dataclass
class CourseOptions:
    """Which of the plans for sessions is measured."""

    sweep: Annotated[
        bool,
        typer.Option("--sweep", help="From one session to 1000 on one CPU to all: how it scales."),
    ] = False
    soak: Annotated[
        str | None,
        typer.Option(
            "--soak",
            metavar="TIME",
            help="One case for minutes, to see its clock, heat and rate: 5m.",
        ),
    ] = None
