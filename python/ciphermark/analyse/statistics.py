"""Median of the groups of a case, its interval, and whether the case was measured enough.

The engine stops by the same rule (`engine/harness/src/stopping.rs`); `tests/golden/stopping.json`
holds the two equal. Slices of one group share their conditions, so a group is one observation. The
interval comes from order statistics, which suppose nothing about the distribution of the groups.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


FEWEST_GROUPS = 6
"""With fewer values not even the extremes bound the median with 95 % confidence."""


RESOLUTION_CYCLES = 0.25
"""No function is asked to be known better than this, cycles per message: the loop's own cost, which
was subtracted, is not (see benchmarks/harness_floor.py)."""

EXACT_UP_TO = 1000
"""Beyond so many values the normal approximation gives the rank, as in the engine."""


class Estimate(NamedTuple):
    """A median with its 95 % interval; `low` and `high` are absent with fewer than six values."""

    value: float
    low: float | None
    high: float | None

    def half_width(self) -> float:
        """Half the width of the interval, which must be defined."""
        return (self.high - self.low) / 2


@cache
def interval_rank(n: int) -> int | None:
    """The largest r with P(Binomial(n, 1/2) <= r - 1) <= 2.5 %, in exact integers.

    The r-th smallest and the r-th largest of n values bound their distribution's median with at
    least 95 % confidence. None for n < 6. Beyond `EXACT_UP_TO` values the normal approximation
    gives the same rank to within one.
    """
    if n > EXACT_UP_TO:
        return math.floor((n - 1.96 * math.sqrt(n)) / 2)
    rank, cumulated, binomial = 0, 0, 1
    while 40 * (cumulated + binomial) <= 1 << n:
        cumulated += binomial
        binomial = binomial * (n - rank) // (rank + 1)
        rank += 1
    return rank or None


def median(values: Floats) -> float:
    """Median of values in any order; the mean of the middle two when their number is even."""
    ordered = np.sort(values)
    return float((ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2)


def estimate_median(values: Floats) -> Estimate | None:
    """Median and interval of values in any order; None where there are none."""
    if len(values) == 0:
        return None
    ordered = np.sort(values)
    rank = interval_rank(len(ordered))
    if rank is None:
        return Estimate(median(ordered), None, None)
    return Estimate(median(ordered), float(ordered[rank - 1]), float(ordered[-rank]))


def student_quantile(share: float, degrees: int) -> float:
    """Quantile of Student's distribution, to 0.2 % for shares up to 97.5 %.

    The expansion in 1/degrees around the normal quantile (Abramowitz and Stegun, Handbook of
    Mathematical Functions, 26.7.5), and the exact forms where that is too coarse. SciPy has it as
    well, but takes a fifth of a second to import, which every table of costs would wait for.
    """
    if degrees == 1:
        return math.tan(math.pi * (share - 0.5))
    if degrees == 2:
        return (2 * share - 1) / math.sqrt(2 * share * (1 - share))
    z = NormalDist().inv_cdf(share)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return sum(term / degrees**power for power, term in enumerate(terms))


@dataclass(frozen=True)
class Rule:
    """What a case must fulfil to be converged."""

    precision: float
    """Half-width of the interval as a share of the estimate."""
    min_groups: int
    min_span_ms: float
    """Least time between the first and the last group."""


class Missing(StrEnum):
    """Why a case has not converged, in the order in which it is asked."""

    DISTURBED = "disturbed"
    GROUPS = "groups"
    INTERVAL = "interval"
    HALVES = "halves"
    SPAN = "span"


@dataclass(frozen=True)
class Observations:
    """The groups of one case that have an undisturbed sample, in the order of time."""

    values: Floats
    """Median of each group's undisturbed samples, cycles per message."""
    starts_ns: npt.NDArray[np.int64]
    """Start of each group's first sample, disturbed or not."""
    samples: int
    """All samples of the case, also those of groups that do not count."""
    disturbed: int

    def missing(self, rule: Rule) -> Missing | None:
        """What is still missing; nothing when the case has converged."""
        if 2 * self.disturbed > self.samples:
            return Missing.DISTURBED
        estimate = estimate_median(self.values)
        if estimate is None or estimate.low is None or len(self.values) < rule.min_groups:
            return Missing.GROUPS
        tolerance = max(rule.precision * abs(estimate.value), RESOLUTION_CYCLES)
        if estimate.half_width() > tolerance:
            return Missing.INTERVAL
        if self.halves_differ_by() > tolerance:
            return Missing.HALVES
        if self.span_ms() < rule.min_span_ms:
            return Missing.SPAN
        return None

    def halves_differ_by(self) -> float:
        """Distance between the medians of the earlier and the later half; needs two groups."""
        half = len(self.values) // 2
        return abs(median(self.values[:half]) - median(self.values[-half:]))

    def span_ms(self) -> float:
        """Time from the start of the first group to that of the last; needs one group."""
        return float(self.starts_ns[-1] - self.starts_ns[0]) / 1e6


def reason(missing: Missing, observations: Observations, rule: Rule) -> str:
    """What is missing and by how much, in a few words."""
    match missing:
        case Missing.DISTURBED:
            share = 100 * observations.disturbed / observations.samples
            return f"{share:.0f} % of samples disturbed"
        case Missing.GROUPS:
            return f"{len(observations.values)} of {max(rule.min_groups, FEWEST_GROUPS)} groups"
        case Missing.SPAN:
            return f"groups within {observations.span_ms():.1f} of {rule.min_span_ms:g} ms"
    estimate = estimate_median(observations.values)
    if missing is Missing.INTERVAL:
        return f"interval ±{_relative(estimate.half_width(), estimate.value)}"
    return f"groups disagree by {_relative(observations.halves_differ_by(), estimate.value)}"


def _relative(difference: float, value: float) -> str:
    """A difference as a share of a value; in cycles where that is zero."""
    if value == 0:
        return f"{difference:.2g} cycles"
    return f"{100 * difference / abs(value):.1f} %"
