"""Calling patterns: what each costs beside the cheapest of the same implementation."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import partial
from typing import NamedTuple

import msgspec

from ciphermark.record.case_row import ASKED, PARAMETERS, key
from ciphermark.statistics.ratio import Ratio, is_above
from ciphermark.view import figures
from ciphermark.view.blocks import Block, Notes, Section, Table
from ciphermark.view.column import Column, Place, of_text, of_words
from ciphermark.view.problems import UNSETTLED
from ciphermark.workloads.single.ratio import ratio_of_rows
from ciphermark.workloads.single.row import Row, cycles
from ciphermark.workloads.single.sections import called

DEAR = 1.2
"""A pattern that costs more than so many times the best is named."""

PATTERN = ("pattern", "chunk_bytes")
_CALLED = (*ASKED, *(field for field in PARAMETERS if field not in PATTERN))


Key = tuple[Hashable, ...]
Costs = dict[int, Row]
"""Rows by message size."""


class PatternCost(NamedTuple):
    """One pattern of one implementation and operation."""

    by_size: dict[int, tuple[Row, Ratio]]
    """At each message size the row, and its cost by that of the cheapest pattern."""

    @property
    def row(self) -> Row:
        """Returns any of its rows, for their common fields."""
        return next(iter(self.by_size.values()))[0]

    def dear(self) -> dict[int, float]:
        """Returns the sizes at which it costs much more than the best, with its interval."""
        return {size: it.value for size, (_, it) in self.by_size.items() if is_above(it, DEAR)}

    @property
    def is_open(self) -> bool:
        """Returns whether it may cost much more than the best at a size."""
        return any(is_above(times, DEAR) is None for _, times in self.by_size.values())


def pattern_costs(rows: list[Row]) -> list[list[PatternCost]]:
    """Returns a list for each implementation and operation with several patterns.

    Its patterns are in the order of the plan; a size that only one pattern has is left out. The
    cheapest of a size has the ratio 1.
    """
    called: dict[Key, dict[Key, Costs]] = {}
    for row in rows:
        cost = row.cycles_per_message
        # One whose cost cannot be told from nothing is no multiple of anything.
        if row.message_bytes is not None and cost is not None and cost > 0:
            patterns = called.setdefault(key(row, _CALLED), {})
            patterns.setdefault(key(row, PATTERN), {})[row.message_bytes] = row
    return [
        costs
        for patterns in called.values()
        if len(patterns) > 1 and (costs := _beside_the_best(list(patterns.values())))
    ]


def _beside_the_best(patterns: list[Costs]) -> list[PatternCost]:
    best: Costs = {}
    for size in sorted({size for costs in patterns for size in costs}):
        rivals = [costs[size] for costs in patterns if size in costs]
        if len(rivals) > 1:
            best[size] = min(rivals, key=lambda rival: cycles(rival).value)
    compared = [
        {
            size: (costs[size], ratio_of_rows(costs[size], least))
            for size, least in best.items()
            if size in costs
        }
        for costs in patterns
    ]
    return [PatternCost(by_size) for by_size in compared if by_size]


NAMED = 8
"""Number of dear patterns on a terminal."""


def pattern(cost: PatternCost) -> str:
    """Returns the pattern, with its chunk where it has one: `incremental 64 B`."""
    row = cost.row
    return row.pattern if row.chunk_bytes is None else f"{row.pattern} {row.chunk_bytes} B"


def implementation(cost: PatternCost) -> str:
    """Returns provider, backend and manner of calling, except the pattern."""
    usual = msgspec.structs.replace(cost.row, pattern="reused-key", chunk_bytes=None)
    return " · ".join(filter(None, (usual.provider, usual.backend, called(usual))))


def sizes(costs: list[list[PatternCost]]) -> list[int]:
    """Returns all message sizes, ascending."""
    return sorted({size for alike in costs for cost in alike for size in cost.by_size})


def sentences(costs: list[list[PatternCost]]) -> list[str]:
    """Returns a sentence for each pattern much dearer than the best, the dearest first."""
    dear = [cost for alike in costs for cost in alike if cost.dear()]
    return [
        _sentence(cost)
        for cost in sorted(dear, key=lambda cost: max(cost.dear().values()), reverse=True)
    ]


def verdict(costs: list[list[PatternCost]]) -> str:
    """Returns the heading of the sentences, or a sentence in their place."""
    dear = sum(bool(cost.dear()) for alike in costs for cost in alike)
    if not dear:
        cost = "is known to cost" if any(it.is_open for alike in costs for it in alike) else "costs"
        return f"No pattern {cost} more than {DEAR:g} times the best."
    cost = "costs" if dear == 1 else "cost"
    return f"{figures.counted(dear, 'pattern')} {cost} more than {DEAR:g} times the best:"


def pattern_blocks(rows: list[Row]) -> Iterator[Block]:
    """Yields the cost of each pattern; nothing where there is one only."""
    costs = pattern_costs(rows)
    if not costs:
        return
    columns: list[Column[PatternCost]] = [
        of_words("Algorithm", lambda cost: cost.row.algorithm, places=Place.PAGE),
        of_words("Operation", lambda cost: cost.row.operation, places=Place.PAGE),
        of_words("Implementation", implementation, places=Place.PAGE),
        of_words("Pattern", pattern, "pattern", key=True),
    ]
    measured = sizes(costs)
    for place, size in enumerate(measured):
        # The smallest and the largest size tell most, so the others make room for them.
        telling = size in (measured[0], measured[-1])
        cell = partial(_cost_at, size)
        heading = figures.message_size(size)
        columns.append(of_text(heading, cell, dispensable=0 if telling else 1 + place % 3))
    yield Section(
        title="Calling patterns: cycles per message, times the best",
        anchor="patterns",
        blocks=[
            Table(
                columns=columns,
                rows=[cost for alike in costs for cost in alike],
                section=_title,
            ),
            Notes.of(sentences(costs), title=verdict(costs), shown=NAMED)
            if any(cost.dear() for alike in costs for cost in alike)
            else Notes.of([verdict(costs)]),
        ],
        places=Place.TERMINAL | Place.PAGE,
    )


def _cost_at(size: int, cost: PatternCost) -> str:
    if size not in cost.by_size:
        return ""
    row, times = cost.by_size[size]
    mark = "" if row.converged else UNSETTLED
    return f"{mark}{figures.significant(cycles(row).value)} {figures.times(times.value)}"


def _title(cost: PatternCost) -> str:
    return f"{cost.row.algorithm} {cost.row.operation}, {implementation(cost)}"


def _sentence(cost: PatternCost) -> str:
    dear = cost.dear()
    worst = max(dear, key=dear.__getitem__)
    times, at = figures.significant(dear[worst]), figures.message_size(worst)
    text = f"{_title(cost)}: {pattern(cost)} costs {times} times the best at {at}"
    last = max(dear)
    if last == worst:
        return text
    return f"{text}, still {figures.significant(dear[last])} at {figures.message_size(last)}"
