"""How many sessions hold a latency or a rate, and how few cores reach one.

Between two numbers that were measured a figure is taken to follow a power law, which is a line
between logarithms. Beyond them nothing is said. Where a figure goes up and down, the first number
that fails bounds the answer, since a promise of a greater one would not hold for those below it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from ciphermark.show import figures
from ciphermark.workloads.flows import medians
from ciphermark.workloads.latency import latency
from ciphermark.workloads.sessions.scaling import NOUNS, Curve, Found, at, curves, function

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
    "p99": lambda row: row.latency_ns.p99 if row.latency_ns else None,
    "rate-per-session": lambda row: (
        row.messages_per_second and row.messages_per_second / row.sessions
    ),
    "rate": lambda row: row.messages_per_second,
}


class Answer(NamedTuple):
    """Where something wanted ceases to hold, as the fields of `Limit`."""

    number: int | None
    reach: Reach
    holds: tuple[int, float] | None
    fails: tuple[int, float] | None


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
    sign = -1 if wanted == "p99" else 1
    return [
        _limit(curve, wanted, value, measured, sign)
        for curve in curves(rows, "sessions", core_cpus)
        if (measured := _typical(curve, FIGURES[wanted]))
    ]


def fewest_cores(
    rows: Iterable[SessionRow], core_cpus: Sequence[list[int]], value: float
) -> list[Limit]:
    """For each function, and number of sessions, with two numbers of cores or more: the fewest
    with which all sessions together do so many messages per second."""
    # From the most cores downwards, so that all above the answer hold too.
    return [
        _limit(curve, "rate", value, _typical(curve, FIGURES["rate"])[::-1], 1)
        for curve in curves(rows, "cores", core_cpus)
    ]


def _typical(curve: Curve, figure: Figure) -> Figures:
    """The median figure at each number, ascending."""
    told = ((curve.number(row), value) for row in curve.rows if (value := figure(row)))
    return [*medians(told).items()]


def _limit(curve: Curve, wanted: Wanted, value: float, measured: Figures, sign: int) -> Limit:
    return Limit(
        **curve.shared(),
        wanted=wanted,
        value=value,
        **answer(value, measured, sign)._asdict(),
    )


def answer(value: float, measured: Figures, sign: int) -> Answer:
    """Where the figures first fail, in their order; `sign` is 1 where they should be large."""
    holding = None
    for place in measured:
        if sign * place[1] < sign * value:
            if holding is None:
                return Answer(None, "none", None, place)
            return Answer(_crossing(holding, place, value), "within", holding, place)
        holding = place
    return Answer(holding and holding[0], "all", holding, None)


def _crossing(holding: tuple[int, float], failing: tuple[int, float], value: float) -> int:
    """The last whole number that holds on the way from one that does to one that does not."""
    share = math.log(value / holding[1]) / math.log(failing[1] / holding[1])
    exact: float = holding[0] * (failing[0] / holding[0]) ** share
    # Rounding must not lose a number that holds exactly.
    exact = round(exact, 9)
    return math.floor(exact) if failing[0] > holding[0] else math.ceil(exact)


def sentence(limit: Limit, rows: dict[int, SessionRow]) -> str:
    """`…, CPUs 0-1: at most 37 sessions for p99 within 37.5 µs; 100 sessions have 100 µs`."""
    return f"{function(limit)}, {at(limit, rows)}: {_answer(limit)}"


def _answer(limit: Limit) -> str:
    noun, wanted = NOUNS[limit.over], _wanted(limit)
    most, fewest = ("most", "fewest") if limit.over == "sessions" else ("fewest", "most")
    failing = "" if limit.fails is None else _has(limit, *limit.fails)
    if limit.number is None:
        return f"no number that was measured gives {wanted}; the {fewest}, {failing}"
    counted = figures.counted(limit.number, noun)
    if limit.reach == "all":
        verb = "gives" if limit.number == 1 else "give"
        return f"{counted}, the {most} that were measured, still {verb} {wanted}"
    bound = "at most" if limit.over == "sessions" else "at least"
    return f"{bound} {counted} for {wanted}; {failing}"


def _has(limit: Limit, number: int, figure: float) -> str:
    """`100 sessions have 100 µs`, with a comma after the number where nothing holds."""
    verb = "has" if number == 1 else "have"
    comma = "," * (limit.reach == "none")
    counted = figures.counted(number, NOUNS[limit.over])
    return f"{counted}{comma} {verb} {_figure(limit, figure)}"


def _wanted(limit: Limit) -> str:
    figure = _figure(limit, limit.value)
    return f"a p99 within {figure}" if limit.wanted == "p99" else f"{figure} or more"


def _figure(limit: Limit, value: float) -> str:
    match limit.wanted:
        case "p99":
            return latency(value)
        case "rate-per-session":
            return f"{figures.significant(value)} messages/s each"
        case "rate":
            return f"{figures.significant(value)} messages/s"
