"""How many sessions hold what is wanted, and how few CPUs, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text

from ciphermark.show import figures
from ciphermark.workloads.sessions import show_curves as curves
from ciphermark.workloads.sessions.limits import Limit
from ciphermark.workloads.sessions.row import SessionRow


def print_limits(console: Console, rows: Iterable[SessionRow], limits: Sequence[Limit]) -> None:
    """Prints a sentence for each answer, with what bounds it."""
    by_case = {row.case: row for row in rows}
    for limit in limits:
        console.print(Text(sentence(limit, by_case)))


def sentence(limit: Limit, rows: dict[int, SessionRow]) -> str:
    """`…, CPUs 0-1: at most 37 sessions for p99 within 37.5 µs; 100 sessions have 100 µs`."""
    where = f"{curves.function(limit)}, {curves.at(limit, rows)}"
    return f"{where}: {_answer(limit)}"


def _answer(limit: Limit) -> str:
    noun, wanted = curves.NOUNS[limit.over], _wanted(limit)
    if limit.reach == "none":
        number, figure = limit.fails
        measured = "fewest" if limit.over == "sessions" else "most"
        return (
            f"no number that was measured gives {wanted}; the {measured}, "
            f"{figures.counted(number, noun)}, {_have(number)} {_figure(limit, figure)}"
        )
    counted = figures.counted(limit.number, noun)
    if limit.reach == "all":
        measured, verb = ("most" if limit.over == "sessions" else "fewest"), _give(limit.number)
        return f"{counted}, the {measured} that were measured, still {verb} {wanted}"
    bound = "at most" if limit.over == "sessions" else "at least"
    said = f"{bound} {counted} for {wanted}"
    number, figure = limit.fails
    return f"{said}; {figures.counted(number, noun)} {_have(number)} {_figure(limit, figure)}"


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


def latency(ns: float) -> str:
    """A latency in the largest unit of which it is one or more: `37.5 µs`, `4.10 ms`."""
    for unit, length in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= length:
            return f"{figures.significant(ns / length)} {unit}"
    return f"{figures.significant(ns)} ns"


def _have(number: int) -> str:
    return "has" if number == 1 else "have"


def _give(number: int) -> str:
    return "gives" if number == 1 else "give"
