"""Calling patterns: what each costs, and which are much dearer than the best."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ciphermark.show import figures
from ciphermark.show.fitting import Column, print_groups, print_left_out
from ciphermark.show.problems import UNSETTLED
from ciphermark.workloads.single.patterns import DEAR, PatternCost, pattern_costs
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.sections import called

TITLE = "Calling patterns"
NAMED = 8
"""Dear patterns that a terminal shows; the report has all."""


def pattern(cost: PatternCost) -> str:
    """The pattern, with its chunk where it has one: `incremental 64 B`."""
    row = cost.row
    return row.pattern if row.chunk_bytes is None else f"{row.pattern} {row.chunk_bytes} B"


def implementation(cost: PatternCost) -> str:
    """Provider, backend and way of calling, but for the pattern."""
    usual = msgspec.structs.replace(cost.row, pattern="reused-key", chunk_bytes=None)
    return " · ".join(filter(None, (usual.provider, usual.backend, called(usual))))


def sizes(costs: list[list[PatternCost]]) -> list[int]:
    """All message sizes, ascending."""
    return sorted({size for alike in costs for cost in alike for size in cost.by_size})


def sentences(costs: list[list[PatternCost]]) -> list[str]:
    """One for each pattern that costs much more than the best, the dearest first."""
    dear = [cost for alike in costs for cost in alike if cost.dear()]
    return [_sentence(cost) for cost in sorted(dear, key=_worst, reverse=True)]


def verdict(costs: list[list[PatternCost]]) -> str:
    """What stands before the sentences, or in their place."""
    dear = sum(bool(cost.dear()) for alike in costs for cost in alike)
    if not dear:
        return f"No pattern costs more than {DEAR:g} times the best."
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
        figure = f"{mark}{figures.significant(row.cycles_per_message)} {figures.times(times)}"
        return Text(figure, style="yellow" if times > DEAR else "")

    return Column(figures.message_size(size), cell, dispensable)


def _title(cost: PatternCost) -> str:
    return f"{cost.row.algorithm} {cost.row.operation}, {implementation(cost)}"


def _worst(cost: PatternCost) -> float:
    return max(cost.dear().values())


def _sentence(cost: PatternCost) -> str:
    dear = cost.dear()
    worst = max(dear, key=dear.__getitem__)
    times, at = figures.significant(dear[worst]), figures.message_size(worst)
    text = f"{_title(cost)}: {pattern(cost)} costs {times} times the best at {at}"
    last = max(dear)
    if last == worst:
        return text
    return f"{text}, still {figures.significant(dear[last])} at {figures.message_size(last)}"
