"""Growth of throughput with cores and sessions: curves, laws, and the knee.

A curve is of rows that differ in one number only, of cores or of sessions.

The *knee* is the smallest number beyond which another doubling gains less than 10 % of throughput.
It is a threshold on the gain of one more step of a usual size. A knee by curvature (V. Satopää et
al., Finding a "Kneedle" in a Haystack, ICDCS Workshops 2011) was not taken: it is relative to the
range that was measured, so that measuring further moves it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import msgspec

from ciphermark.record.case_row import IMPLEMENTATION, PARAMETERS, key
from ciphermark.statistics.estimate import Estimate, no_gain
from ciphermark.statistics.scaling_law import FEWEST, Kind, Law, Point, Undetermined, fitted
from ciphermark.view import figures
from ciphermark.view.column import Column, of_words, words
from ciphermark.view.problems import FAILED, REMARK, UNSETTLED
from ciphermark.workloads import flows
from ciphermark.workloads.flows import medians, together
from ciphermark.workloads.sessions import remarks
from ciphermark.workloads.sessions.row import SessionRow

Over = Literal["cores", "sessions"]

FUNCTION = (*IMPLEMENTATION, *PARAMETERS, "message_bytes", "profile")
"""Fields of the function, its implementation, and the messages."""

CIRCUMSTANCES = (
    *("placement", "threads", "contexts", "policy", "nice", "quota_cpus"),
    *("neighbours", "offered_per_s"),
)
"""Fields of the conditions of a run, except the number of sessions and the CPUs."""


class Found(msgspec.Struct, kw_only=True):
    """Rows and conditions of a curve, for all results of it."""

    over: Over
    """Quantity that is counted."""
    algorithm: str
    operation: str
    provider: str
    backend: str
    pattern: str
    message_bytes: int | None
    profile: str | None
    cases: list[int]
    """Cases of the points; their rows have the rest in common."""
    sessions: int | None
    """Nothing where they are counted."""
    cores: int | None
    """Nothing where they are counted."""
    siblings: bool
    """True if CPUs of some set share a core."""


class Curve(NamedTuple):
    """Rows that differ in the one number; those of one number are repeated."""

    over: Over
    rows: list[SessionRow]
    """Rows by that number, ascending."""
    siblings: bool
    """True if CPUs of some set share a core."""

    def number(self, row: SessionRow) -> int:
        return row.cores if self.over == "cores" else row.sessions

    def shared(self) -> dict[str, Any]:
        """Returns the common facts of its rows, as the fields of `Found`."""
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
    """Returns the valid rows with a figure, of sessions as long as the execution."""
    return [
        row
        for row in rows
        if row.error is None and row.valid and row.messages_per_second and row.life is None
    ]


def curves(rows: Iterable[SessionRow], over: Over, core_cpus: Sequence[list[int]]) -> list[Curve]:
    """Returns the curves of two numbers or more.

    Over cores, each row has at least a session for every CPU: an idle one adds nothing.
    """
    if over == "sessions":
        groups = together(measured(rows), lambda row: (*alike_key(row), tuple(row.cpus)))
    else:
        groups = together(
            (row for row in measured(rows) if row.sessions >= row.cores),
            lambda row: (*alike_key(row), row.sessions),
        )
    every_curve = [
        Curve(over, sorted(part, key=lambda row: (row.cores, row.sessions)), siblings)
        for group in groups.values()
        for siblings, part in _parts(over, group, core_cpus)
    ]
    return [curve for curve in every_curve if len({curve.number(row) for row in curve.rows}) > 1]


def alike_key(row: SessionRow) -> tuple[Hashable, ...]:
    """Returns the common key of rows that differ only in their sessions and CPUs."""
    return key(row, (*FUNCTION, *CIRCUMSTANCES))


def shares_cores(cpus: Iterable[int], core_cpus: Sequence[list[int]]) -> bool:
    """Returns whether any two of the CPUs share a core, according to the kernel."""
    chosen = set(cpus)
    return any(len(chosen.intersection(core)) > 1 for core in core_cpus)


def _parts(
    over: Over, group: list[SessionRow], core_cpus: Sequence[list[int]]
) -> Iterator[tuple[bool, list[SessionRow]]]:
    """Yields the rows of one curve, or of two where some CPUs share a core.

    Such CPUs do not add a whole core's work. So one curve is over sets without them; the other has
    the sets with them, and between those the numbers of CPUs that were measured without them only.
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
    """Knee by the points; None where every measured doubling gains more."""
    knee_of_law: float | None
    """Knee by `law`; None where the law has none."""

    @property
    def law(self) -> Law | None:
        """Returns the law to use: with a coordination cost if that differs from zero."""
        if self.usl is not None and self.usl.kappa is not None and self.usl.kappa.low:
            return self.usl
        return self.amdahl or self.usl

    @property
    def largest(self) -> int:
        """Returns the largest number that was measured."""
        return self.points[-1].number


def scalings(rows: Iterable[SessionRow], core_cpus: Sequence[list[int]]) -> list[Scaling]:
    """Returns every curve over cores, then every one over sessions.

    Only of rows whose sessions take messages as fast as they can: an offered load decides the
    throughput by itself. `core_cpus` has the CPUs of each core, as the run's state has them.
    """
    fast = [row for row in rows if row.offered_per_s is None]
    return [
        _scaling(curve) for over in ("cores", "sessions") for curve in curves(fast, over, core_cpus)
    ]


def measured_knee(points: Sequence[Point]) -> int | None:
    """Returns the smallest measured number beyond which a doubling gains under `GAIN`.

    Its double is within the measured range; None if there is no such number.
    """
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
    """Returns the laws that the points determine, and reasons for the others."""
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
    """Returns throughput at a number within the range, by a power law between two points."""
    for low, high in pairwise(typical):
        if low <= number <= high:
            share = math.log(number / low) / math.log(high / low)
            between: float = typical[low] ** (1 - share) * typical[high] ** share
            return between
    raise ValueError(f"{number} is outside the measured range")


