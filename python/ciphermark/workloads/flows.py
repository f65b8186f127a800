"""What rows of many sessions and of packets have in common: words, groups, parts of a page."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from ciphermark.plan.cpu_sets import listed
from ciphermark.record.case_row import CaseRow
from ciphermark.show import figures
from ciphermark.show.column import Column, Fact, Place, of_words, page_cells, page_heads

if TYPE_CHECKING:
    from ciphermark.record.run import Context
    from ciphermark.workloads.packets.row import PacketRow
    from ciphermark.workloads.sessions.row import SessionRow

    Flow: TypeAlias = SessionRow | PacketRow

Thing = TypeVar("Thing")
Key = TypeVar("Key", bound=Hashable)
Row = TypeVar("Row", "SessionRow", "PacketRow")


def together(things: Iterable[Thing], key: Callable[[Thing], Key]) -> dict[Key, list[Thing]]:
    """Those of one key each, in the order in which they come."""
    groups: dict[Key, list[Thing]] = {}
    for thing in things:
        groups.setdefault(key(thing), []).append(thing)
    return groups


def medians(values: Iterable[tuple[int, float]]) -> dict[int, float]:
    """The median value at each number, the numbers ascending."""
    groups = together(sorted(values), lambda value: value[0])
    return {number: median(value for _, value in alike) for number, alike in groups.items()}


def implementation(row: CaseRow) -> str:
    """`openssl`, with the code path where there are several."""
    return " · ".join(name for name in (row.provider, row.backend) if name != "default")


def size(row: CaseRow) -> str:
    """`64 B`; empty where there are no messages."""
    return "" if row.size is None else figures.message_size(row.size)


def cpus(numbers: Sequence[int]) -> str:
    """`CPU 0`, `CPUs 0-3`."""
    return f"{'CPU' if len(numbers) == 1 else 'CPUs'} {listed(numbers)}"


def joined(*parts: str) -> str:
    """Those that say something, with commas."""
    return ", ".join(filter(None, parts))


def names(conditions: Callable[[Row], str]) -> Iterator[Column[Row]]:
    """The columns that say what runs, and in which unusual way."""
    yield of_words("Algorithm", lambda row: row.algorithm, places=Place.PAGE, kind="name")
    yield of_words("Operation", lambda row: row.operation, places=Place.PAGE)
    yield of_words("Implementation", implementation, places=Place.PAGE)
    yield of_words("Provider", lambda row: row.provider, places=Place.EXPORT)
    yield of_words("Backend", lambda row: row.backend, places=Place.EXPORT)
    yield of_words(
        "Called", conditions, heading="called", page_heading="Called", at_end=True, key=True
    )


def sizes(name: str) -> Column[Row]:
    """Of messages, or of packets."""
    return of_words(
        name,
        size,
        heading=name.lower(),
        page_heading=name,
        order=lambda row: row.message_bytes,
        key=True,
    )


def field(name: str, divisor: float = 1) -> Callable[[Flow], float | None]:
    """The value of a field in a larger unit; none where the row has none."""

    def value(row: Flow) -> float | None:
        found: float | None = getattr(row, name)
        return None if found is None else found / divisor if divisor != 1 else found

    return value


def latency_us(name: str) -> Callable[[Flow], float | None]:
    """This percentile, microseconds."""
    return lambda row: None if row.latency_ns is None else getattr(row.latency_ns, name) / 1e3


STEADY = 0.01
"""Share by which the core clocks of rows that are as one differ."""


def clocks(rows: Sequence[Flow]) -> Iterator[str]:
    """Yields the core clocks of the rates, which are of the time that passed, if these differ."""
    found = [row.core_hz for row in rows if row.core_hz]
    if found and max(found) > (1 + STEADY) * min(found):
        ends = " to ".join(figures.significant(end / 1e9) for end in (min(found), max(found)))
        yield f"rates and latencies are of the time that passed, at core clocks of {ends} GHz"


def not_reached(rows: Sequence[Flow]) -> Iterator[str]:
    """How many cases there was no time for, if any."""
    if waiting := sum(not row.is_measured and row.error is None for row in rows):
        yield f"{figures.counted(waiting, 'case')} not reached in the time"


def facts(
    context: Context, rows: Sequence[Flow], most: tuple[str, str], counted: Fact
) -> list[Fact]:
    """What the report has at its head: the most of what runs at once, and what of it counts."""
    failed = sum(row.error is not None for row in rows)
    answers = f"{figures.counted(failed, 'case')} failed" if failed else "every answer was right"
    return [
        Fact(*most, "the most of any case"),
        Fact("CPUs", str(most_of(rows, "cores")), "the most of any case"),
        Fact("Core cycles", context.cycle_source or "", figures.clock(context.core_hz or 0.0)),
        Fact("Verified", figures.counted(len(rows) - failed, "case"), answers),
        counted,
        Fact("Took", f"{context.elapsed_s:.0f} s", figures.counted(len(rows), "case")),
    ]


def most_of(rows: Sequence[Flow], field: str) -> int:
    """The most of the cases that were measured."""
    return max((getattr(row, field) for row in rows if row.is_measured), default=0)


def summary(columns: Sequence[Column[Row]], rows: Sequence[Row]) -> dict[str, Any]:
    """The table of a report, in sections."""
    return {
        "summary_heads": page_heads(columns),
        "summary": [{"section": _section(row), "cells": page_cells(columns, row)} for row in rows],
        "sections": list(dict.fromkeys(map(_section, rows))),
    }


def _section(row: CaseRow) -> str:
    return f"{row.algorithm} {row.operation}"
