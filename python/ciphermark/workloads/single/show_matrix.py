"""The matrix of costs in the report: algorithms down, providers across, a table for each size."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ciphermark import contract
from ciphermark.record.case_row import way
from ciphermark.show import figures
from ciphermark.show.problems import FAILED, UNSETTLED, sentence
from ciphermark.workloads.single.grid import Cell, Line, by_kind
from ciphermark.workloads.single.matrix import Cell as Found
from ciphermark.workloads.single.matrix import Matrix, called_alike, matrices
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.row_ratio import Paired, ratio_of_rows
from ciphermark.workloads.single.upper_bounds import bound

if TYPE_CHECKING:
    from ciphermark.record.run import Context

SIDES = {
    "sending": ("seal", "encrypt", "keystream", "mac", "digest"),
    "receiving": ("open", "decrypt", "verify"),
    "key setup": ("setup",),
}
"""What can be chosen: the operations that each kind has for one purpose."""

FIRST_BYTES = 1024
"""The size that is shown before another is chosen, or the nearest to it."""

TIE = "≈"
"""Mark before what ties with the fastest; the fastest itself is bold."""


@dataclass(frozen=True)
class View:
    """One table: all kinds at one size."""

    side: str
    measured: int | str | None
    """Bytes of a message, or the name of a profile."""
    caption: str
    kinds: dict[str, list[Line]]

    @property
    def size(self) -> str:
        return "" if self.measured is None else figures.message_size(self.measured)

    @property
    def distance(self) -> float:
        """How far its size is from the one that is shown first; profiles come last."""
        if isinstance(self.measured, str):
            return math.inf
        return abs(math.log(max(self.measured or 0, 1) / FIRST_BYTES))


@dataclass(frozen=True)
class Views:
    """All tables, of which one is seen at a time."""

    providers: list[str]
    views: list[View]
    way: str
    """How all of them were called, where that is not the usual way."""

    @property
    def first(self) -> View:
        """The one that is seen first: of the first side at the size nearest to 1 KiB."""
        side = self.views[0].side
        return min(
            (view for view in self.views if view.side == side),
            key=lambda view: view.distance,
        )

    @property
    def sides(self) -> list[str]:
        return list(dict.fromkeys(view.side for view in self.views))

    @property
    def sizes(self) -> list[str]:
        sizes = {view.measured for view in self.views if view.measured is not None}
        return [figures.message_size(size) for size in sorted(sizes, key=figures.size_order)]


def views(context: Context, rows: list[Row], ratio: Paired = ratio_of_rows) -> Views | None:
    """The tables of a run; None where no provider has a figure."""
    alike = called_alike(rows)
    providers = list(
        dict.fromkeys(row.provider for row in alike if row.cycles_per_message is not None)
    )
    if not providers:
        return None
    facts = {algorithm.name: algorithm for algorithm in context.algorithms}
    found = matrices(alike, ratio)
    tables = [
        _view(side, size, [it for it in found if _belongs(it, operations, size)], providers, facts)
        for side, operations in SIDES.items()
        for size in _sizes(it for it in found if it.operation in operations)
    ]
    return Views(providers, tables, way(alike[0]))


def _belongs(matrix: Matrix, operations: Iterable[str], size: int | str | None) -> bool:
    return matrix.operation in operations and matrix.size == size


def _sizes(found: Iterable[Matrix]) -> list[int | str | None]:
    return sorted({it.size for it in found}, key=lambda size: figures.size_order(size or 0))


def _view(
    side: str,
    size: int | str | None,
    found: list[Matrix],
    providers: list[str],
    facts: dict[str, contract.Algorithm],
) -> View:
    """The matrices of one size, of operations that belong together, in one table."""
    lines = [
        (facts[name], [_cell(cells.get(provider)) for provider in providers])
        for matrix in found
        for name, cells in matrix.cells.items()
    ]
    return View(side, size, _caption(side, size, found), by_kind(lines))


def _caption(side: str, size: int | str | None, found: list[Matrix]) -> str:
    measured = {it.operation for it in found}
    operations = ", ".join(operation for operation in SIDES[side] if operation in measured)
    if size is None:
        return f"Cycles per key: {operations}"
    unit = "byte" if size else "message"
    return f"Cycles per {unit} at {figures.message_size(size)}: {operations}"


def _cell(found: Found | None) -> Cell:
    if found is None:
        return Cell()
    row = found.row
    if row.error is not None:
        return Cell(FAILED, mark="failed", note=sentence(row.error))
    value, low, high = _figure(row)
    if value is None:
        text = bound(row, figures.NARROW_SPACE) or UNSETTLED
        return Cell(text, mark="soft", note=f"no figure: {row.not_converged_reason}")
    text = (TIE if found.standing == "tie" else "") + ("" if row.converged else UNSETTLED)
    return Cell(text + _number(value), mark=found.standing, note=_note(row, low, high))


def _figure(row: Row) -> tuple[float | None, float | None, float | None]:
    """Per byte where there are bytes, else per message, with its interval."""
    if row.size:
        return row.cycles_per_byte, row.ci_low, row.ci_high
    return row.cycles_per_message, row.cycles_per_message_low, row.cycles_per_message_high


def _note(row: Row, low: float | None, high: float | None) -> str:
    interval = "" if low is None or high is None else f"{_number(low)} to {_number(high)}"
    unsettled = "" if row.converged else f"did not settle: {row.not_converged_reason}"
    return ", ".join(filter(None, (row.backend, interval, unsettled)))


def _number(value: float) -> str:
    return figures.significant(value, separator=figures.NARROW_SPACE)
