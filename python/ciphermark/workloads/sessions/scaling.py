"""How throughput grows with cores and sessions: curves, laws, and the knee; and the table of these
on a terminal.

A curve is of rows that differ in one number only, of cores or of sessions.

The *knee* is the smallest number beyond which another doubling gains less than 10 % of throughput.
It is a threshold on what one more step of a size that people take is worth. A knee by curvature (V.
Satopää et al., Finding a "Kneedle" in a Haystack, ICDCS Workshops 2011) was not taken: it is
relative to the range that was measured, so that measuring further moves it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import msgspec
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ciphermark.record.case_row import IMPLEMENTATION, PARAMETERS, key
from ciphermark.show import figures
from ciphermark.show.problems import FAILED, UNSETTLED
from ciphermark.show.tables import Column, print_groups, print_left_out
from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.possible import no_gain
from ciphermark.statistics.scaling_law import FEWEST, Kind, Law, Point, Undetermined, fitted
from ciphermark.workloads import flows
from ciphermark.workloads.flows import medians, together
from ciphermark.workloads.sessions import remarks
from ciphermark.workloads.sessions.row import SessionRow

Over = Literal["cores", "sessions"]

FUNCTION = (*IMPLEMENTATION, *PARAMETERS, "message_bytes", "profile")
"""What is computed, by what, and on which messages."""

CIRCUMSTANCES = (
    *("placement", "threads", "contexts", "policy", "nice", "quota_cpus"),
    *("neighbours", "offered_per_s"),
)
"""How it runs, except the number of sessions and the CPUs."""


class Found(msgspec.Struct, kw_only=True):
    """What a curve is of, for whatever is found by it."""

    over: Over
    """What is counted."""
    algorithm: str
    operation: str
    provider: str
    backend: str
    pattern: str
    message_bytes: int | None
    profile: str | None
    cases: list[int]
    """Of the points; what else they share stands in their rows."""
    sessions: int | None
    """Nothing where they are counted."""
    cores: int | None
    """Nothing where they are counted."""
    siblings: bool
    """Whether CPUs of some set share a core."""


class Curve(NamedTuple):
    """Rows that differ in the one number; those of one number are repeated."""

    over: Over
    rows: list[SessionRow]
    """By that number, ascending."""
    siblings: bool
    """Whether CPUs of some set share a core."""

    def number(self, row: SessionRow) -> int:
        return row.cores if self.over == "cores" else row.sessions

    def shared(self) -> dict[str, Any]:
        """What its rows have in common, as the fields of `Found`."""
        first = self.rows[0]
        facts = ("algorithm", "operation", "provider", "backend", "pattern", "message_bytes")
        return {
            **{field: getattr(first, field) for field in (*facts, "profile")},
            "over": self.over,
            "cases": [row.case for row in self.rows],
            "sessions": first.sessions if self.over == "cores" else None,
            "cores": first.cores if self.over == "sessions" else None,
            "siblings": self.siblings,
        }


def measured(rows: Iterable[SessionRow]) -> list[SessionRow]:
    """The rows with a figure that counts, of sessions that live as long as the execution."""
    return [
        row
        for row in rows
        if row.error is None and row.valid and row.messages_per_second and row.life is None
    ]


def curves(rows: Iterable[SessionRow], over: Over, core_cpus: Sequence[list[int]]) -> list[Curve]:
    """The curves of two numbers or more.

    Over cores, each row has a session at least for every CPU: one that nobody uses adds nothing.
    """
    if over == "sessions":
        groups = together(measured(rows), lambda row: (*alike_key(row), tuple(row.cpus)))
    else:
        groups = together(
            (row for row in measured(rows) if row.sessions >= row.cores),
            lambda row: (*alike_key(row), row.sessions),
        )
    found = [
        Curve(over, sorted(part, key=lambda row: (row.cores, row.sessions)), siblings)
        for group in groups.values()
        for siblings, part in _parts(over, group, core_cpus)
    ]
    return [curve for curve in found if len({curve.number(row) for row in curve.rows}) > 1]


def alike_key(row: SessionRow) -> tuple[Hashable, ...]:
    """What rows have in common that differ in their sessions and CPUs only."""
    return key(row, (*FUNCTION, *CIRCUMSTANCES))


def shares_cores(cpus: Iterable[int], core_cpus: Sequence[list[int]]) -> bool:
    """Whether any two of the CPUs share a core, as far as the kernel tells of cores."""
    chosen = set(cpus)
    return any(len(chosen.intersection(core)) > 1 for core in core_cpus)


def _parts(
    over: Over, group: list[SessionRow], core_cpus: Sequence[list[int]]
) -> Iterator[tuple[bool, list[SessionRow]]]:
    """The rows of one curve, or of two where some sets have CPUs that share a core.

    Such CPUs do not add what a core adds. So one curve is over sets without them; the other has the
    sets with them, and between those the numbers of CPUs that were measured without them only.
    """
    apart = [row for row in group if not shares_cores(row.cpus, core_cpus)]
    sharing = [row for row in group if shares_cores(row.cpus, core_cpus)]
    if over == "sessions":
        yield bool(sharing), group
        return
    yield False, apart
    if sharing:
        numbers = {row.cores for row in sharing}
        yield True, [row for row in apart if row.cores not in numbers] + sharing


GAIN = 0.1
"""A doubling that gains less is not worth it."""


class Scaling(Found, kw_only=True):
    """Messages per second over a number of cores or sessions, all else being the same."""

    points: list[Point]
    amdahl: Law | None
    usl: Law | None
    refusals: list[str]
    """Why a law is missing or has no interval, a sentence each."""
    knee: int | None
    """By the points; nothing where every doubling that was measured gains more."""
    knee_of_law: float | None
    """By `law`; nothing where it has none."""

    @property
    def law(self) -> Law | None:
        """The one to go by: with a cost of agreement where that is told from nothing."""
        if self.usl is not None and self.usl.kappa is not None and self.usl.kappa.low:
            return self.usl
        return self.amdahl or self.usl

    @property
    def largest(self) -> int:
        """The largest number that was measured."""
        return self.points[-1].number


def scalings(rows: Iterable[SessionRow], core_cpus: Sequence[list[int]]) -> list[Scaling]:
    """Every curve over cores, then every one over sessions.

    Only of rows whose sessions take messages as fast as they can: an offered load decides the
    throughput by itself. `core_cpus` has the CPUs of each core, as the run's state has them.
    """
    fast = [row for row in rows if row.offered_per_s is None]
    return [
        _scaling(curve) for over in ("cores", "sessions") for curve in curves(fast, over, core_cpus)
    ]


def measured_knee(points: Sequence[Point]) -> int | None:
    """The smallest number that was measured, with its double within the range, beyond which a
    doubling gains less than `GAIN`."""
    typical = medians(points)
    for number in typical:
        if 2 * number <= max(typical):
            gain = _between(typical, 2 * number) / typical[number] - 1
            if gain < GAIN:
                return number
    return None


def _scaling(curve: Curve) -> Scaling:
    points = [Point(curve.number(row), row.messages_per_second or 0.0) for row in curve.rows]
    if curve.over == "cores" and (why := _impossible(points)):
        laws, refusals = dict[Kind, Law](), [why]
    else:
        laws, refusals = _laws(points)
    scaling = Scaling(
        **curve.shared(),
        points=points,
        amdahl=laws.get("amdahl"),
        usl=laws.get("usl"),
        refusals=refusals,
        knee=measured_knee(points),
        knee_of_law=None,
    )
    if scaling.law is not None:
        scaling.knee_of_law = scaling.law.doubling_gains(GAIN)
    return scaling


def _impossible(points: Sequence[Point]) -> str | None:
    """Returns why the points cannot be those of so many CPUs."""
    first = points[0]
    reasons = (
        no_gain(it.per_second / first.per_second, it.number // first.number) for it in points
    )
    return next(filter(None, reasons), None)


def _laws(points: Sequence[Point]) -> tuple[dict[Kind, Law], list[str]]:
    """The laws that the points tell, and what they do not tell."""
    laws: dict[Kind, Law] = {}
    refusals = []
    for kind in FEWEST:
        try:
            laws[kind] = fitted(kind, points)
        except Undetermined as reason:
            refusals.append(str(reason))
    if "amdahl" in laws and laws["amdahl"].sigma.low is None:
        refusals.append(
            "two points give the share σ of Amdahl's law without its uncertainty: measure a "
            "third number, or measure again"
        )
    return laws, refusals


def _between(typical: dict[int, float], number: int) -> float:
    """Throughput at a number within the range: between two that were measured a power law."""
    for low, high in pairwise(typical):
        if low <= number <= high:
            share = math.log(number / low) / math.log(high / low)
            between: float = typical[low] ** (1 - share) * typical[high] ** share
            return between
    raise ValueError(f"{number} is outside the measured range")


NOUNS: dict[Over, str] = {"cores": "CPU", "sessions": "session"}
"""What is counted. A core counts as often as it has CPUs that are used."""


def function(found: Found | SessionRow) -> str:
    """`hmac-sha256 mac 1 KiB, openssl · shani`."""
    size = found.profile or found.message_bytes
    said = "" if size is None else f" {figures.message_size(size)}"
    backend = "" if found.backend == "default" else f" · {found.backend}"
    return f"{found.algorithm} {found.operation}{said}, {found.provider}{backend}"


def at(found: Found, rows: dict[int, SessionRow]) -> str:
    """What is the same at all of its points; `rows` are those of the run by their cases."""
    return conditions(found.over, found.siblings, rows[found.cases[0]])


def conditions(over: Over, siblings: bool, row: SessionRow) -> str:
    """`100 sessions, siblings too`, `CPUs 0-3, rekeyed · nice 5`."""
    place = remarks.sessions(row) if over == "cores" else flows.cpus(row.cpus)
    shared = "siblings too" if over == "cores" and siblings else ""
    return ", ".join(filter(None, (place, shared, remarks.conditions(row))))


TITLE = "How throughput grows"
POOR = 0.1
"""A law that is further off at some point is marked."""

BEYOND = ">"
"""Sign before a number that lies beyond all points."""

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
        if (lines := [scaling for scaling in scalings if scaling.over == over])
    ]
    left_out = print_groups(console, list(_columns(by_case)), groups)
    for sentence in explanations(scalings):
        console.print(Padding(Text(sentence, style="dim"), (0, 0, 0, 2)))
    print_left_out(console, left_out)


def with_room(scalings: Sequence[Scaling]) -> Sequence[Scaling]:
    """The curves that a table or a plot has room for."""
    if len(scalings) <= MOST_CURVES:
        return scalings
    return [scaling for scaling in scalings if len(scaling.points) >= SHAPED][:MOST_CURVES]


def explanations(scalings: Sequence[Scaling]) -> Iterator[str]:
    """What the columns mean, and each reason why something is not told, once."""
    yield (
        "σ: share of the work that only one does at a time; κ: cost of coordination for each "
        "pair; both with 95 % intervals by profile likelihood"
    )
    yield (
        f"knee: the number from which doubling it gains less than {figures.percent(GAIN)}; "
        "measured, law"
    )
    if any(scaling.law and scaling.law.largest_residual > POOR for scaling in scalings):
        yield f"{UNSETTLED} the law is off by more than {figures.percent(POOR)} at some point"
    yield from dict.fromkeys(
        f"over {NOUNS[scaling.over]}s: {refusal}"
        for scaling in scalings
        for refusal in scaling.refusals
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
    if it.over == "cores" and _impossible(it.points):
        return Text(FAILED)
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
    text = (UNSETTLED if poor else "") + figures.percent(law.largest_residual)
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
