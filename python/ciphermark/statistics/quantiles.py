"""Medians and their intervals, quantiles, and how evenly something is shared out.

Medians are bounded by order statistics, which suppose nothing of the distribution.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
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
    """Median of values in any order; the mean of the middle two when their number is even. There
    must be one, and none that is not a number. On few values it takes a twentieth of np.median."""
    return _middle(np.sort(values).tolist())


def _middle(ordered: list[float]) -> float:
    half = len(ordered) // 2
    if len(ordered) % 2 == 1:
        return ordered[half]
    return (ordered[half - 1] + ordered[half]) / 2


def estimate_median(values: Floats, tail: Fraction = ONE_LOOK) -> Estimate | None:
    """Median and interval of values in any order; None where there are none."""
    if len(values) == 0:
        return None
    ordered = np.sort(values).tolist()
    rank = interval_rank(len(ordered), tail)
    if rank is None:
        return Estimate(_middle(ordered))
    return Estimate(_middle(ordered), ordered[rank - 1], ordered[-rank])


def weighted_quantile(values: Floats, weights: Floats, share: float) -> float:
    """The least value that so great a share of the weight does not exceed; needs a value."""
    # Weights such as thirds add up to a share except their rounding, which numpy takes as it is.
    least = share * (1 - 1e-12)
    return float(np.quantile(values, least, weights=weights, method="inverted_cdf"))


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
    quantile: float = sum(term / degrees**power for power, term in enumerate(terms))
    return quantile


def jain(shares: Sequence[float]) -> float | None:
    """Jain's index of fairness: 1 when all have the same, 1/n when one of n has everything.

    None where nobody has anything. R. Jain, D. Chiu, W. Hawe, "A Quantitative Measure of Fairness
    and Discrimination for Resource Allocation in Shared Computer Systems", DEC-TR-301 (1984).
    """
    values = np.asarray(shares, dtype=np.float64)
    if not values.any():
        return None
    return float(values.sum() ** 2 / (len(values) * np.square(values).sum()))


def spread(values: Sequence[float]) -> float | None:
    """(90th − 10th percentile) / median; None where the median is nothing."""
    if not len(values):
        return None
    low, middle, high = np.percentile(values, (10, 50, 90))
    return float((high - low) / middle) if middle else None
