"""`ciphermark tune`: which compiler and which flags a kernel gains by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ciphermark.command.linear_algebra import use_one_thread
from ciphermark.command.options import (
    AlgorithmsOption,
    BackendsOption,
    BudgetOption,
    CpusOption,
    EngineOption,
    JsonOption,
    OperationsOption,
    PrecisionOption,
    RunsOption,
    SizesOption,
)
from ciphermark.farm.options import UnfitOption, reaching

if TYPE_CHECKING:
    from ciphermark.farm.cluster import Reach

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
    typer.Option(
        "--compilers",
        metavar="LIST",
        help="Compilers, comma-separated: gcc, clang-14 or a path; else all that are on the PATH.",
    ),
]
FlagsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--flags",
        metavar="FLAGS",
        help="Flags of your own in one word: --flags='-O2 -funroll-loops'; repeatable. Then only "
        "these are tried, unless --flag-sets names others too.",
    ),
]
FlagSetsOption = Annotated[
    str | None,
    typer.Option(
        "--flag-sets",
        metavar="LIST",
        help="Which flags are tried: levels, loops, linking, scheduling, native, or all; levels "
        "and loops unless told.",
    ),
]
ObjectiveOption = Annotated[
    str,
    typer.Option("--objective", metavar="NAME", help="What is best: speed, size or stack."),
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Only say what would be compiled.")]


@reaching(else_here=True)
def tune(
    target: TargetArgument = "host",
    algorithms: AlgorithmsOption = None,
    operations: OperationsOption = None,
    backends: BackendsOption = None,
    sizes: SizesOption = None,
    compilers: CompilersOption = None,
    flags: FlagsOption = None,
    flag_sets: FlagSetsOption = None,
    objective: ObjectiveOption = "speed",
    *,
    reach: Reach,
    precision: PrecisionOption = None,
    budget: BudgetOption = None,
    cpus: CpusOption = None,
    even_unfit: UnfitOption = False,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
    runs: RunsOption = None,
    engine: EngineOption = None,
) -> None:
    """Compile kernels in many ways, and say which is fastest, smallest, and what it gains.

    Each kernel is compiled by each compiler with each set of flags, answers its test vectors, and
    is then simulated or, on hosts, measured beside the default flags in one interleaved run. What
    does not compile or answers wrongly is said and never timed. Exit code 1 when that befell the
    default flags, or nothing has a figure.
    """
    use_one_thread()
    from ciphermark.workloads.tuning import tuning

    wanted = tuning.read(
        target=target,
        algorithms=algorithms,
        operations=operations,
        backends=backends,
        sizes=sizes,
        compilers=compilers,
        flags=flags or [],
        flag_sets=flag_sets,
        objective=objective,
        reach=reach,
        even_unfit=even_unfit,
        precision=precision,
        budget=budget,
        cpus=cpus,
        engine=engine,
    )
    raise typer.Exit(tuning.run(wanted, runs, dry_run=dry_run, json=json))
