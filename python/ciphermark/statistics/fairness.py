"""How evenly something is shared out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


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
