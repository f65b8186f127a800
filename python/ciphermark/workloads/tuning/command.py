"""`ciphermark tune`: which compiler and which flags a kernel gains by."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from ciphermark.command.options import (
    EngineOption,
    Only,
    OutputOptions,
    SamplingOptions,
    SelectionOptions,
    flag,
    option,
)
from ciphermark.farm.options import ReachOptions, UnfitOption

Objective = Literal["speed", "size", "stack"]

TargetArgument = Annotated[
    str,
    typer.Argument(
        metavar="TARGET",
        help="Targets, comma-separated: `host` (measured), simulated ones (`ciphermark list "
        "targets`), or `all`.",
    ),
]
CompilersOption = Annotated[
    str | None,
    option(
        "LIST",
        "Compilers, comma-separated: gcc, clang-14 or a path. Default: all on the PATH.",
        "--compilers",
    ),
]
FlagsOption = Annotated[
    list[str] | None,
    option(
        "FLAGS",
        "A set of flags of your own, in one word: --flags='-O2 -funroll-loops'; repeatable. Only "
        "these are tried, unless --flag-sets names others too.",
        "--flags",
    ),
]
FlagSetsOption = Annotated[
    str | None,
    option(
        "LIST",
        "Sets of flags to try: levels, loops, linking, scheduling, native, or all. Default: "
        "levels,loops.",
        "--flag-sets",
    ),
]
ObjectiveOption = Annotated[
    str, option("NAME", "What to optimise: speed, size or stack.", "--objective")
]
DryRunOption = Annotated[bool, flag("Only print what would be compiled.", "--dry-run")]


def tune(
    target: TargetArgument = "host",
    *,
    selected: Annotated[SelectionOptions, Only("algorithms", "backends", "operations", "sizes")],
    compilers: CompilersOption = None,
    flags: FlagsOption = None,
    flag_sets: FlagSetsOption = None,
    objective: ObjectiveOption = "speed",
    reached: ReachOptions,
    sampling: SamplingOptions,
    even_unfit: UnfitOption = False,
    dry_run: DryRunOption = False,
    output: Annotated[OutputOptions, Only("json", "runs")],
    engine: EngineOption = None,
) -> None:
    """Compile kernels in many ways, and name the fastest, the smallest, and their gain.

    Each kernel is compiled by each compiler with each set of flags, answers its test vectors, and
    is then simulated or, on hosts, measured beside the default flags in one interleaved run. A
    build that does not compile or answers wrongly is reported and never timed. Exit code 1 when
    this happens to the default flags, or when nothing has a figure.
    """
    from ciphermark.workloads.tuning import tuning

    wanted = tuning.read(
        target=target,
        selected=selected,
        compilers=compilers,
        flags=flags or [],
        flag_sets=flag_sets,
        objective=objective,
        reach=reached.reach(else_here=True),
        even_unfit=even_unfit,
        sampling=sampling,
        engine=engine,
    )
    raise typer.Exit(tuning.run(wanted, output.runs, dry_run=dry_run, json=output.json))
