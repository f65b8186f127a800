"""Figures of a simulated processor, as advice takes those of a machine.

A simulator counts, so an interval is a point. Counts of instructions are no time and are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ciphermark.answers.capacity.suite_costs import SuiteCost
from ciphermark.statistics.estimate import Estimate
from ciphermark.workloads.simulation.row import SimulationRow
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.unsampled_row import unsampled_row

PROVIDER = "kernels"
"""Whose code runs on simulated processors."""


class Rooms:
    """Memory and code that functions take on one target, as far as is known."""

    def __init__(self, rows: Iterable[SimulationRow], target: str) -> None:
        self._code: dict[str, int] = {}
        self._memory: dict[str, int] = {}
        for row in rows:
            if row.target != target or not row.is_measured:
                continue
            if row.code_bytes is not None:
                self._code[row.algorithm] = max(row.code_bytes, self._code.get(row.algorithm, 0))
            memory = (row.context_bytes or 0) + (row.stack_bytes or 0)
            if memory:
                self._memory[row.algorithm] = max(memory, self._memory.get(row.algorithm, 0))

    def filled(self, cost: SuiteCost, parts: Sequence[str]) -> SuiteCost:
        """With what its parts take together: at most so much, since parts may share code."""
        return cost._replace(
            code_bytes=_sum(self._code, parts), memory_bytes=_sum(self._memory, parts)
        )


def rows_on(rows: Iterable[SimulationRow], target: str, clock_hz: float) -> list[Row]:
    """The rows of one target whose figures are cycles, at this clock."""
    return [
        _row(number, row, row.value, clock_hz)
        for number, row in enumerate(rows)
        if row.target == target
        and row.is_measured
        and row.value
        and row.metric != "instructions"
        and row.keyed_for is None
    ]


def _row(number: int, row: SimulationRow, cycles: int, clock_hz: float) -> Row:
    return unsampled_row(
        number,
        Estimate.exact(float(cycles)),
        clock_hz,
        algorithm=row.algorithm,
        operation=row.operation,
        message_bytes=row.message_bytes,
        backend=row.backend,
        workload="simulation",
        provider=PROVIDER,
        backend_evidence="reported",
        samples=1,
        converged=True,
    )


def _sum(known: dict[str, int], parts: Sequence[str]) -> int | None:
    found = [known.get(part) for part in parts]
    return None if None in found else sum(it for it in found if it is not None)
