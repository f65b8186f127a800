"""The options of `ciphermark sessions` that no other command has."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

SessionsOption = Annotated[
    str | None,
    typer.Option("--sessions", metavar="LIST", help="How many at once: 1,10,100; 100."),
]
SetsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--cpus",
        metavar="SET",
        help="CPUs to run on: 0, 0-3, 0,2, physical (one of each core), smt (one core with its "
        "siblings), all; repeatable for several sets.",
    ),
]
CoresOption = Annotated[
    str | None,
    typer.Option(
        "--cores", metavar="LIST", help="The first so many CPUs: 1,2,4; each: from one to all."
    ),
]
PlacementOption = Annotated[
    str | None,
    typer.Option(
        "--placement",
        metavar="LIST",
        help="Threads free within their CPUs, or fixed to one each: free,fixed.",
    ),
]
ThreadsOption = Annotated[
    str | None,
    typer.Option(
        "--threads",
        metavar="WAY",
        help="per-session: a thread each; per-cpu: sessions take turns on one for each CPU.",
    ),
]
ContextsOption = Annotated[
    str | None,
    typer.Option(
        "--contexts",
        metavar="LIST",
        help="own: a key and context each; shared: one for all, behind a lock.",
    ),
]
DurationOption = Annotated[
    str | None,
    typer.Option("--duration", metavar="TIME", help="Execution time t of each case: 5s."),
]
WindowOption = Annotated[
    str | None,
    typer.Option("--window", metavar="T1-T2", help="When it is measured: 0.5s-4s of t."),
]
LifeOption = Annotated[
    str | None,
    typer.Option(
        "--life",
        metavar="TIME",
        help="How long a session lives before another takes its place: 1s, or 0.5s-2s.",
    ),
]
RateOption = Annotated[
    str | None,
    typer.Option(
        "--rate",
        metavar="LIST",
        help="Messages per second offered to all together, at random moments.",
    ),
]
PolicyOption = Annotated[
    str | None,
    typer.Option(
        "--policy",
        metavar="LIST",
        help="How the kernel schedules them: other, batch, idle, round-robin.",
    ),
]
NiceOption = Annotated[
    str | None, typer.Option("--nice", metavar="LIST", help="Nice levels, -20 to 19; 19.")
]
QuotaOption = Annotated[
    str | None,
    typer.Option(
        "--quota", metavar="LIST", help="Most CPU time that all may take, in CPUs: 0.5,1."
    ),
]
NeighboursOption = Annotated[
    str | None,
    typer.Option(
        "--neighbours", metavar="LIST", help="Threads beside them that go through all caches: 0,1."
    ),
]
AttemptsOption = Annotated[
    str | None,
    typer.Option(
        "--attempts", metavar="N", help="Executions of a case until one is valid; at most 3."
    ),
]
SoakOption = Annotated[
    str | None,
    typer.Option(
        "--soak",
        metavar="TIME",
        help="One case for minutes, to see its clock, heat and rate: 5m.",
    ),
]
SweepOption = Annotated[
    bool,
    typer.Option("--sweep", help="From one session to 1000 on one CPU to all: how it scales."),
]
FullOption = Annotated[
    bool,
    typer.Option(
        "--full",
        help="With --sweep, also under other policies, nice levels and quotas, beside a neighbour, "
        "and with buffers beyond the caches.",
    ),
]
PlanOption = Annotated[
    Path | None,
    typer.Option("--plan", metavar="FILE", help="A plan of your own (TOML) instead."),
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Only list the cases and the expected time.")
]
