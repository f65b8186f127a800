"""How many sessions hold a latency or a rate, and how few cores reach one.

Between two numbers that were measured a figure is taken to follow a power law, which is a line
between logarithms. Beyond them nothing is said. Where a figure goes up and down, the first number
that fails bounds the answer, since a promise of a greater one would not hold for those below it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any, Literal

from ciphermark.workloads.sessions.curves import Curve, Found, curves

if TYPE_CHECKING:
    from ciphermark.workloads.sessions.row import SessionRow

Wanted = Literal["p99", "rate-per-session", "rate"]
"""p99 at most so many nanoseconds; messages per second of each session, or of all, at least."""

Reach = Literal["within", "all", "none"]
"""Whether the answer lies within what was measured, all that was measured holds, or none does."""

Figure = Callable[["SessionRow"], float | None]
Figures = list[tuple[int, float]]
"""Numbers that were measured, each with its figure."""

FIGURES: dict[Wanted, Figure] = {
    "p99": lambda row: row.latency_ns and row.latency_ns.p99,
    "rate-per-session": lambda row: row.messages_per_second / row.sessions,
    "rate": lambda row: row.messages_per_second,
}


class Limit(Found, kw_only=True):
    """The most sessions, or the fewest cores, with which something wanted holds."""

    wanted: Wanted
    value: float
    """In nanoseconds, or messages per second."""
    number: int | None
    """The answer. With `all` it is the largest number of sessions that was measured, or the
    smallest of cores, and the true one may lie beyond; with `none` there is no answer."""
    reach: Reach
    holds: tuple[int, float] | None
    """The measured number next to the limit that holds, with its figure."""
    fails: tuple[int, float] | None
    """The one that fails: what bounds the answer."""


def most_sessions(
    rows: Iterable[SessionRow],
    core_cpus: Sequence[list[int]],
    wanted: Literal["p99", "rate-per-session"],
    value: float,
) -> list[Limit]:
    """For each function and set of CPUs with two numbers of sessions or more."""
    found = []
    for curve in curves(rows, "sessions", core_cpus):
        if figures := _typical(curve, FIGURES[wanted]):
            sign = -1 if wanted == "p99" else 1
            found.append(_limit(curve, wanted, value, list(figures.items()), sign))
    return found


def fewest_cores(
    rows: Iterable[SessionRow], core_cpus: Sequence[list[int]], value: float
) -> list[Limit]:
    """For each function, and number of sessions, with two numbers of cores or more: the fewest
    with which all sessions together do so many messages per second."""
    found = []
    for curve in curves(rows, "cores", core_cpus):
        figures = _typical(curve, FIGURES["rate"])
        # From the most cores downwards, so that all above the answer hold too.
        found.append(_limit(curve, "rate", value, list(figures.items())[::-1], 1))
    return found


def _typical(curve: Curve, figure: Figure) -> dict[int, float]:
    """The median figure at each number, ascending."""
    found: dict[int, list[float]] = defaultdict(list)
    for row in curve.rows:
        if value := figure(row):
            found[curve.number(row)].append(value)
    return {number: median(values) for number, values in found.items()}


def _limit(curve: Curve, wanted: Wanted, value: float, figures: Figures, sign: int) -> Limit:
    first = curve.rows[0]
    facts = ("algorithm", "operation", "provider", "backend", "pattern", "message_bytes", "profile")
    return Limit(
        **{field: getattr(first, field) for field in facts},
        over=curve.over,
        cases=[row.case for row in curve.rows],
        sessions=first.sessions if curve.over == "cores" else None,
        cores=first.cores if curve.over == "sessions" else None,
        siblings=curve.siblings,
        wanted=wanted,
        value=value,
        **answer(value, figures, sign),
    )


def answer(value: float, figures: Figures, sign: int) -> dict[str, Any]:
    """Where the figures first fail, in their order; `sign` is 1 where they should be large."""
    holding = None
    for measured in figures:
        if sign * measured[1] < sign * value:
            number = None if holding is None else _crossing(holding, measured, value)
            reach = "none" if holding is None else "within"
            return {"number": number, "reach": reach, "holds": holding, "fails": measured}
        holding = measured
    return {"number": holding[0], "reach": "all", "holds": holding, "fails": None}


def _crossing(holding: tuple[int, float], failing: tuple[int, float], value: float) -> int:
    """The last whole number that holds on the way from one that does to one that does not."""
    share = math.log(value / holding[1]) / math.log(failing[1] / holding[1])
    exact = holding[0] * (failing[0] / holding[0]) ** share
    # Rounding must not lose a number that holds exactly.
    exact = round(exact, 9)
    return math.floor(exact) if failing[0] > holding[0] else math.ceil(exact)
