"""Small numerical problems: least squares with weights that are not negative, and roots."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

from ciphermark.statistics.quantiles import Floats


def nonnegative_least_squares(matrix: Floats, wanted: Floats) -> Floats:
    """Returns the weights x ≥ 0 that minimize |matrix x − wanted|, of a few columns.

    The best weights are the unconstrained best of the columns that have a weight above 0, so the
    subsets of columns are tried, all of them first (C. L. Lawson and R. J. Hanson, Solving Least
    Squares Problems, Prentice-Hall 1974, chapter 23).
    """
    columns = range(matrix.shape[1])
    best = np.zeros(len(columns))
    least = float(wanted @ wanted)
    every: Floats = np.linalg.lstsq(matrix, wanted, rcond=None)[0].astype(float)
    if every.min() >= 0:
        return every
    for count in columns[1:]:
        for kept in map(list, combinations(columns, count)):
            found = np.linalg.lstsq(matrix[:, kept], wanted, rcond=None)[0]
            distance = matrix[:, kept] @ found - wanted
            if found.min() >= 0 and (squares := float(distance @ distance)) < least:
                least, best = squares, np.zeros(len(columns))
                best[kept] = found
    return best


LEAST_STRETCH = 1e-12
"""Length of a stretch whose places are one."""


def root(function: Callable[[float], float], below: float, above: float, within: float) -> float:
    """Returns where a function is 0, between a place where it is negative and one where it is not.

    By halving the stretch until it is shorter than the share `within` of the place, and by a
    straight line over the rest: slower than methods that bend, and as sure for every function.
    """
    at_below, at_above = function(below), function(above)
    while abs(above - below) > max(within * abs(above), LEAST_STRETCH):
        middle = (below + above) / 2
        at_middle = function(middle)
        if at_middle < 0:
            below, at_below = middle, at_middle
        else:
            above, at_above = middle, at_middle
    return below - at_below * (above - below) / (at_above - at_below)
