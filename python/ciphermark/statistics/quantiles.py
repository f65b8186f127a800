"""Quantiles of Student's distribution, and of values that do not all count the same."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from ciphermark.statistics.median import Floats


def weighted_quantile(values: Floats, weights: Floats, share: float) -> float:
    """The least value that so great a share of the weight does not exceed; needs a value."""
    order = np.argsort(values)
    reached = np.cumsum(weights[order])
    place = int(np.searchsorted(reached, share * reached[-1] * (1 - 1e-12)))
    return float(values[order][min(place, len(order) - 1)])


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
