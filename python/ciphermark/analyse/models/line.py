"""A straight line over message size, and how uncertain it is.

Two things make a and b of a + b·n uncertain: the points' own errors, and that they do not lie on
one line (blocks, lanes, caches). Each point is taken to be off by the larger of its error and t·s,
s being the relative scatter of the fit with m − 2 degrees of freedom and t Student's 97.5 %
quantile for them. With its weights held, least squares is linear in the points, so these
half-widths e go through it as H = P·diag(e²)·Pᵀ, P being the matrix that turns points into (a, b).
That is never narrower than what a parametric bootstrap of the points' intervals would give, nor
than the usual t-interval. With two points there is no scatter to see, and only the first part is
left.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ciphermark.analyse.statistics import Estimate, Floats, student_quantile


class Line(NamedTuple):
    """a + b·n with its uncertainty; a and b are in the unit of the values."""

    a: float
    b: float
    scatter: float
    """t·s: 95 % half-width of what the line misses, in units of each point; 0 with two points."""
    h: Floats
    """H, from which the interval of the line at any size follows."""
    residuals: Floats
    """Distance of each point from the line, in its unit."""

    def fixed(self) -> Estimate:
        """a with its 95 % interval."""
        return _around(self.a, self.h[0, 0])

    def slope(self) -> Estimate:
        """b with its 95 % interval."""
        return _around(self.b, self.h[1, 1])


def fitted(sizes: Floats, values: Floats, units: Floats, errors: Floats) -> Line:
    """The line with the least sum of squared distances, each counted in the unit of its point.

    `errors` are half-widths of the points' 95 % intervals, in the same units. Needs two sizes.
    """
    solve = np.linalg.pinv(np.column_stack([1 / units, sizes / units]))
    a, b = solve @ (values / units)
    residuals = np.abs((a + b * sizes - values) / units)
    scatter = _scatter(residuals)
    h = (solve * np.maximum(errors, scatter) ** 2) @ solve.T
    return Line(float(a), float(b), scatter, h, residuals)


def _around(value: float, variance: float) -> Estimate:
    half = math.sqrt(variance)
    return Estimate(value, value - half, value + half)


def _scatter(residuals: Floats) -> float:
    """t·s of the residuals around a line; 0 where two points leave none."""
    degrees = len(residuals) - 2
    if degrees == 0:
        return 0.0
    return student_quantile(0.975, degrees) * float(np.sqrt(np.sum(residuals**2) / degrees))
