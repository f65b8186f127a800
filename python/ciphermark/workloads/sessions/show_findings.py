"""What many cases of sessions tell together, on a terminal and as sentences of a report."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from ciphermark.workloads.sessions import show_limits as limits
from ciphermark.workloads.sessions import show_soak as soak
from ciphermark.workloads.sessions.findings import SessionFindings
from ciphermark.workloads.sessions.row import SessionRow
from ciphermark.workloads.sessions.scaling import Scaling
from ciphermark.workloads.sessions.show_scaling import (
    clock_sentences,
    print_losses,
    print_scaling,
    smt_sentence,
)
from ciphermark.workloads.sessions.show_scheduling import print_scheduling

NOTED_DROOP = 0.01
"""A clock that falls or rises by less is the noise of a guest's clock."""


MOST_CURVES = 24
"""More are not looked at one by one; of many those that have a shape are shown."""

SHAPED = 3
"""Points that a curve needs to have one."""


def shown(found: list[Scaling]) -> list[Scaling]:
    """The curves that a table or a plot has room for."""
    if len(found) <= MOST_CURVES:
        return found
    return [it for it in found if len(it.points) >= SHAPED][:MOST_CURVES]


def print_findings(console: Console, rows: list[SessionRow], found: SessionFindings) -> None:
    """Prints them after the table; nothing where there are none."""
    print_scaling(console, rows, shown(found.scaling))
    if found.conditions is not None:
        print_scheduling(console, found.conditions)
    if found.siblings or _is_noted(found):
        console.print()
    print_losses(console, found.siblings, found.clocks if _is_noted(found) else [])
    if found.limits:
        console.print()
    limits.print_limits(console, rows, found.limits)
    by_case = {row.case: row for row in rows}
    for it in found.soaks:
        console.print()
        console.print(Text(soak.sentence(it, by_case[it.case])))


def sentences(rows: list[SessionRow], found: SessionFindings) -> Iterator[str]:
    """What of them a sentence says."""
    by_case = {row.case: row for row in rows}
    yield from map(smt_sentence, found.siblings)
    if _is_noted(found):
        yield from clock_sentences(found.clocks)
    yield from (limits.sentence(limit, by_case) for limit in found.limits)
    yield from (soak.sentence(it, by_case[it.case]) for it in found.soaks)


def _is_noted(found: SessionFindings) -> bool:
    return any(abs(it.droop) >= NOTED_DROOP for it in found.clocks)
