"""Ratios of costs with their intervals, and the smallest effect that could have been seen.

The one rule for compare, studies and advice. All is worked out on logarithms, on which a ratio is a
difference and errors are nearly symmetric. A figure without an interval has a ratio without one,
and that decides nothing.

*Unpaired* figures come from two runs, or from sides with nothing in common. Their interval is put
together from the two order-statistic intervals by the method of variance estimates recovery (Zou
and Donner, Statistics in Medicine 27, 2008): the arms of the difference are the roots of the sums
of the squared arms. An order-statistic interval of few observations has more than 95 % confidence
(97 % with 6 of them, 99 % with 8), so its arms are first scaled by the normal quantiles to 95 %, as
Price and Bonett do for differences of medians (J. Stat. Comput. Simul. 72, 2002). Simulated
coverage is 96 to 99 % for normal, skewed, heavy-tailed and two-peaked observations from 6 to 50. It
was preferred to a bootstrap because medians of 6 to 20 values take so few values when they are
resampled, and because it needs nothing but the row.

*Paired* figures were taken in the same rounds, so that what drifts hits both: the median of the
pairs' log ratios, with its order-statistic interval and what ratios move by from run to run.

*What differs from run to run.* An observation is a worker process, and each run has its own. So
what differs between processes (layout, page colours) and over the time in which they ran is in the
intervals of both runs, and with them in that of their ratio. What all processes of a run share and
those of a run some minutes later do not is there as well (`Rule.reproducibility`); what changes
with another boot is not: a threshold is for that.

*Many ratios.* Of rows that are all the same, 1.5 to 4 % have an interval without 1 in it
(simulated: 6 to 48 observations, five distributions). So who looks at many must ask for more of
each: `surprising` bounds the share of chance among those that are called different. Of 300 rows
that are the same it then calls at most 0.06 % different on average. It goes by `chance`, for which
a distance in standard errors is compared with Student's distribution.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.quantiles import (
    ONE_LOOK,
    Floats,
    estimate_median,
    interval_rank,
    student_quantile,
)

Z_CONFIDENCE = NormalDist().inv_cdf(0.975)
Z_POWER = NormalDist().inv_cdf(0.8)

BY_CHANCE = 0.05
"""Of the ratios that are called different from 1, the share that may be so by chance."""


class Ratio(Estimate, frozen=True):
    """A ratio with its 95 % interval, which is absent where a figure has none.

    `detectable` is the smallest true ratio above 1 that would have been told from 1 with 80 %
    probability, at 5 % two-sided. `chance` is the probability of a ratio as far from 1 or farther
    where the truth is 1.
    """

    detectable: float | None = None
    chance: float | None = None


class OrderStatistics(NamedTuple):
    """What the interval of a median comes from: the ranks that these two tell."""

    observations: int
    """Six at least."""
    tail: Fraction = ONE_LOOK
    """Probability that the interval leaves on either side, at most."""


def is_above(ratio: Estimate, limit: float) -> bool | None:
    """None where the interval leaves it open, or where there is none."""
    if ratio.interval is None or ratio.interval[0] <= limit < ratio.interval[1]:
        return None
    return ratio.value > limit


def is_within(ratio: Estimate, share: float) -> bool | None:
    """Whether a ratio is 1 to within a share; None where the interval leaves it open, or where
    there is none."""
    if ratio.interval is None:
        return None
    low, high = ratio.interval
    if low >= 1 - share and high <= 1 + share:
        return True
    return False if high < 1 - share or low > 1 + share else None


def unpaired_ratio(
    a: Estimate, of_a: OrderStatistics | None, b: Estimate, of_b: OrderStatistics | None
) -> Ratio:
    """Ratio of two independent estimates of positive values.

    `of_a` and `of_b` are what the intervals come from; None where an interval is one of 95 % by
    another rule. Without an interval where one is missing. An interval that reaches
    down to 0 leaves that end open.
    """
    value = a.value / b.value
    if a.interval is None or b.interval is None:
        return Ratio(value)
    below_a, above_a = standard_errors(a.value, a.interval, of_a)
    below_b, above_b = standard_errors(b.value, b.interval, of_b)
    below, above = math.hypot(below_a, above_b), math.hypot(above_a, below_b)
    parts = ((below_a, of_a), (above_b, of_b)) if value > 1 else ((above_a, of_a), (below_b, of_b))
    return Ratio(
        value=value,
        low=value * _exp(-Z_CONFIDENCE * below),
        high=value * _exp(Z_CONFIDENCE * above),
        detectable=_exp((Z_CONFIDENCE + Z_POWER) * (below + above) / 2),
        chance=_chance(value, below if value > 1 else above, _degrees(parts)),
    )


def paired_logs(logs: Floats, reproducibility: float = 0.0) -> Ratio:
    """Ratio of positive values that belong together, by the logarithms of at least six ratios.

    `reproducibility` is what such a ratio moves by from run to run, as a share: half-width of its
    95 % interval.
    """
    median = estimate_median(logs)
    if median is None or median.interval is None:
        raise ValueError(f"{len(logs)} pairs have no interval")
    quantile = interval_quantile(OrderStatistics(len(logs)))
    arms = [abs(end - median.value) for end in median.interval]
    below, above = (math.hypot(arm, reproducibility) for arm in arms)
    moved = reproducibility / Z_CONFIDENCE
    standard_error = math.hypot(sum(arms) / 2 / quantile, moved)
    towards = math.hypot((arms[0] if median.value > 0 else arms[1]) / quantile, moved)
    value = math.exp(median.value)
    return Ratio(
        value,
        math.exp(median.value - below),
        math.exp(median.value + above),
        detectable=math.exp((Z_CONFIDENCE + Z_POWER) * standard_error),
        chance=_chance(value, towards, len(logs) - 1),
    )


def surprising(chances: Sequence[float | None], share: float = BY_CHANCE) -> list[bool]:
    """Which of many ratios are called different from 1.

    Of those that are, at most `share` are expected to be so by chance, however many ratios are the
    same (Benjamini and Hochberg, Journal of the Royal Statistical Society B 57, 1995). What has no
    chance is not called so, and is not counted.
    """
    known = sorted(it for it in chances if it is not None)
    limit = max(
        (it for rank, it in enumerate(known, 1) if it <= share * rank / len(known)), default=-1.0
    )
    return [it is not None and it <= limit for it in chances]


def geometric_mean(ratios: Floats) -> Ratio | None:
    """Mean of the log ratios with Student's interval, each case being one observation.

    It tells what such cases have in common: its interval grows with what the cases differ by. None
    for fewer than two ratios.
    """
    if len(ratios) < 2:
        return None
    logs = np.log(ratios)
    mean = float(np.mean(logs))
    standard_error = float(np.std(logs, ddof=1)) / math.sqrt(len(logs))
    confidence, power = (student_quantile(share, len(logs) - 1) for share in (0.975, 0.8))
    return Ratio(
        value=math.exp(mean),
        low=math.exp(mean - confidence * standard_error),
        high=math.exp(mean + confidence * standard_error),
        detectable=math.exp((confidence + power) * standard_error),
    )


@cache
def interval_quantile(of: OrderStatistics) -> float:
    """The normal quantile of the confidence that the interval of a median really has: with a tail
    of 2.5 % it is 2.15 of six values, and near 1.96 of many."""
    count = of.observations
    rank = interval_rank(count, of.tail)
    if rank is None:
        raise ValueError(f"{count} observations have no interval")
    tail = Fraction(sum(math.comb(count, i) for i in range(rank)), 1 << count)
    return NormalDist().inv_cdf(1 - float(tail))


def standard_errors(
    value: float, interval: tuple[float, float], of: OrderStatistics | None
) -> tuple[float, float]:
    """Standard errors of the logarithm downwards and upwards, from the interval's two arms."""
    quantile = Z_CONFIDENCE if of is None else interval_quantile(of)
    low, middle, high = _log(interval[0]), math.log(value), _log(interval[1])
    return (middle - low) / quantile, (high - middle) / quantile


