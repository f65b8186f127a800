"""Laws of scaling recover what throughput was made of, and say how sure that is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ciphermark.statistics.scaling_law import Kind, Law, Point, Undetermined, fitted
from scaling_example import ALONE, by_law, points

NOISE = 0.01


@pytest.mark.slow
@given(sigma=st.floats(0, 1), kappa=st.floats(0, 0.1))
@settings(deadline=None, max_examples=50)
def test_a_law_is_recovered(sigma: float, kappa: float) -> None:
    law = fitted("usl", points([1, 2, 4, 8, 16], sigma, kappa))
    assert law.alone.value == pytest.approx(ALONE, rel=1e-6)
    assert law.sigma.value == pytest.approx(sigma, abs=1e-6)
    assert law.kappa.value == pytest.approx(kappa, abs=1e-6)
    assert law.relative_error < 1e-6


@given(
    others=st.lists(st.integers(2, 1000), min_size=3, max_size=5, unique=True),
    throughputs=st.lists(st.floats(1, 1e4), min_size=6, max_size=6),
    kind=st.sampled_from(["amdahl", "usl"]),
)
@settings(deadline=None, max_examples=50)
def test_anything_positive_can_be_fitted(
    others: list[int], throughputs: list[float], kind: Kind
) -> None:
    law = fitted(kind, list(map(Point, [1, *others], throughputs)))
    assert 0 <= law.sigma.low <= law.sigma.value + 1e-9
    assert law.sigma.value - 1e-9 <= law.sigma.high <= 1
    assert law.kappa is None or law.kappa.low <= law.kappa.value <= law.kappa.high
    assert math.isfinite(law.relative_error)
    assert law.throughput(7).low <= law.throughput(7).value <= law.throughput(7).high


def _covered(kind: Kind, numbers: list[int], sigma: float, kappa: float, times: int) -> np.ndarray:
    """How often each interval has the truth in it: of λ, σ, κ and the law's end."""
    random = np.random.default_rng(len(numbers))
    end = numbers[-1]

    def holds(law: Law) -> list[bool]:
        mean = law.throughput(end)
        return [
            law.alone.low <= ALONE <= law.alone.high,
            law.sigma.low <= sigma <= law.sigma.high,
            law.kappa is None or law.kappa.low <= kappa <= law.kappa.high,
            mean.low <= by_law(end, sigma, kappa) <= mean.high,
        ]

    laws = [fitted(kind, points(numbers, sigma, kappa, NOISE, random)) for _ in range(times)]
    return np.mean([holds(law) for law in laws], axis=0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("numbers", "sigma"),
    [
        ([1, 2, 3], 0.0),
        pytest.param([1, 2, 4, 8], 0.05, marks=pytest.mark.deep),
        pytest.param([1, 1, 2, 2], 0.1, marks=pytest.mark.deep),
    ],
)
def test_intervals_of_amdahls_law_cover_the_truth(numbers: list[int], sigma: float) -> None:
    """Also where the truth lies on a bound, and where two numbers were measured twice."""
    assert np.min(_covered("amdahl", numbers, sigma, 0.0, 300)) >= 0.92


@pytest.mark.slow
@pytest.mark.parametrize(
    ("numbers", "sigma", "kappa"),
    [
        ([1, 2, 4, 8, 16], 0.1, 0.0),
        pytest.param([1, 2, 4, 8, 16, 32], 0.05, 0.001, marks=pytest.mark.deep),
        pytest.param([1, 2, 3, 4], 0.05, 0.01, marks=pytest.mark.deep),
    ],
)
def test_intervals_of_the_universal_law_cover_the_truth(
    numbers: list[int], sigma: float, kappa: float
) -> None:
    assert np.min(_covered("usl", numbers, sigma, kappa, 60)) >= 0.9


def test_two_points_tell_sigma_but_not_how_sure_it_is() -> None:
    law = fitted("amdahl", points([1, 2], 0.1))
    assert law.sigma.value == pytest.approx(0.1)
    assert (law.sigma.low, law.sigma.high, law.alone.low) == (None, None, None)
    assert law.throughput(4).low is None
    assert law.throughput(4).value == pytest.approx(by_law(4, 0.1))


def test_what_points_do_not_tell_is_refused() -> None:
    with pytest.raises(Undetermined, match="needs 2 different numbers, and 1 was measured"):
        fitted("amdahl", points([1, 1, 1], 0.1))
    with pytest.raises(Undetermined, match="needs 4 different numbers, and 3 were measured"):
        fitted("usl", points([1, 2, 4, 4, 4], 0.1))
    falling = [Point(number, 1e5 / (number - 1)) for number in (2, 3, 5, 9)]
    with pytest.raises(Undetermined, match="without the throughput at 1"):
        fitted("usl", falling)


def test_more_than_proportional_growth_stays_at_the_bound_and_shows_its_error() -> None:
    measured = [Point(1, 100.0), Point(2, 250.0), Point(4, 600.0), Point(8, 1500.0)]
    law = fitted("usl", measured)
    assert (law.sigma.value, law.kappa.value, law.peak) == (0, 0, None)
    assert law.doubling_gains(0.1) is None
    assert law.largest_residual > 0.1
    assert law.largest_residual_at == 1


def test_the_peak_is_where_the_law_is_highest() -> None:
    law = fitted("usl", points([1, 2, 4, 8, 16, 32, 64], 0.05, 0.001, NOISE))
    around = [law.throughput(law.peak.value * factor).value for factor in (0.99, 1, 1.01)]
    assert max(around) == around[1]
    assert law.peak.low <= math.sqrt(0.95 / 0.001) <= law.peak.high


def test_a_peak_that_may_not_be_has_no_upper_end() -> None:
    law = fitted("usl", points([1, 2, 4, 8], 0.05, 0.002, NOISE, np.random.default_rng(3)))
    assert law.peak.value > 1
    assert (law.kappa.low, law.peak.high) == (0, None)


@pytest.mark.parametrize("kappa", [0.0, 0.002])
@pytest.mark.parametrize("kind", ["amdahl", "usl"])
def test_doubling_gains_the_share_where_it_is_said_to(kind: Kind, kappa: float) -> None:
    law = fitted(kind, points([1, 2, 4, 8, 16], 0.06, kappa))
    knee = law.doubling_gains(0.1)
    assert law.throughput(2 * knee).value / law.throughput(knee).value == pytest.approx(1.1)


def test_all_points_on_the_law_leave_intervals_of_no_width() -> None:
    law = fitted("amdahl", points([1, 2, 4], 0.2))
    assert law.sigma.high - law.sigma.low < 1e-6
