"""Words, groups and parts of a page that sessions and packets have in common."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from statistics import median
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import msgspec

from ciphermark import contract
from ciphermark.plan.cpu_sets import listed
from ciphermark.record.case_row import CaseRow
from ciphermark.view import figures
from ciphermark.view.column import Column, Fact, Place, of_words

if TYPE_CHECKING:
    from ciphermark.record.run import Context
    from ciphermark.workloads.packets.row import PacketRow
    from ciphermark.workloads.sessions.row import SessionRow

    Flow: TypeAlias = SessionRow | PacketRow


Thing = TypeVar("Thing")
Key = TypeVar("Key", bound=Hashable)
Row = TypeVar("Row", "SessionRow", "PacketRow")


def together(things: Iterable[Thing], key: Callable[[Thing], Key]) -> dict[Key, list[Thing]]:
    """Groups things by key, in the order in which they come."""
    groups: dict[Key, list[Thing]] = {}
    for thing in things:
        groups.setdefault(key(thing), []).append(thing)
    return groups


def medians(values: Iterable[tuple[int, float]]) -> dict[int, float]:
    """Returns the median value at each number, the numbers ascending."""
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


def function(row: CaseRow) -> str:
    """Returns the algorithm and the operation."""
    return f"{row.algorithm} · {row.operation}"


def joined(*parts: str) -> str:
    """Joins the parts that are not empty with commas."""
    return ", ".join(filter(None, parts))


def names(conditions: Callable[[Row], str]) -> Iterator[Column[Row]]:
    """Yields the columns of the function and of its unusual conditions."""
    yield of_words("Algorithm", lambda row: row.algorithm, places=Place.PAGE, kind="name")
    yield of_words("Operation", lambda row: row.operation, places=Place.PAGE)
    yield of_words("Implementation", implementation, places=Place.PAGE)
    yield of_words("Provider", lambda row: row.provider, places=Place.EXPORT)
    yield of_words("Backend", lambda row: row.backend, places=Place.EXPORT)
    yield of_words(
        "Called", conditions, heading="called", page_heading="Called", at_end=True, key=True
    )


def sizes(name: str) -> Column[Row]:
    """Returns the column of the size of messages or packets."""
    return of_words(
        name,
        size,
        heading=name.lower(),
        page_heading=name,
        order=lambda row: row.message_bytes,
        key=True,
    )


def field(name: str, divisor: float = 1) -> Callable[[Flow], float | None]:
    """Returns a getter of a field in a larger unit; None where the row has none."""

    def value(row: Flow) -> float | None:
        number: float | None = getattr(row, name)
        return None if number is None else number / divisor if divisor != 1 else number

    return value


def latency_us(name: str) -> Callable[[Flow], float | None]:
    """Returns a getter of this percentile, microseconds."""
    return lambda row: None if row.latency_ns is None else getattr(row.latency_ns, name) / 1e3


STEADY = 0.01
"""Share by which the core clocks of rows that are as one differ."""


def clocks(rows: Sequence[Flow]) -> Iterator[str]:
    """Yields a remark on the core clocks of time-based rates, if these differ."""
    core_clocks = [row.core_hz for row in rows if row.core_hz]
    if core_clocks and max(core_clocks) > (1 + STEADY) * min(core_clocks):
        extremes = " to ".join(
            figures.significant(end / 1e9) for end in (min(core_clocks), max(core_clocks))
        )
        yield f"rates and latencies are of the time that passed, at core clocks of {extremes} GHz"


def not_reached(rows: Sequence[Flow]) -> Iterator[str]:
    """Yields the number of cases that were not reached in time, if any."""
    if waiting := sum(not row.is_measured and row.error is None for row in rows):
        yield f"{figures.counted(waiting, 'case')} not reached in the time"


def facts(
    context: Context, rows: Sequence[Flow], most: tuple[str, str], counted: Fact
) -> list[Fact]:
    """Returns the facts at the head of the report: the most at once, and the counts."""
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
    """Returns the most of a field among the measured cases."""
    return max((getattr(row, field) for row in rows if row.is_measured), default=0)


class Latencies(msgspec.Struct, kw_only=True):
    """Times that so many percent of the messages did not exceed, nanoseconds."""

    p50: int
    p90: int
    p99: int
    p999: int


SHARES = {
    "p50": Fraction(1, 2),
    "p90": Fraction(9, 10),
    "p99": Fraction(99, 100),
    "p999": Fraction(999, 1000),
}


def percentiles(counted: Sequence[contract.LatencyCount]) -> Latencies | None:
    """Returns the percentiles of a row; None where nothing was timed."""
    if not any(it.count for it in counted):
        return None
    return Latencies(**{name: percentile(counted, share) for name, share in SHARES.items()})


def percentile(counted: Sequence[contract.LatencyCount], share: Fraction) -> int:
    """Returns the shortest time, in nanoseconds, that this share of messages did not exceed.

    Raises `ValueError` when nothing was counted.
    """
    ordered = sorted(counted, key=lambda it: it.ns)
    wanted = share * sum(it.count for it in ordered)
    reached = 0
    for it in ordered:
        reached += it.count
        if reached >= wanted and it.count:
            return it.ns
    raise ValueError("nothing was counted")


def latency(ns: float) -> str:
    """Formats a latency in the largest unit that fits: `37.5 µs`, `4.10 ms`."""
    for unit, length in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= length:
            return f"{figures.significant(ns / length)} {unit}"
    return f"{figures.significant(ns)} ns"
