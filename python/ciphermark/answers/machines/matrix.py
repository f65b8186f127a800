"""Machine × algorithm: what each costs by its fastest implementation there."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from ciphermark.answers.machines.machine import MachineSummary, key_of, names_of, of_summaries
from ciphermark.answers.machines.newest import Figure, newest, stored_sizes
from ciphermark.errors import UsageError

if TYPE_CHECKING:
    from ciphermark.record.store import Store

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
    machines: list[str]
    """Those that have a figure, in the order of their names."""
    algorithms: list[str]
    cells: list[Cell]


def matrices(
    store: Store,
    sizes: Sequence[int] | None,
    operations: Sequence[str] | None = None,
    say: Callable[[str], None] = str,
) -> tuple[list[MachineMatrix], list[MachineSummary]]:
    """A matrix for each size, and the machines in them. Raises `UsageError` where nothing is of
    these sizes."""
    with store.figures(say) as figures:
        stored = stored_sizes(figures)
        wanted = list(sizes) if sizes is not None else usual(stored)
        found = newest(figures, wanted, operations or SENDING)
    known = of_summaries(store, [it for it in figures.summaries if key_of(it) in found])
    names = names_of(known)
    cells = [
        Cell(machine=names[key], **msgspec.structs.asdict(figure))
        for key, figures in found.items()
        for figure in _cheapest(figures)
        if key in names
    ]
    made = [_matrix(size, [it for it in cells if it.message_bytes == size]) for size in wanted]
    made = [it for it in made if it.cells]
    if not made:
        there = ", ".join(map(str, stored)) or "none"
        raise UsageError(
            f"no stored run in {store.place} has figures of these sizes and operations; the sizes "
            f"that are stored: {there}; measure with 'ciphermark survey'"
        )
    return made, known


def usual(stored: Sequence[int]) -> list[int]:
    """The size that is shown of those that are stored; none where nothing is."""
    return sorted(stored, key=lambda it: abs(math.log(it / USUAL_BYTES)))[:1]


def _matrix(size: int, cells: list[Cell]) -> MachineMatrix:
    return MachineMatrix(
        message_bytes=size,
        machines=sorted({it.machine for it in cells}),
        algorithms=sorted({it.algorithm for it in cells}),
        cells=cells,
    )


def _cheapest(figures: Sequence[Figure]) -> list[Figure]:
    best: dict[tuple[str, str, int], Figure] = {}
    for it in figures:
        what = (it.algorithm, it.operation, it.message_bytes)
        if what not in best or it.cycles_per_byte < best[what].cycles_per_byte:
            best[what] = it
    return list(best.values())
