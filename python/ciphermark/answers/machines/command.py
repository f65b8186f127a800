"""Commands `ciphermark machines …`: joint results of the stored runs of many machines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ciphermark.command.options import (
    ForceOption,
    JsonOption,
    Only,
    OutputOption,
    RunsOption,
    SelectionOptions,
    grouped,
    option,
)
from ciphermark.command.output import print_answer, say

if TYPE_CHECKING:
    from ciphermark.answers.machines.figures import MachineMatrix
    from ciphermark.answers.machines.page import MachinePage

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Compare the stored runs of many machines.",
)

MachineArgument = Annotated[
    str,
    typer.Argument(
        metavar="MACHINE",
        help="A name of `ciphermark list machines`, or the beginning of an identity.",
    ),
]
MOST_LOADS = 3
"""Matrices of loads that a terminal shows; --json has all."""

WorkloadOption = Annotated[
    str | None,
    option(
        "NAME", "Matrix of `sessions` or `packets`, by load, instead of one thread.", "--workload"
    ),
]
OfOneSize = Annotated[SelectionOptions, Only("sizes")]


@app.command()
@grouped
def matrix(
    selected: Annotated[SelectionOptions, Only("algorithms", "operations", "sizes")],
    workload: WorkloadOption = None,
    json: JsonOption = False,
    runs: RunsOption = None,
) -> None:
    """Print what each algorithm costs on each machine, by its fastest implementation.

    The newest figure of each machine counts. By default the matrix shows messages of 1024 bytes, or
    the stored size nearest to it, in the sending direction. With --workload there is a matrix for
    each load, such as 100 sessions on 2 CPUs; the terminal shows the loads with most figures.
    """
    from ciphermark.answers.machines import loads
    from ciphermark.answers.machines import show as screen
    from ciphermark.answers.machines.figures import loaded_matrices, matrices
    from ciphermark.plan.quantities import sizes as read_sizes
    from ciphermark.record.store import Store

    chosen = None if selected.sizes is None else read_sizes(selected.sizes)
    store, operations = Store.default(runs), _words(selected.operations)
    if workload is None:
        made, known = matrices(store, chosen, operations, say)
    else:
        loads.check(workload)
        made, known = loaded_matrices(store, workload, chosen, operations, say)
    if selected.algorithms is not None:
        made = _only(made, selected.algorithms)
    shown = {name for it in made for name in it.machines}
    most = len(made) if workload is None else MOST_LOADS
    print_answer(
        json,
        lambda: {"matrices": made, "machines": [it for it in known if it.name in shown]},
        lambda: screen.matrices(made[:most], len(made) - most),
    )


@app.command()
@grouped
def show(
    machine: MachineArgument,
    selected: OfOneSize,
    workload: WorkloadOption = None,
    json: JsonOption = False,
    runs: RunsOption = None,
) -> None:
    """Show one machine: its processor, runs, and changes of figures."""
    from ciphermark.answers.machines.show import blocks

    page = _page(machine, selected.sizes, runs, workload)
    print_answer(json, lambda: page, lambda: blocks(page))


@app.command()
@grouped
def page(
    machine: MachineArgument,
    selected: OfOneSize,
    output: OutputOption = None,
    force: ForceOption = False,
    runs: RunsOption = None,
) -> None:
    """Write one HTML file that works offline: the machines, and their figures over time.

    It goes to the folder `machines` beside the runs, unless --output names another place.
    """
    from ciphermark.answers.machines.report import write_page
    from ciphermark.record.store import Store

    page_found = _page(machine, selected.sizes, runs)
    beside = (
        Store.default(runs).root / "machines" / f"{page_found.machine.name.replace(':', '-')}.html"
    )
    print(write_page(page_found, Path(output or beside), replace=force or output is None))


def _page(
    machine: str, sizes: str | None, runs: str | None, workload: str | None = None
) -> MachinePage:
    from ciphermark.answers.machines import loads
    from ciphermark.answers.machines.page import machine_page
    from ciphermark.errors import UsageError
    from ciphermark.plan.quantities import sizes as read_sizes
    from ciphermark.record.store import Store

    chosen = [None] if sizes is None else read_sizes(sizes)
    if len(chosen) > 1:
        raise UsageError(f"a page is of one size: name one with --sizes, not {sizes}")
    if workload is not None:
        loads.check(workload)
    return machine_page(Store.default(runs), machine, chosen[0], say=say, workload=workload)


def _words(text: str | None) -> list[str] | None:
    from ciphermark.plan.names import split

    return None if text is None else split(text)


def _only(found: list[MachineMatrix], wanted: str) -> list[MachineMatrix]:
    """Returns the matrices with the named algorithms alone."""
    from fnmatch import fnmatchcase

    import msgspec

    from ciphermark.errors import UsageError
    from ciphermark.plan.names import LONGEST, split, unknown

    stored = sorted({name for matrix in found for name in matrix.algorithms})
    patterns = ["*" if part == "all" else part for part in split(wanted)]
    for pattern in patterns:
        if len(pattern) > LONGEST or not any(fnmatchcase(name, pattern) for name in stored):
            raise UsageError(
                unknown(pattern, stored, "algorithm in the stored runs", "list algorithms")
            )
    narrowed = []
    for matrix in found:
        kept = [it for it in matrix.algorithms if any(fnmatchcase(it, one) for one in patterns)]
        cells = [it for it in matrix.cells if it.algorithm in kept]
        machines = [it for it in matrix.machines if any(cell.machine == it for cell in cells)]
        if cells:
            narrowed.append(
                msgspec.structs.replace(matrix, algorithms=kept, cells=cells, machines=machines)
            )
    return narrowed
