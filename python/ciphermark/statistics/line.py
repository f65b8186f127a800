"""A straight line over message size, or two that meet at a measured size, and how uncertain they
are.

Two things make a and b of a + b·n uncertain, and they are distinguished. The *noise* of a point is
known: its own 95 % interval. What is left is *lack of fit*: blocks, lanes and caches do not cost
what a line says. It is taken as a scatter τ around the line, relative as people read costs, the
same at all sizes, and estimated so that the weighted squares come out as large as their degrees of
freedom (Paule and Mandel, Journal of Research of the National Bureau of Standards 87, 1982). Each
point weighs 1 / (σ² + τ²), σ being its noise, 0.1 % at least so that no single point draws the line
to itself.

Where the distances are no larger than the noise makes them, τ is 0 and a and b have normal
intervals; else Student's, with as many degrees of freedom as there are points beyond the line's
parameters. One degree of freedom tells next to nothing of τ: with fewer than two, which is with
fewer than four points, there is no interval.

Two lines are fitted from five points on, where one is off by more than 3 % somewhere and two leave
a quarter of its τ at most. They meet at the measured size that fits best; it counts as a parameter.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.quantiles import Floats, student_quantile

FEWEST_FOR_TWO = 5
OFF_BY = 0.03
"""One line that is off by no more than this at any point is good enough."""

LEFT_BY_TWO = 0.25
"""Two lines leave at most this share of the lack of fit of one."""

LEAST_NOISE = 0.001
"""Of a point, as a share."""

NORMAL = 1.96
_STEPS = 50


class Line(NamedTuple):
    """a + b·n with 95 % intervals, in the unit of the values; from `start` on."""

    fixed: Estimate
    """a. The interval is absent with fewer than two degrees of freedom."""
    slope: Estimate
    """b, likewise."""
    start: float
    """The smallest point, or where this line meets the one below it."""

    @property
    def a(self) -> float:
        return self.fixed.value

    @property
    def b(self) -> float:
        return self.slope.value


class Fit(NamedTuple):
    """One line over all points, or two that meet."""

    lines: list[Line]
    """By their start, ascending."""
    residuals: Floats
    """Distance of each point from its line, in its unit."""


def fitted(sizes: Floats, values: Floats, units: Floats, errors: Floats) -> Line:
    """One line with the least sum of squared distances, each counted in the unit of its point.

    `errors` are half-widths of the points' 95 % intervals, in the same units. Needs two sizes, in
    ascending order.
    """
    return _one(sizes, values, units, errors)[0].lines[0]


def pieces(sizes: Floats, values: Floats, units: Floats, errors: Floats) -> Fit:
    """The same, or two lines where these fit far better."""
    one, lack = _one(sizes, values, units, errors)
    if len(sizes) < FEWEST_FOR_TWO or one.residuals.max() <= OFF_BY:
        return one
    found = (_two(sizes, values, units, errors, knot) for knot in sizes[1:-1])
    two, left = min(found, key=lambda it: it[1])
    return two if left <= LEFT_BY_TWO * lack else one


def _one(sizes: Floats, values: Floats, units: Floats, errors: Floats) -> tuple[Fit, float]:
    """With τ."""
    terms = np.column_stack([np.ones_like(sizes), sizes])
    found = _Solved(terms / units[:, None], values / units, errors, len(sizes) - 2)
    line = Line(found.estimate([1, 0]), found.estimate([0, 1]), float(sizes[0]))
    return Fit([line], np.abs(found.residuals)), found.lack


def _two(
    sizes: Floats, values: Floats, units: Floats, errors: Floats, knot: float
) -> tuple[Fit, float]:
    terms = np.column_stack([np.ones_like(sizes), sizes, np.maximum(sizes - knot, 0)])
    found = _Solved(terms / units[:, None], values / units, errors, len(sizes) - 4)
    lower = Line(found.estimate([1, 0, 0]), found.estimate([0, 1, 0]), float(sizes[0]))
    upper = Line(found.estimate([1, 0, -knot]), found.estimate([0, 1, 1]), float(knot))
    return Fit([lower, upper], np.abs(found.residuals)), found.lack


class _Solved:
    """Least squares of points with noise and lack of fit, in their own units."""

    def __init__(self, terms: Floats, points: Floats, errors: Floats, degrees: int) -> None:
        noise = np.maximum(errors / NORMAL, LEAST_NOISE) ** 2
        variance = _scatter(terms, points, noise, degrees)
        roots = np.sqrt(1 / (noise + variance))
        solve = np.linalg.pinv(terms * roots[:, None]) * roots
        self._found = solve @ points
        self.residuals = terms @ self._found - points
        self.lack = math.sqrt(variance)
        self._covariance = (solve * (noise + variance)) @ solve.T
        self._quantile = None
        if degrees > 1:
            self._quantile = student_quantile(0.975, degrees) if self.lack else NORMAL

    def estimate(self, parts: list[float]) -> Estimate:
        """A sum of the parameters, each so many times."""
        value = float(np.dot(parts, self._found))
        if self._quantile is None:
            return Estimate(value)
        half = self._quantile * math.sqrt(max(np.dot(parts, self._covariance @ parts), 0.0))
        return Estimate.around(value, half)


def _scatter(terms: Floats, points: Floats, noise: Floats, degrees: int) -> float:
    """τ²: with it the weighted squares are as large as their degrees of freedom; 0 where they are
    no larger without, and where there are none.

    What no choice of the parameters changes are as many sums of the points as there are points
    beyond the parameters. They are chosen so that their noise, of variances λ, is independent: the
    squares are Σ c / (λ + τ²), c being the squares of these sums.
    """
    if degrees < 1:
        return 0.0
    beyond = np.linalg.qr(terms, mode="complete")[0][:, terms.shape[1] :]
    known, axes = np.linalg.eigh((beyond.T * noise) @ beyond)
    parts = np.square((beyond @ axes).T @ points)
    variance = 0.0
    for _ in range(_STEPS):
        spread = known + variance
        squares = float(np.sum(parts / spread))
        if squares <= degrees * (1 + 1e-9):
            break
        # Newton's step for 1 / squares, which never overshoots: it is a harmonic mean of lines.
        slope = float(np.sum(parts / np.square(spread)))
        variance += squares * (squares / degrees - 1) / slope
    return variance
