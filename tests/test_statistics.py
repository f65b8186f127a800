"""Medians, their intervals, and the words for what is missing."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit
from scipy.stats import binom

from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.quantiles import (
    ONE_LOOK,
    SEVERAL_LOOKS,
    estimate_median,
    interval_rank,
    median,
    student_quantile,
)
from ciphermark.statistics.stopping import Missing, Observations, Rule, reason

RULE = Rule(precision=0.01, min_groups=6, min_span_ms=5.0)
BY_PROCESS = Rule(precision=0.01, min_groups=6, min_span_ms=5.0, min_processes=8)
figures = st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=40)


def observations(values: list[float], samples: int = 30, disturbed: int = 0) -> Observations:
    """Groups one millisecond apart, each an observation."""
    groups = np.array(values, dtype=float)
    return Observations(groups, groups, np.arange(len(groups)) * 1_000_000, samples, disturbed)


@pytest.mark.parametrize("tail", [ONE_LOOK, SEVERAL_LOOKS])
@pytest.mark.parametrize("n", [*range(1, 60), 200, 1500])
def test_the_rank_is_the_largest_with_that_confidence(n: int, tail: Fraction) -> None:
    rank = interval_rank(n, tail)
    if rank is None:
        assert n < 6
    else:
        assert binom.cdf(rank - 1, n, 0.5) <= float(tail) < binom.cdf(rank, n, 0.5)


@given(figures)
def test_the_median_is_that_of_numpy(values: list[float]) -> None:
    assert median(np.array(values)) == pytest.approx(np.median(values))


@given(figures, st.randoms())
def test_the_order_of_the_values_does_not_matter(values: list[float], random) -> None:
    shuffled = random.sample(values, len(values))
    assert estimate_median(np.array(shuffled)) == estimate_median(np.array(values))


@given(st.lists(st.floats(-1e9, 1e9), min_size=6, max_size=40))
def test_the_interval_holds_the_estimate(values: list[float]) -> None:
    estimate = estimate_median(np.array(values))
    assert min(values) <= estimate.low <= estimate.value <= estimate.high <= max(values)


def test_fewer_than_six_values_have_no_interval() -> None:
    assert estimate_median(np.array([3.0, 1.0, 2.0, 5.0, 4.0])) == Estimate(3.0)
    assert estimate_median(np.empty(0)) is None


@pytest.mark.parametrize("count", [6, 9, 15, 30])
def test_the_interval_covers_the_true_median(count: int) -> None:
    """Of a skewed distribution too: order statistics suppose nothing about it."""
    random = np.random.default_rng(count)
    true = math.log(2)
    estimates = [estimate_median(random.exponential(size=count)) for _ in range(3000)]
    covered = np.mean([estimate.low <= true <= estimate.high for estimate in estimates])
    assert 0.94 <= covered <= 0.99


@pytest.mark.parametrize("share", [0.8, 0.975])
@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 5, 7, 10, 30, 400])
def test_student_quantiles_are_those_of_scipy(share: float, degrees: int) -> None:
    assert student_quantile(share, degrees) == pytest.approx(stdtrit(degrees, share), rel=2e-3)


@pytest.mark.parametrize(
    ("missing", "observed", "words"),
    [
        (Missing.DISTURBED, observations([1.0] * 6, 50, 31), "62 % of samples disturbed"),
        (Missing.GROUPS, observations([1.0] * 4), "4 of 6 groups"),
        (Missing.INTERVAL, observations([99, 99, 99, 101, 101, 102.6]), "interval ±1.8 %"),
        (
            Missing.HALVES,
            observations([99, 99, 99, 101.4, 101.4, 101.4]),
            "groups disagree by 2.4 %",
        ),
        (Missing.SPAN, observations([1.0] * 4), "groups within 3.0 of 5 ms"),
        (Missing.INTERVAL, observations([-1, -1, -1, 1, 1, 1]), "interval ±1 cycles"),
    ],
)
def test_the_reason_says_how_much(missing: Missing, observed: Observations, words: str) -> None:
    assert reason(missing, observed, RULE) == words


def test_the_reason_is_in_processes_where_they_are_observed() -> None:
    few, apart = observations([1.0] * 4), observations([99, 99, 99, 101.4, 101.4, 101.4])
    wanted = "4 of the 8 processes that an interval needs"
    assert reason(Missing.PROCESSES, few, BY_PROCESS) == wanted
    assert reason(Missing.HALVES, apart, BY_PROCESS) == "processes disagree by 2.4 %"


def test_two_states_are_told_with_their_shares() -> None:
    seen = observations([470.0] * 9 + [914.0] * 6)
    assert seen.missing(BY_PROCESS) is Missing.STATES
    words = "two states: 470 cycles (60 %) and 914 (40 %)"
    assert reason(Missing.STATES, seen, BY_PROCESS) == words


@pytest.mark.parametrize("count", [18, 36, 72])
@pytest.mark.parametrize("spread", [0.002, 0.02])
def test_one_state_is_hardly_ever_taken_for_two(count: int, spread: float) -> None:
    random = np.random.default_rng(count)
    rule = Rule(precision=0.01, min_groups=6, min_span_ms=0, min_processes=6)
    values = random.normal(100, 100 * spread, (1000, count))
    found = sum(observations(list(it)).missing(rule) is Missing.STATES for it in values)
    assert found <= 10


def test_the_reason_names_the_fewest_groups_that_have_an_interval() -> None:
    lax = Rule(precision=0.01, min_groups=2, min_span_ms=0)
    assert reason(Missing.GROUPS, observations([1.0] * 4), lax) == "4 of 6 groups"
