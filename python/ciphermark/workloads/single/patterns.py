"""Calling patterns: what each costs beside the cheapest of the same implementation."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import NamedTuple

import msgspec
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ciphermark.record.case_row import ASKED, PARAMETERS, key
from ciphermark.show import figures
from ciphermark.show.problems import UNSETTLED
from ciphermark.show.tables import Column, print_groups, print_left_out
from ciphermark.statistics.ratio import Ratio, is_above
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
        """Any of its rows, for what they have in common."""
        return next(iter(self.by_size.values()))[0]

    def dear(self) -> dict[int, float]:
        """Returns the sizes at which it costs much more than the best, with its interval."""
        return {size: it.value for size, (_, it) in self.by_size.items() if is_above(it, DEAR)}

    @property
    def is_open(self) -> bool:
        """True if it may cost much more than the best at a size."""
        return any(is_above(times, DEAR) is None for _, times in self.by_size.values())


def pattern_costs(rows: list[Row]) -> list[list[PatternCost]]:
    """A list for each implementation and operation that was called in more than one pattern.

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
    found = [
        {
            size: (costs[size], ratio_of_rows(costs[size], least))
            for size, least in best.items()
            if size in costs
        }
        for costs in patterns
    ]
    return [PatternCost(by_size) for by_size in found if by_size]


TITLE = "Calling patterns"
NAMED = 8
"""Dear patterns that a terminal shows; the report has all."""


def pattern(cost: PatternCost) -> str:
    """The pattern, with its chunk where it has one: `incremental 64 B`."""
    row = cost.row
    return row.pattern if row.chunk_bytes is None else f"{row.pattern} {row.chunk_bytes} B"


def implementation(cost: PatternCost) -> str:
    """Provider, backend and way of calling, except the pattern."""
    usual = msgspec.structs.replace(cost.row, pattern="reused-key", chunk_bytes=None)
    return " · ".join(filter(None, (usual.provider, usual.backend, called(usual))))


def sizes(costs: list[list[PatternCost]]) -> list[int]:
    """All message sizes, ascending."""
    return sorted({size for alike in costs for cost in alike for size in cost.by_size})


def sentences(costs: list[list[PatternCost]]) -> list[str]:
    """One for each pattern that costs much more than the best, the dearest first."""
    dear = [cost for alike in costs for cost in alike if cost.dear()]
    return [
        _sentence(cost)
        for cost in sorted(dear, key=lambda cost: max(cost.dear().values()), reverse=True)
    ]


def verdict(costs: list[list[PatternCost]]) -> str:
    """What stands before the sentences, or in their place."""
    dear = sum(bool(cost.dear()) for alike in costs for cost in alike)
    if not dear:
        cost = "is known to cost" if any(it.is_open for alike in costs for it in alike) else "costs"
        return f"No pattern {cost} more than {DEAR:g} times the best."
    cost = "costs" if dear == 1 else "cost"
    return f"{figures.counted(dear, 'pattern')} {cost} more than {DEAR:g} times the best:"


def print_patterns(console: Console, rows: list[Row]) -> None:
    """Prints the cost of each pattern; nothing where there is one only."""
    costs = pattern_costs(rows)
    if not costs:
        return
    console.print()
    console.print(Text(f"{TITLE}: cycles per message, times the best", style="bold"))
    groups = [(_title(alike[0]), alike) for alike in costs]
    left_out = print_groups(console, list(_columns(sizes(costs))), groups)
    print_left_out(console, left_out)
    console.print(Text(verdict(costs)))
    said = sentences(costs)
    for sentence in said[:NAMED]:
        console.print(Padding(Text(sentence), (0, 0, 0, 2)))
    if len(said) > NAMED:
        more = f"and {len(said) - NAMED} more, in the report"
        console.print(Padding(Text(more, style="dim"), (0, 0, 0, 2)))


def _columns(measured: list[int]) -> Iterator[Column[PatternCost]]:
    """The smallest and the largest size tell most, so the others make room for them."""
    yield Column("", lambda cost: Text(pattern(cost)), left=True)
    for place, size in enumerate(measured):
        telling = size in (measured[0], measured[-1])
        yield _size_column(size, 0 if telling else 1 + place % 3)


def _size_column(size: int, dispensable: int) -> Column[PatternCost]:
    def cell(cost: PatternCost) -> Text:
        if size not in cost.by_size:
            return Text("")
        row, times = cost.by_size[size]
        mark = "" if row.converged else UNSETTLED
        figure = f"{mark}{figures.significant(cycles(row).value)} {figures.times(times.value)}"
        return Text(figure, style="yellow" if is_above(times, DEAR) else "")

    return Column(figures.message_size(size), cell, dispensable)


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
