"""Calling patterns: what each costs beside the cheapest of the same implementation."""

from __future__ import annotations

from typing import NamedTuple

from ciphermark.record.case_row import ASKED, PARAMETERS, key
from ciphermark.workloads.single.row import Row

DEAR = 1.2
"""A pattern that costs more than so many times the best is named."""

PATTERN = ("pattern", "chunk_bytes")
_CALLED = (*ASKED, *(field for field in PARAMETERS if field not in PATTERN))


class PatternCost(NamedTuple):
    """One pattern of one implementation and operation."""

    by_size: dict[int, tuple[Row, float]]
    """At each message size the row, and its cost by that of the cheapest pattern."""

    @property
    def row(self) -> Row:
        """Any of its rows, for what they have in common."""
        return next(iter(self.by_size.values()))[0]

    def dear(self) -> dict[int, float]:
        """The sizes at which it costs much more than the best, and how many times as much."""
        return {size: times for size, (_, times) in self.by_size.items() if times > DEAR}


def pattern_costs(rows: list[Row]) -> list[list[PatternCost]]:
    """A list for each implementation and operation that was called in more than one pattern.

    Its patterns are in the order of the plan; a size that only one pattern has is left out. The
    cheapest of a size has the ratio 1.
    """
    measured = [row for row in rows if _has_cost(row)]
    alike: dict[tuple, dict[tuple, dict[int, Row]]] = {}
    for row in measured:
        patterns = alike.setdefault(key(row, _CALLED), {})
        patterns.setdefault(key(row, PATTERN), {})[row.message_bytes] = row
    return [
        costs
        for patterns in alike.values()
        if len(patterns) > 1 and (costs := _costs(list(patterns.values())))
    ]


def _has_cost(row: Row) -> bool:
    """Whether it is of a message and its cost can be told from nothing."""
    return row.message_bytes is not None and (row.cycles_per_message or 0) > 0


def _costs(patterns: list[dict[int, Row]]) -> list[PatternCost]:
    sizes = {size for rows in patterns for size in rows}
    shared = [size for size in sorted(sizes) if sum(size in rows for rows in patterns) > 1]
    best = {
        size: min(rows[size].cycles_per_message for rows in patterns if size in rows)
        for size in shared
    }
    costs = [
        PatternCost(
            {
                size: (rows[size], rows[size].cycles_per_message / best[size])
                for size in shared
                if size in rows
            }
        )
        for rows in patterns
    ]
    return [cost for cost in costs if cost.by_size]
