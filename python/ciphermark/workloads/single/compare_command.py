"""`ciphermark compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ciphermark.command.options import JsonOption, RunsOption
from ciphermark.command.output import print_json

if TYPE_CHECKING:
    from ciphermark.workloads.single.pairing import Selection

_METAVAR = "RUN[:PROVIDER[/BACKEND]]"

Judged = Annotated[
    str,
    typer.Argument(
        metavar=_METAVAR,
        help="What is judged: `last`, a run's identifier, or any part of it that is unique.",
    ),
]
Against = Annotated[str, typer.Argument(metavar=_METAVAR, help="What it is held against.")]
ThresholdOption = Annotated[
    str,
    typer.Option("--threshold", metavar="SHARE", help="A slowdown beyond it is a regression."),
]
AcrossOption = Annotated[
    bool, typer.Option("--across-machines", help="Compare machines of different kinds.")
]
AllOption = Annotated[bool, typer.Option("--all", help="List also the cases that are the same.")]


def compare(
    judged: Judged,
    against: Against,
    threshold: ThresholdOption = "5%",
    across_machines: AcrossOption = False,
    every: AllOption = False,
    json: JsonOption = False,
    runs: RunsOption = None,
) -> None:
    """Compare a run with an earlier one, or two libraries in one run.

    A ratio of 1.2 says that the first takes 1.2 times the cycles of the second. The exit code is 1
    when a case takes longer beyond the threshold and its 95 % interval excludes 1.

    `ciphermark compare last 3c1e` judges the newest run that has figures against an earlier one;
    `ciphermark compare last:openssl last:rustcrypto` compares two libraries round by round.
    """
    from ciphermark.command.newest import resolve
    from ciphermark.plan.quantities import share
    from ciphermark.record.store import Store
    from ciphermark.workloads.single.comparison import compare

    limit = share(threshold, "--threshold")
    store = Store.default(runs)
    (run_a, select_a), (run_b, select_b) = _parsed(judged), _parsed(against)
    found = {typed: resolve(store, typed) for typed in dict.fromkeys((run_a, run_b))}
    loaded = {name: store.load(name) for name in dict.fromkeys(found.values())}
    first, second = (loaded[found[typed]] for typed in (run_a, run_b))
    comparison = compare(first, second, select_a, select_b, limit, across_machines)
    if json:
        print_json(comparison)
    else:
        from ciphermark.show.terminal import output_console
        from ciphermark.workloads.single.comparison_table import render

        output_console().print(render(comparison, every))
    if comparison.regressions:
        raise typer.Exit(1)


def _parsed(text: str) -> tuple[str, Selection]:
    """The run of `RUN:PROVIDER/BACKEND`, and what of it is selected."""
    from ciphermark.workloads.single.pairing import Selection

    run, _, selected = text.partition(":")
    provider, _, backend = selected.partition("/")
    return run, Selection(provider or None, backend or None)
