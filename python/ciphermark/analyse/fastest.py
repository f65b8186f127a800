"""The fastest of several implementations."""

from __future__ import annotations

from collections.abc import Iterable

from ciphermark.analyse.row import Row


def fastest(rows: Iterable[Row]) -> Row | None:
    """The row of fewest cycles per message; None where no row has a figure.

    The rows must differ in their implementation only. Each row with a figure was verified. Cycles
    decide and not time, since the clock may have changed between the cases. A row that has not
    converged takes part: leaving it out would make a slower library the fastest.
    """
    measured = [row for row in rows if row.cycles_per_message is not None]
    return min(measured, key=lambda row: row.cycles_per_message, default=None)
