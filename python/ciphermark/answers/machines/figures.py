"""The newest figure of each implementation on each machine, over all stored runs; and of these the
matrix of machines and algorithms."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import msgspec

from ciphermark.answers.machines.machine import (
    Key,
    MachineSummary,
    key_of,
    names_of,
    of_summaries,
    unsaid,
)
from ciphermark.errors import UsageError
from ciphermark.workload import workload_of
from ciphermark.workloads.single.row import USUAL_CALL

if TYPE_CHECKING:
    from ciphermark.record.query import Figures
    from ciphermark.record.store import Store


USUAL = " AND ".join(
    [f"{field} = {value!r}" for field, value in USUAL_CALL.items()]
    + ["after IS NULL", "NOT switched"]
)
"""Condition of figures with the usual manner of calling and all processor features."""

OF_MACHINE = (
    "(provider NOT LIKE '%@%' OR provider LIKE 'kernel@%' "
    "AND provider NOT IN ('kernel@old', 'kernel@new'))"
)
"""Condition on figures: no builds of a library that a run compares, as `openssl@new` of --ab."""

MACHINE = ("machine_id", "machine_kind", "machine_name")
"""The columns of runs that say which machine one is of, in the order of `Key`."""

IMPLEMENTATION = ("algorithm", "operation", "provider", "backend_asked", "message_bytes")
"""Fields that are equal in figures of the same thing from different runs."""

VALUES = (
    "backend",
    "cycles_per_byte",
    "ci_low",
    "ci_high",
    "mbytes_per_second",
    "converged",
)


class Point(msgspec.Struct, kw_only=True, frozen=True):
    """Cost of an implementation by one run."""

    run: str
    started_unix_ns: int
    backend: str
    """The code path that ran, where that is known."""
    cycles_per_byte: float
    ci_low: float | None
    ci_high: float | None
    mbytes_per_second: float | None
    converged: bool


class Figure(Point, kw_only=True, frozen=True):
    """Cost of one implementation on one machine, by the newest run that has a figure."""

    algorithm: str
    operation: str
    provider: str
    backend_asked: str
    message_bytes: int


class Implementation(NamedTuple):
    """Fields of an implementation whose figures are compared over machines."""

    algorithm: str
    operation: str
    provider: str
    backend_asked: str
    message_bytes: int


SomeFigure = TypeVar("SomeFigure", bound=Figure)
Newest = dict[Key, list[Figure]]


def newest(
    figures: Figures,
    sizes: Sequence[int] | None = None,
    operations: Sequence[str] | None = None,
) -> Newest:
    """Returns by machine the newest figure of each implementation, of some sizes and operations."""
    machine, implementation = ", ".join(MACHINE), ", ".join(IMPLEMENTATION)
    # Not arg_max, which would take a value that the newest lacks from an older one.
    kept = ", ".join(f"arg_max_null({it}, started_unix_ns) AS {it}" for it in ("run", *VALUES))
    conditions = [USUAL, OF_MACHINE, "message_bytes > 0", "cycles_per_byte IS NOT NULL"]
    parameters: list[object] = []
    for field, wanted in (("message_bytes", sizes), ("operation", operations)):
        if wanted is not None:
            conditions.append(f"{field} IN (SELECT unnest(?))")
            parameters.append(list(wanted))
    # By the machines' numbers, which takes half the time of their three texts.
    table = figures.ask(
        "WITH numbered AS MATERIALIZED (SELECT run, started_unix_ns, "
        f"{machine}, dense_rank() OVER (ORDER BY {machine}) AS number FROM runs), "
        f"newest AS (SELECT number, {implementation}, max(started_unix_ns) AS started_unix_ns, "
        f"{kept} FROM figures JOIN numbered USING (run) "
        f"WHERE {' AND '.join(conditions)} GROUP BY ALL) "
        f"SELECT {machine}, newest.* EXCLUDE (number) FROM newest "
        f"JOIN (SELECT DISTINCT number, {machine} FROM numbered) USING (number) "
        f"ORDER BY {machine}, {implementation}",
        parameters,
    )
    of_key: Newest = {}
    for row in table.to_pylist():
        key = tuple(row.pop(field) for field in MACHINE)
        of_key.setdefault(key, []).append(Figure(**row))
    return of_key


def stored_sizes(figures: Figures) -> list[int]:
    """Returns the message sizes of the stored figures."""
    table = figures.ask(
        "SELECT DISTINCT message_bytes FROM figures WHERE message_bytes > 0 "
        "AND cycles_per_byte IS NOT NULL ORDER BY message_bytes"
    )
    return [int(size) for size in table["message_bytes"].to_pylist()]


SENDING = ("seal", "encrypt", "keystream", "mac", "digest")
"""The operations that are shown unless others are named: one of each kind of algorithm."""

USUAL_BYTES = 1024
"""The size that is shown unless one is named, or the nearest to it."""


class Cell(Figure, kw_only=True, frozen=True):
    """The cheapest implementation of one algorithm on one machine."""

    machine: str


class MachineMatrix(msgspec.Struct, kw_only=True):
    """One operation of each algorithm at one size."""

    message_bytes: int
    load: str | None = None
    """Load at the same time; None of one thread."""
    figure: str = "cycles a message"
    """Quantity of the cells, over the bytes of a message."""
    machines: list[str]
    """Machines that have a figure, in the order of their names."""
    algorithms: list[str]
    cells: list[Cell]


def matrices(
    store: Store,
    sizes: Sequence[int] | None,
    operations: Sequence[str] | None = None,
    say: Callable[[str], None] = unsaid,
) -> tuple[list[MachineMatrix], list[MachineSummary]]:
    """Returns a matrix for each size, and the machines in them.

    Raises `UsageError` where there are no figures of these sizes.
    """
    with store.figures(say) as figures:
        stored = stored_sizes(figures)
        wanted = list(sizes) if sizes is not None else usual(stored)
        cells = newest(figures, wanted, operations or SENDING)
    known = of_summaries(store, [it for it in figures.summaries if key_of(it) in cells])
    made = _matrices(cells, names_of(known), wanted)
    if not made:
        if not stored:
            raise UsageError(
                f"no stored run in {store.place} has figures of messages: measure with ciphermark "
                "survey"
            )
        there = ", ".join(map(str, stored))
        raise UsageError(
            f"no stored run in {store.place} has figures of these sizes and operations; the sizes "
            f"that are stored: {there}; measure with 'ciphermark survey'"
        )
    return made, known


def loaded_matrices(
    store: Store,
    workload: str,
    sizes: Sequence[int] | None,
    operations: Sequence[str] | None = None,
    say: Callable[[str], None] = unsaid,
) -> tuple[list[MachineMatrix], list[MachineSummary]]:
    """Returns a matrix for each size and load of a workload, and the machines.

    Those with most cells come first. Raises `UsageError` where there are no figures of these sizes.
    """
    from ciphermark.answers.machines import loads

    summaries = store.summaries()
    loaded_figures = loads.loaded(store, summaries, workload, operations, say)
    known = of_summaries(store, [it for it in summaries if key_of(it) in loaded_figures])
    names = names_of(known)
    stored = sorted({it.what.message_bytes for every in loaded_figures.values() for it in every})
    wanted = list(sizes) if sizes is not None else usual(stored)
    # Later ones replace earlier ones.
    newest = {
        (key, it.load, it.what): Cell(
            machine=names[key], **it.what._asdict(), **msgspec.structs.asdict(it.point)
        )
        for key, every in loaded_figures.items()
        for it in every
    }
    figure = workload_of(workload).compared or ""
    made = [
        _matrix(size, cells, load, figure)
        for size in wanted
        for load in dict.fromkeys(load for _, load, _ in newest)
        if (cells := _cheapest_cells(newest, size, load))
    ]
    if not made:
        there = ", ".join(map(str, stored)) or "none"
        raise UsageError(
            f"no stored run in {store.place} of {workload_of(workload).subject} has figures of "
            f"these sizes and operations; the sizes that are stored: {there}; measure with "
            f"'ciphermark {workload}'"
        )
    return sorted(made, key=lambda it: -len(it.cells)), known


def _cheapest_cells(
    newest: Mapping[tuple[Key, str, Implementation], Cell], size: int, load: str
) -> list[Cell]:
    """Returns each machine's cheapest implementation of each algorithm at a size and load."""
    by_machine: dict[Key, list[Cell]] = {}
    for (key, of_load, what), cell in newest.items():
        if (of_load, what.message_bytes) == (load, size):
            by_machine.setdefault(key, []).append(cell)
    return [cell for cells in by_machine.values() for cell in _cheapest(cells)]


