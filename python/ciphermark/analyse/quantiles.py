"""Quantiles of values that do not all count the same."""

from __future__ import annotations

import numpy as np

from ciphermark.analyse.statistics import Floats


def weighted_quantile(values: Floats, weights: Floats, share: float) -> float:
    """The least value that so great a share of the weight does not exceed; needs a value."""
    order = np.argsort(values)
    reached = np.cumsum(weights[order])
    place = int(np.searchsorted(reached, share * reached[-1] * (1 - 1e-12)))
    return float(values[order][min(place, len(order) - 1)])
