"""`ciphermark compare`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ciphermark.command.options import (
    ForceOption,
    JsonOption,
    OutputOption,
    RunsOption,
    flag,
    option,
)
from ciphermark.command.output import print_json

if TYPE_CHECKING:
    from ciphermark.record.store import Store
    from ciphermark.workloads.single.comparison import Comparison, Figured
    from ciphermark.workloads.single.pairing import Selection

_METAVAR = "RUN[:PROVIDER[/BACKEND]]"

Judged = Annotated[
    str,
    typer.Argument(
        metavar=_METAVAR,
        help="The run to judge: `last`, its identifier, or any unique part of it.",
    ),
]
Against = Annotated[
    str, typer.Argument(metavar=_METAVAR, help="The earlier run to compare it with.")
]
ThresholdOption = Annotated[
    str, option("SHARE", "Smallest slowdown that counts as a regression.", "--threshold")
]
AcrossOption = Annotated[
    bool, flag("Also compare machines of different kinds.", "--across-machines")
]
AllOption = Annotated[bool, flag("Also list the cases that did not change.", "--all")]
FormatOption = Annotated[
    str | None,
    option(
        "FORMAT", "markdown for a comment in a forge, or junit for its list of tests.", "--format"
    ),
]


def compare(
    judged: Judged,
    against: Against,
    threshold: ThresholdOption = "5%",
    across_machines: AcrossOption = False,
    every: AllOption = False,
    json: JsonOption = False,
    format: FormatOption = None,
    output: OutputOption = None,
    force: ForceOption = False,
    runs: RunsOption = None,
) -> None:
    """Compare a run with an earlier one, or two libraries in one run.

    A ratio of 1.2 says that the first takes 1.2 times the cycles of the second. The exit code is 1
    when a case takes longer beyond the threshold and its 95 % interval excludes 1.

    `ciphermark compare last 3c1e` judges the newest run that has figures against an earlier one;
    `ciphermark compare last:openssl last:rustcrypto` compares two libraries round by round.
    """
    from ciphermark.plan.quantities import share
    from ciphermark.record.store import Store

    limit = share(threshold, "--threshold")
    _check_output(format, output, json=json, force=force)
    comparison = compared(Store.default(runs), judged, against, limit, across_machines)
    if json:
        print_json(comparison)
    elif format is not None:
        _write(comparison, format, output, every)
    else:
        from ciphermark.view.screen import show
        from ciphermark.view.terminal import output_console
        from ciphermark.workloads.single.comparison_table import blocks

        show(output_console(), blocks(comparison, every))
    if comparison.regressions:
        raise typer.Exit(1)


def compared(
    store: Store, judged: str, against: str, threshold: float, across_machines: bool = False
) -> Comparison:
    """Compares two runs, each `RUN[:PROVIDER[/BACKEND]]`. Raises `UsageError` and `WorkError`."""
    from ciphermark.command.stored import resolve
    from ciphermark.workloads.single.comparison import Figured, compare

    (run_a, select_a), (run_b, select_b) = _parsed(judged), _parsed(against)
    run_names = {typed: resolve(store, typed) for typed in dict.fromkeys((run_a, run_b))}
    if run_names[run_a] == run_names[run_b]:
        first = second = Figured.of(store.load(run_names[run_a]))
    else:
        first, second = (figured(store, run_names[typed]) for typed in (run_a, run_b))
    return compare(first, second, select_a, select_b, threshold, across_machines)


def figured(store: Store, name: str) -> Figured:
    """Returns a run without samples if its stored rows follow today's rule. Raises `WorkError`."""
    from ciphermark.command.stored import rows_of
    from ciphermark.record.layout import FORMAT_MAJOR, FORMAT_MINOR
    from ciphermark.workloads.single.comparison import Figured

    context = store.context(name)
    if (context.format_major, context.format_minor) != (FORMAT_MAJOR, FORMAT_MINOR):
        return Figured.of(store.load(name))
    return Figured(context, rows_of(store, name, context))


def _check_output(format: str | None, output: Path | None, *, json: bool, force: bool) -> None:
    """Refuses, as a `UsageError`, what contradicts itself, before runs are read."""
    from ciphermark.errors import UsageError
    from ciphermark.workloads.single.comparison_table import FORMATS

    if format is None:
        if output is not None:
            raise UsageError("--output goes with --format markdown or --format junit")
        return
    if json:
        raise UsageError("--json and --format exclude each other: give one of them")
    if format not in FORMATS:
        raise UsageError(f"there is no format {format}; choose one of {', '.join(FORMATS)}")
    if output is not None and not force and output.exists():
        raise UsageError(f"{output} is there already: replace it with --force, or name another")


def _write(comparison: Comparison, format: str, output: Path | None, every: bool) -> None:
    from ciphermark.command.output import write_or_print
    from ciphermark.workloads.single.comparison_table import FORMATS

    write_or_print(output, FORMATS[format](comparison, every).encode())


def _parsed(text: str) -> tuple[str, Selection]:
    """Returns the run of `RUN:PROVIDER/BACKEND`, and the selection of its rows."""
    from ciphermark.workloads.single.pairing import Selection

    run, _, selected = text.partition(":")
    provider, _, backend = selected.partition("/")
    return run, Selection(provider or None, backend or None)
