"""How throughput grows with cores and sessions: points, laws, and the knee.

The *knee* is the smallest number beyond which another doubling gains less than 10 % of throughput.
It is a threshold on what one more step of a size that people take is worth. A knee by curvature
(V. Satopää et al., Finding a "Kneedle" in a Haystack, ICDCS Workshops 2011) was not taken: it is
relative to the range that was measured, so that measuring further moves it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from ciphermark.statistics.scaling_law import FEWEST, Kind, Law, Point, Undetermined, fitted
from ciphermark.workloads.sessions.curves import Curve, Found, curves

if TYPE_CHECKING:
    from ciphermark.workloads.sessions.row import SessionRow

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
        if self.usl is not None and self.usl.kappa.low:
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
    typical = _typical(points)
    for number in typical:
        if 2 * number <= max(typical):
            gain = _between(typical, 2 * number) / typical[number] - 1
            if gain < GAIN:
                return number
    return None


def _scaling(curve: Curve) -> Scaling:
    points = [Point(curve.number(row), row.messages_per_second) for row in curve.rows]
    laws, refusals = _laws(points)
    first = curve.rows[0]
    facts = ("algorithm", "operation", "provider", "backend", "pattern", "message_bytes", "profile")
    found = Scaling(
        **{field: getattr(first, field) for field in facts},
        over=curve.over,
        cases=[row.case for row in curve.rows],
        sessions=first.sessions if curve.over == "cores" else None,
        cores=first.cores if curve.over == "sessions" else None,
        siblings=curve.siblings,
        points=points,
        amdahl=laws.get("amdahl"),
        usl=laws.get("usl"),
        refusals=refusals,
        knee=measured_knee(points),
        knee_of_law=None,
    )
    if found.law is not None:
        found.knee_of_law = found.law.doubling_gains(GAIN)
    return found


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
            "two points tell the share σ of Amdahl's law but not how sure it is: measure a third "
            "number, or each again"
        )
    return laws, refusals


def _typical(points: Sequence[Point]) -> dict[int, float]:
    """The median throughput at each number, ascending."""
    found: dict[int, list[float]] = defaultdict(list)
    for point in points:
        found[point.number].append(point.per_second)
    return {number: median(found[number]) for number in sorted(found)}


def _between(typical: dict[int, float], number: int) -> float:
    """Throughput at a number within the range: between two that were measured a power law."""
    for low, high in pairwise(typical):
        if low <= number <= high:
            share = math.log(number / low) / math.log(high / low)
            return typical[low] ** (1 - share) * typical[high] ** share
    raise ValueError(f"{number} is outside of what was measured")