def function(found: Found | SessionRow) -> str:
    """`hmac-sha256 mac 1 KiB, openssl · shani`."""
    size = found.profile or found.message_bytes
    said = "" if size is None else f" {figures.message_size(size)}"
    backend = "" if found.backend == "default" else f" · {found.backend}"
    return f"{found.algorithm} {found.operation}{said}, {found.provider}{backend}"


def at(found: Found, rows: dict[int, SessionRow]) -> str:
    """Returns the common conditions of all its points; `rows` is by case."""
    return conditions(found.over, found.siblings, rows[found.cases[0]])


def conditions(over: Over, siblings: bool, row: SessionRow) -> str:
    """`100 sessions, siblings too`, `CPUs 0-3, rekeyed · nice 5`."""
    place = remarks.sessions(row) if over == "cores" else flows.cpus(row.cpus)
    shared = "siblings too" if over == "cores" and siblings else ""
    return ", ".join(filter(None, (place, shared, remarks.conditions(row))))


POOR = 0.1
"""A law that is further off at some point is marked."""

BEYOND = ">"
"""Sign before a number that lies beyond all points."""

NOTHING = "–"

MOST_CURVES = 24
"""Most curves that are shown; of more, those that have a shape."""

SHAPED = 3
"""Points that a curve needs to have one."""


def with_room(scalings: Sequence[Scaling]) -> Sequence[Scaling]:
    """Returns the curves that a table or a plot has room for."""
    if len(scalings) <= MOST_CURVES:
        return scalings
    return [scaling for scaling in scalings if len(scaling.points) >= SHAPED][:MOST_CURVES]


def explanations(scalings: Sequence[Scaling]) -> Iterator[tuple[str, str]]:
    """Yields a mark, and a column's meaning or the reason of an unknown figure."""
    yield (
        REMARK,
        "σ: share of the work that only one does at a time; κ: cost of coordination for each "
        "pair; both with 95 % intervals by profile likelihood",
    )
    yield (
        REMARK,
        f"knee: the number from which doubling it gains less than {figures.percent(GAIN)}; "
        "measured, law",
    )
    if any(scaling.law and scaling.law.largest_residual > POOR for scaling in scalings):
        yield UNSETTLED, f"the law is off by more than {figures.percent(POOR)} at some point"
    refusals = dict.fromkeys(
        f"over {scaling.over}: {refusal}" for scaling in scalings for refusal in scaling.refusals
    )
    yield from ((REMARK, refusal) for refusal in refusals)


def scaling_columns(rows: dict[int, SessionRow]) -> Iterator[Column[Scaling]]:
    """Yields the columns of the table of curves."""
    yield of_words("", function, key=True)
    yield of_words("at", lambda it: at(it, rows), key=True)
    yield _text("measured", lambda it: f"{it.points[0].number}–{it.largest}", 4)
    yield _text("of\nlinear", _of_linear, 3)
    yield _text("σ, %", lambda it: _share(it.law.sigma if it.law else None))
    yield _text("", lambda it: _interval(it.law.sigma if it.law else None), 6, "interval of σ")
    yield _text("κ, %", lambda it: _share(it.usl.kappa if it.usl else None))
    yield _text("", lambda it: _interval(it.usl.kappa if it.usl else None), 6, "interval of κ")
    yield _text("law\noff by", _off, 2)
    yield _text("knee", _knee)
    yield _text("peak", _peak, 1)


def _text(
    heading: str, value: Callable[[Scaling], str], dispensable: int = 0, called: str = ""
) -> Column[Scaling]:
    kind: Literal["interval", "number"] = "interval" if "interval" in called else "number"
    fields: dict[str, Any] = {"dispensable": dispensable, "called": called, "kind": kind}
    return Column("", value, heading, words, **fields)


def _of_linear(it: Scaling) -> str:
    """Returns throughput per unit at the largest number by that at the smallest."""
    if it.over == "cores" and _impossible(it.points):
        return FAILED
    first, last = it.points[0], it.points[-1]
    return figures.percent(last.per_second / last.number / (first.per_second / first.number))


def _share(estimate: Estimate | None) -> str:
    return NOTHING if estimate is None else _percent(estimate.value)


def _interval(estimate: Estimate | None) -> str:
    interval = estimate and estimate.interval
    return "–".join(map(_percent, interval)) if interval else ""


def _percent(share: float) -> str:
    # Below a ten-thousandth of a per cent nothing can be measured.
    return "0" if share < 1e-6 else figures.significant(100 * share, 2)


def _off(it: Scaling) -> str:
    law = it.law
    if law is None or law.sigma.low is None:
        return ""
    return UNSETTLED * (law.largest_residual > POOR) + figures.percent(law.largest_residual)


def _knee(it: Scaling) -> str:
    """Returns the knee of the points and of the law; `BEYOND` if it is not reached."""
    measured = f"{BEYOND}{it.largest // 2}" if it.knee is None else str(it.knee)
    return f"{measured}, {_law_knee(it)}" if it.law else measured


def _law_knee(it: Scaling) -> str:
    if it.knee_of_law is None or it.knee_of_law > it.largest:
        return f"{BEYOND}{it.largest}"
    return figures.grouped(max(1, it.knee_of_law))


def _peak(it: Scaling) -> str:
    peak = it.law.peak if it.law else None
    if peak is None:
        return NOTHING
    return f"{BEYOND}{it.largest}" if peak.value > it.largest else figures.grouped(peak.value)
