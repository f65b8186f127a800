"""The fastest of several implementations."""

from __future__ import annotations

from collections.abc import Iterable

from ciphermark.statistics.ratio import Ratio, is_above
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.row_ratio import Paired


def fastest(rows: Iterable[Row]) -> Row | None:
    """The row of fewest cycles per message; None where no row has a figure.

    The rows must differ in their implementation only. Each row with a figure was verified. Cycles
    decide and not time, since the clock may have changed between the cases. A row that has not
    converged takes part: leaving it out would make a slower library the fastest.
    """
    measured = [row for row in rows if row.cycles_per_message is not None]
    return min(measured, key=lambda row: row.cycles_per_message, default=None)


def is_tie(row: Row, best: Row, ratio: Paired) -> bool:
    """Whether a row cannot be told from the fastest: the interval of their ratio has 1 in it. What
    has no interval ties with nothing, since nothing is known of it."""
    if row.cycles_per_message is None:
        return False
    found = ratio(row, best)
    return isinstance(found, Ratio) and found.low is not None and is_above(found, 1.0) is None


def fastest_providers(rows: Iterable[Row]) -> dict[tuple[str, str], str]:
    """By algorithm and operation the provider of the fastest row; nothing of what has no figure.

    The rows of each must differ in their implementation only.
    """
    alike: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        alike.setdefault((row.algorithm, row.operation), []).append(row)
    found = {what: fastest(of_one) for what, of_one in alike.items()}
    return {what: row.provider for what, row in found.items() if row is not None}
