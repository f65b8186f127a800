"""Medians and their intervals, by order statistics: these suppose nothing of the distribution."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from ciphermark.statistics.estimate import Estimate

Floats = npt.NDArray[np.float64]

FEWEST_GROUPS = 6
"""With fewer values not even the extremes bound the median with 95 % confidence."""

ONE_LOOK = Fraction(1, 40)
"""Probability with which the median lies beyond one end of a 95 % interval."""

SEVERAL_LOOKS = Fraction(7, 400)
"""The same for a case that was looked at several times and stopped at the first narrow interval:
with this tail the intervals of such cases hold the truth 95 times in 100 (see
tests/test_coverage.py)."""

EXACT_UP_TO = 1000
"""Beyond so many values the normal approximation gives the rank, as in the engine."""


@cache
def interval_rank(n: int, tail: Fraction = ONE_LOOK) -> int | None:
    """The largest r with P(Binomial(n, 1/2) <= r - 1) <= tail, in exact integers.

    The r-th smallest and the r-th largest of n values bound their distribution's median. None for
    n < 6. Beyond `EXACT_UP_TO` values the normal approximation gives the same rank to within one.
    """
    if n > EXACT_UP_TO:
        z = NormalDist().inv_cdf(1 - float(tail))
        return math.floor((n - z * math.sqrt(n)) / 2)
    rank, cumulated, binomial = 0, 0, 1
    while tail.denominator * (cumulated + binomial) <= tail.numerator << n:
        cumulated += binomial
        binomial = binomial * (n - rank) // (rank + 1)
        rank += 1
    return rank or None


def median(values: Floats) -> float:
    """Median of values in any order; the mean of the middle two when their number is even."""
    ordered = np.sort(values)
    return float((ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2)


def estimate_median(values: Floats, tail: Fraction = ONE_LOOK) -> Estimate | None:
    """Median and interval of values in any order; None where there are none."""
    if len(values) == 0:
        return None
    ordered = np.sort(values)
    rank = interval_rank(len(ordered), tail)
    if rank is None:
        return Estimate(median(ordered))
    return Estimate(median(ordered), float(ordered[rank - 1]), float(ordered[-rank]))
