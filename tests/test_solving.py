"""Small numerical problems against known solutions and SciPy's."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

from ciphermark.statistics.solving import nonnegative_least_squares, root


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(3, 12))
def test_weights_are_as_good_as_those_of_scipy(seed: int, columns: int, rows: int) -> None:
    random = np.random.default_rng(seed)
    matrix, wanted = random.normal(size=(rows, columns)), random.normal(size=rows)
    weights = nonnegative_least_squares(matrix, wanted)
    assert np.all(weights >= 0)
    assert weights == pytest.approx(nnls(matrix, wanted)[0], rel=1e-9, abs=1e-9)


def test_weights_that_would_be_negative_are_zero() -> None:
    matrix = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert nonnegative_least_squares(matrix, np.array([3.0, -2.0])).tolist() == [3.0, 0.0]
    assert nonnegative_least_squares(matrix, np.array([-3.0, -2.0])).tolist() == [0.0, 0.0]


def test_columns_that_say_the_same_share_a_weight() -> None:
    matrix = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    weights = nonnegative_least_squares(matrix, np.array([1.0, 2.0, 3.0]))
    assert sum(weights) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("function", "below", "above", "known"),
    [
        (lambda x: x**2 - 2, 0.0, 2.0, math.sqrt(2)),
        (lambda x: 2 - x**2, 2.0, 0.0, math.sqrt(2)),
        (lambda x: math.exp(20 * x) - math.e, 0.0, 1.0, 0.05),
        (lambda x: x - 1e-9, 0.0, 1.0, 1e-9),
        (lambda x: x - 0.5, 0.0, 1.0, 0.5),
        (lambda x: min(4.0, x - 0.001), 1e-6, 1e4, 0.001),
    ],
)
def test_a_root_is_found(
    function: Callable[[float], float], below: float, above: float, known: float
) -> None:
    assert root(function, below, above, 1e-2) == pytest.approx(known, rel=1e-3)


@given(st.floats(0.01, 0.99), st.floats(0.1, 30))
def test_a_root_of_what_only_rises_is_found(known: float, steep: float) -> None:
    def rising(x: float) -> float:
        return math.expm1(steep * (x - known))

    assert root(rising, 0.0, 1.0, 1e-2) == pytest.approx(known, rel=1e-3)