def _degrees(parts: Sequence[tuple[float, OrderStatistics | None]]) -> float:
    """Degrees of freedom of the sum of two errors, each with what it comes from (Welch, Biometrika
    34, 1947); infinite where that is not known."""
    total = sum(error**2 for error, _ in parts)
    known = sum(error**4 / (of.observations - 1) for error, of in parts if of is not None)
    return total**2 / known if known > 0 else math.inf


def _chance(value: float, standard_error: float, degrees: float) -> float:
    """Two-sided, of a ratio so far from 1; by Student's distribution as Wallace makes it a normal
    one (Annals of Mathematical Statistics 30, 1959), to 2 % of the chance from 4 degrees on."""
    distance = abs(math.log(value))
    if distance == 0 or math.isinf(standard_error):
        return 1.0
    if standard_error == 0:
        return 0.0
    t = distance / standard_error
    if math.isinf(degrees):
        return math.erfc(t / math.sqrt(2))
    z = (8 * degrees + 1) / (8 * degrees + 3) * math.sqrt(degrees * math.log1p(t * t / degrees))
    return math.erfc(z / math.sqrt(2))


def _log(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf


def _exp(value: float) -> float:
    """Of arms as long as those of costs that may be nothing, too."""
    return math.inf if value > 700 else math.exp(value)
