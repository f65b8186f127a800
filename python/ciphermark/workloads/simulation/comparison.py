"""Comparison of a board's counts with the simulation of its target, cell by cell."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator

import msgspec

from ciphermark.contract.others import Metric, target_of_board
from ciphermark.view import figures
from ciphermark.workloads.simulation.row import SimulationRow

_NAMED = 3
"""Cells that are farthest from the median that are named."""


class Cell(msgspec.Struct, kw_only=True, frozen=True):
    """One call that both have a figure of."""

    target: str
    algorithm: str
    operation: str
    backend: str
    keyed_for: str | None
    message_bytes: int | None
    seed: int
    metric: Metric
    """Metric of the simulation's figure."""
    simulated: int
    measured: int
    """Cycles that the processor has counted."""
    ratio: float | None
    """The board's figure over the simulation's; None where that is 0."""

    @property
    def call(self) -> str:
        """`md5 digest of 64 B`."""
        keyed_for = f" for {self.keyed_for}" if self.keyed_for else ""
        size = "" if self.message_bytes is None else figures.message_size(self.message_bytes)
        return f"{self.algorithm} {self.operation}{keyed_for}{' of ' if size else ''}{size}"


def compared(rows: Iterable[SimulationRow]) -> list[Cell]:
    """Returns the cells of all boards, in the order of their rows."""
    measured = [row for row in rows if row.is_measured]
    simulated = {_key(row, row.target): row for row in measured}
    pairs = (
        (row, simulated.get(_key(row, target)))
        for row in measured
        if (target := target_of_board(row.target)) is not None
    )
    return [_cell(row, other) for row, other in pairs if other is not None]


def _key(row: SimulationRow, target: str) -> tuple[object, ...]:
    call = (row.algorithm, row.operation, row.backend, row.keyed_for)
    return target, *call, row.message_bytes, row.seed


def _cell(row: SimulationRow, other: SimulationRow) -> Cell:
    assert row.value is not None and other.value is not None and other.metric is not None
    return Cell(
        target=other.target,
        algorithm=row.algorithm,
        operation=row.operation,
        backend=row.backend,
        keyed_for=row.keyed_for,
        message_bytes=row.message_bytes,
        seed=row.seed,
        metric=other.metric,
        simulated=other.value,
        measured=row.value,
        ratio=row.value / other.value if other.value else None,
    )


def verdicts(rows: Iterable[SimulationRow]) -> Iterator[str]:
    """Yields one or two sentences for each board: where its simulation is off."""
    by_target: dict[str, list[Cell]] = {}
    for cell in compared(rows):
        by_target.setdefault(cell.target, []).append(cell)
    for target, cells in by_target.items():
        yield from _of_target(target, [cell for cell in cells if cell.ratio is not None])


def _of_target(target: str, cells: list[Cell]) -> Iterator[str]:
    if not cells:
        return
    ratios = [cell.ratio or 0.0 for cell in cells]
    count = figures.counted(len(cells), "call")
    if all(cell.measured == cell.simulated for cell in cells):
        yield f"the board with {target} counts the same as its simulation, in each of {count}"
        return
    middle, low, high = statistics.median(ratios), min(ratios), max(ratios)
    named = ", ".join(map(figures.significant, (middle, low, high)))
    is_counted = cells[0].metric == "instructions"
    per = "cycles for each instruction" if is_counted else "cycles for each of its simulation"
    yield f"the board with {target} takes {per}, over {count}: median, least, most {named}"
    farthest = sorted(cells, key=lambda cell: -abs((cell.ratio or middle) / middle - 1))[:_NAMED]
    sentences = "; ".join(
        f"{cell.call} {figures.grouped(cell.measured)} beside {figures.grouped(cell.simulated)}"
        for cell in farthest
        if cell.ratio != middle
    )
    if sentences:
        yield f"farthest from that median: {sentences}"


class RatioLine(msgspec.Struct, frozen=True):
    """One function of a board over the sizes of its messages."""

    target: str
    function: str
    operation: str
    cells: tuple[Cell, ...]

    def at(self, message_bytes: int | None) -> float | None:
        """Returns the ratio of board to simulation, as the median over seeds."""
        own = [it.ratio for it in self.cells if it.message_bytes == message_bytes]
        known = [ratio for ratio in own if ratio is not None]
        return statistics.median(known) if known else None


def ratio_lines(rows: Iterable[SimulationRow]) -> list[RatioLine]:
    """Returns a line for each function and operation of each board."""
    cells_of: dict[tuple[str, str, str], list[Cell]] = {}
    for cell in compared(rows):
        function = f"{cell.algorithm} {cell.backend}"
        operation = f"{cell.operation} for {cell.keyed_for}" if cell.keyed_for else cell.operation
        cells_of.setdefault((cell.target, function, operation), []).append(cell)
    return [RatioLine(*names, tuple(cells)) for names, cells in cells_of.items()]
