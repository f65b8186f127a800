"""What apparent processing power depends on, on a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ciphermark.show import figures
from ciphermark.show.fitting import Column, print_groups, print_left_out
from ciphermark.statistics.effects import Effect, Effects, Error
from ciphermark.workloads.sessions.scheduling import Scheduling

TITLE = "What apparent cycles per byte depend on"
UNTOLD = "·"
"""Beside an effect whose interval has the multiple of the simple model in it."""


def print_scheduling(console: Console, found: Scheduling) -> None:
    """Prints the effects, how far predictions are off, and what the rows do not tell."""
    console.print()
    if found.model is None:
        console.print(Text(TITLE, style="bold"))
    else:
        groups = [(TITLE, found.model.effects)]
        print_left_out(console, print_groups(console, list(_columns()), groups))
    for sentence in sentences(found):
        console.print(Padding(Text(sentence), (0, 0, 0, 2)))


def sentences(found: Scheduling) -> Iterator[str]:
    """How good the model is beside the simple one, what was left out, and why."""
    if found.refusal is not None:
        yield found.refusal
    if found.model is not None:
        yield _errors(found, found.model)
        if any(_as_expected(effect) for effect in found.model.effects):
            yield f"{UNTOLD} not told from what the simple model expects"
        yield from _left_out(found.model)
    if found.without_alone:
        rows = figures.counted(found.without_alone, "row")
        yield f"{rows} left out, of functions that were not measured alone on one CPU"


def _columns() -> Iterator[Column[Effect]]:
    yield Column("", lambda it: Text(it.factor), left=True)
    yield Column("multiplies\nit by", lambda it: Text(figures.times(it.multiple.value)))
    yield Column("", _interval)
    yield Column("simple\nmodel", lambda it: Text(figures.times(it.expected), style="dim"))
    yield Column("", lambda it: Text(UNTOLD if _as_expected(it) else ""), left=True)


def _interval(it: Effect) -> Text:
    low, high = (figures.significant(end, 4) for end in (it.multiple.low, it.multiple.high))
    return Text(f"{low}–{high}", style="dim")


def _as_expected(it: Effect) -> bool:
    return it.multiple.low <= it.expected <= it.multiple.high


def _errors(found: Scheduling, model: Effects) -> str:
    parts = []
    if model.error is not None:
        parts.append(f"a row that was not fitted is predicted to within {_off(model.error)}")
    if found.simple is not None:
        parts.append(f"absolute / cores is off by {_off(found.simple)}")
    if model.indispensable:
        rows = figures.counted(model.indispensable, "row")
        parts.append(f"{rows} could not be left out, since an effect rests on each alone")
    return f"{figures.counted(found.rows, 'row')}: " + "; ".join(parts)


def _off(error: Error) -> str:
    return f"{figures.percent(error.median)} (median; at most {figures.percent(error.largest)})"


def _left_out(model: Effects) -> Iterator[str]:
    """The factors that did not vary in one sentence, each confounded one in its own."""
    still = [it.factor for it in model.left_out if not it.confounded_with]
    if still:
        yield f"not varied: {', '.join(still)}"
    for it in model.left_out:
        if it.confounded_with:
            others = ", ".join(it.confounded_with)
            yield f"{it.factor}: not told apart from {others}, which changed with it"
