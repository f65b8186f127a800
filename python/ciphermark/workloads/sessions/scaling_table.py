"""How throughput grows with CPUs and sessions, on a terminal: laws and knees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ciphermark.show import figures
from ciphermark.show.fitting import Column, print_groups, print_left_out
from ciphermark.statistics.estimate import Estimate
from ciphermark.workloads.sessions.row import SessionRow
from ciphermark.workloads.sessions.scaling import GAIN, NOUNS, Scaling, at, function

TITLE = "How throughput grows"
POOR = 0.1
"""A law that is further off at some point is marked."""

POORLY, BEYOND = "?", ">"
"""Marks beside a law that is far from its points, and before what lies beyond all of them."""

NOTHING = "–"

MOST_CURVES = 24
"""More are not looked at one by one; of many those that have a shape are shown."""

SHAPED = 3
"""Points that a curve needs to have one."""


def print_scaling(
    console: Console, rows: Iterable[SessionRow], scalings: Sequence[Scaling]
) -> None:
    """Prints a line for each curve, then what the columns mean and what is not told."""
    if not scalings:
        return
    by_case = {row.case: row for row in rows}
    console.print()
    console.print(Text(TITLE, style="bold"))
    groups = [
        (f"over {noun}s", lines)
        for over, noun in NOUNS.items()
        if (lines := [it for it in scalings if it.over == over])
    ]
    left_out = print_groups(console, list(_columns(by_case)), groups)
    for sentence in explanations(scalings):
        console.print(Padding(Text(sentence, style="dim"), (0, 0, 0, 2)))
    print_left_out(console, left_out)


def with_room(scalings: Sequence[Scaling]) -> Sequence[Scaling]:
    """The curves that a table or a plot has room for."""
    if len(scalings) <= MOST_CURVES:
        return scalings
    return [it for it in scalings if len(it.points) >= SHAPED][:MOST_CURVES]


def explanations(scalings: Sequence[Scaling]) -> Iterator[str]:
    """What the columns mean, and each reason why something is not told, once."""
    yield (
        "σ: share of the work that one does at a time; κ: cost of every pair that has to agree; "
        "both with 95 % intervals by profile"
    )
    yield f"knee: where doubling the number gains less than {figures.percent(GAIN)}; measured, law"
    if any(it.law and it.law.largest_residual > POOR for it in scalings):
        yield f"{POORLY} the law is off by more than {figures.percent(POOR)} at some point"
    yield from dict.fromkeys(
        f"over {NOUNS[it.over]}s: {refusal}" for it in scalings for refusal in it.refusals
    )


def _columns(rows: dict[int, SessionRow]) -> Iterator[Column[Scaling]]:
    yield Column("", lambda it: Text(function(it)), left=True)
    yield Column("at", lambda it: Text(at(it, rows), style="dim"), left=True)
    yield Column("measured", _measured, 4)
    yield Column("of\nlinear", _of_linear, 3)
    yield Column("σ, %", lambda it: _share(it.law.sigma if it.law else None))
    yield Column("", lambda it: _interval(it.law.sigma if it.law else None), 6, "interval of σ")
    yield Column("κ, %", lambda it: _share(it.usl.kappa if it.usl else None))
    yield Column("", lambda it: _interval(it.usl.kappa if it.usl else None), 6, "interval of κ")
    yield Column("law\noff by", _off, 2)
    yield Column("knee", _knee)
    yield Column("peak", _peak, 1)


def _measured(it: Scaling) -> Text:
    return Text(f"{it.points[0].number}–{it.largest}")


def _of_linear(it: Scaling) -> Text:
    """Throughput per unit at the largest number by that at the smallest."""
    first, last = it.points[0], it.points[-1]
    share = last.per_second / last.number / (first.per_second / first.number)
    return Text(figures.percent(share))


def _share(estimate: Estimate | None) -> Text:
    return Text(NOTHING if estimate is None else _percent(estimate.value))


def _interval(estimate: Estimate | None) -> Text:
    ends = estimate and estimate.interval
    return Text("–".join(map(_percent, ends)) if ends else "", style="dim")


def _percent(share: float) -> str:
    """Below a ten-thousandth of a per cent there is nothing that could be told."""
    return "0" if share < 1e-6 else figures.significant(100 * share, 2)


def _off(it: Scaling) -> Text:
    law = it.law
    if law is None or law.sigma.low is None:
        return Text("")
    poor = law.largest_residual > POOR
    text = (POORLY if poor else "") + figures.percent(law.largest_residual)
    return Text(text, style="yellow" if poor else "")


def _knee(it: Scaling) -> Text:
    """By the points, and by the law, beyond the points only that it is there."""
    measured = f"{BEYOND}{it.largest // 2}" if it.knee is None else str(it.knee)
    return Text(f"{measured}, {_law_knee(it)}" if it.law else measured)


def _law_knee(it: Scaling) -> str:
    if it.knee_of_law is None or it.knee_of_law > it.largest:
        return f"{BEYOND}{it.largest}"
    return figures.grouped(max(1, it.knee_of_law))


def _peak(it: Scaling) -> Text:
    peak = it.law.peak if it.law else None
    if peak is None:
        return Text(NOTHING)
    beyond = peak.value > it.largest
    return Text(f"{BEYOND}{it.largest}" if beyond else figures.grouped(peak.value))
