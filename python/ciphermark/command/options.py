"""Options that several commands share, spelt once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ciphermark.command.output import note_runs

RunArgument = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="A run: `last`, its identifier, or any part of it that is unique.",
    ),
]
RunsOption = Annotated[
    str | None,
    typer.Option(
        "--runs",
        metavar="DIR",
        callback=note_runs,
        help="Folder of the runs, or a shared one by its URL (sftp://user@host/path, "
        "s3://bucket/prefix); else CIPHERMARK_RUNS, else in the user's data folder.",
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print JSON for machines on standard output.")
]
OutputOption = Annotated[
    Path | None, typer.Option("--output", metavar="PATH", help="Where to write.")
]
EngineOption = Annotated[
    Path | None,
    typer.Option(
        "--engine",
        metavar="PATH",
        help="The ciphermark-engine to use; else CIPHERMARK_ENGINE, else the installed one.",
    ),
]
OnOption = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="MACHINE",
        help="Measure on that machine over SSH, which needs a shell and nothing else: user@host, "
        "or a Host of ~/.ssh/config.",
    ),
]
AlgorithmsOption = Annotated[
    str | None,
    typer.Option(
        "--algorithms",
        metavar="LIST",
        help="Algorithms, comma-separated, by name or pattern (`cmac-*`); `all` for all.",
    ),
]
ProvidersOption = Annotated[
    str | None, typer.Option("--providers", metavar="LIST", help="Providers, comma-separated.")
]
BackendsOption = Annotated[
    str | None, typer.Option("--backends", metavar="LIST", help="Backends, comma-separated.")
]
OperationsOption = Annotated[
    str | None,
    typer.Option("--operations", metavar="LIST", help="Operations, comma-separated."),
]
SizesOption = Annotated[
    str | None,
    typer.Option(
        "--sizes",
        metavar="LIST",
        help="Message sizes: bytes, or 4K, 1M (powers of 1024), or each doubling: 16..64K.",
    ),
]
ProfileOption = Annotated[
    str | None,
    typer.Option(
        "--profile",
        metavar="LIST",
        help="Mixes of message sizes instead of sizes, by name (ciphermark list profiles), files "
        "(TOML or CSV), or a genome of RFC 6985 (imix:aaaaabbd).",
    ),
]
PatternOption = Annotated[
    str | None,
    typer.Option(
        "--pattern",
        metavar="LIST",
        help="Ways of calling: reused-key, rekeyed, one-shot, fetched, incremental, or all.",
    ),
]
ChunkOption = Annotated[
    str | None,
    typer.Option(
        "--chunk", metavar="BYTES", help="Bytes at a time with the pattern incremental; 64."
    ),
]
LanesOption = Annotated[
    str | None,
    typer.Option(
        "--lanes",
        metavar="LIST",
        help="Messages per call, each under its own key; `all`: as many as are taken.",
    ),
]
KeysOption = Annotated[
    str | None,
    typer.Option(
        "--keys",
        metavar="LIST",
        help="Distinct keys in use: 1,1000,1000000; with lanes, 1 for all of them.",
    ),
]
BuffersOption = Annotated[
    str | None,
    typer.Option(
        "--buffers",
        metavar="LIST",
        help="Where messages lie: hot (nearest cache), l2, stream (memory), cold (memory, and all "
        "else too, before each call), or repeated: one chunk again and again, with the pattern "
        "incremental.",
    ),
]
AfterOption = Annotated[
    str | None,
    typer.Option(
        "--after",
        metavar="LIST",
        help="Algorithms of the same library, each called before every message: what a function "
        "costs in that company, beside what it costs alone.",
    ),
]
LibraryOption = Annotated[
    list[str] | None,
    typer.Option(
        "--library",
        metavar="PROVIDER=PATH",
        help="Open this library instead of the installed one; repeatable, also for several builds "
        "of one library.",
    ),
]
KernelOption = Annotated[
    list[str] | None,
    typer.Option(
        "--kernel",
        metavar="PATH",
        help="A shared object of your own that follows kernel.h; repeatable.",
    ),
]
PrecisionOption = Annotated[
    str | None,
    typer.Option(
        "--precision", metavar="SHARE", help="Wanted half-width of the 95 % interval: 0.01 or 1%."
    ),
]
BudgetOption = Annotated[
    str | None,
    typer.Option("--budget", metavar="TIME", help="Longest time for measuring: 60, 60s, 2m."),
]
CpusOption = Annotated[
    str | None,
    typer.Option("--cpus", metavar="CPU", help="The CPU to measure on, for example 1."),
]
P99Option = Annotated[
    str | None,
    typer.Option(
        "--p99",
        metavar="TIME",
        help="How many sessions hold a latency that 99 % of the messages stay within: 1ms.",
    ),
]
EachRateOption = Annotated[
    str | None,
    typer.Option(
        "--each-rate", metavar="N", help="How many sessions do N messages per second each."
    ),
]
AllRateOption = Annotated[
    str | None,
    typer.Option("--all-rate", metavar="N", help="How few CPUs do N messages per second in all."),
]