def matrices_of(figures: Figures, names: Mapping[Key, str]) -> list[MachineMatrix]:
    """Returns the matrix of these machines at the usual size; none without figures."""
    wanted = usual(stored_sizes(figures))
    return _matrices(newest(figures, wanted, SENDING), names, wanted)


def _matrices(found: Newest, names: Mapping[Key, str], sizes: Sequence[int]) -> list[MachineMatrix]:
    cells = [
        Cell(machine=names[key], **msgspec.structs.asdict(figure))
        for key, figures in found.items()
        for figure in _cheapest(figures)
        if key in names
    ]
    made = [_matrix(size, [it for it in cells if it.message_bytes == size]) for size in sizes]
    return [it for it in made if it.cells]


def usual(stored: Sequence[int]) -> list[int]:
    """Returns the stored size that is shown; none where nothing is stored."""
    return sorted(stored, key=lambda it: abs(math.log(it / USUAL_BYTES)))[:1]


def _matrix(
    size: int, cells: list[Cell], load: str | None = None, figure: str = "cycles a message"
) -> MachineMatrix:
    return MachineMatrix(
        message_bytes=size,
        load=load,
        figure=figure,
        machines=sorted({it.machine for it in cells}),
        algorithms=sorted({it.algorithm for it in cells}),
        cells=cells,
    )


def _cheapest(figures: Sequence[SomeFigure]) -> list[SomeFigure]:
    best: dict[tuple[str, str, int], SomeFigure] = {}
    for it in figures:
        what = (it.algorithm, it.operation, it.message_bytes)
        if what not in best or it.cycles_per_byte < best[what].cycles_per_byte:
            best[what] = it
    return list(best.values())
