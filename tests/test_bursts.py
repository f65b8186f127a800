"""Delay, loss and buffers of bursts: against closed forms that others have found."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ciphermark.answers.capacity import bursts as analysed
from ciphermark.plan.profile import Bursts

ON_OFF = Bursts(
    kind="on-off",
    peak_bits_per_second=10e6,
    mean_on_s=0.01,
    mean_off_s=0.03,
    source="a test",
)
PARETO = Bursts(
    kind="pareto",
    peak_bits_per_second=10e6,
    mean_on_s=0.01,
    mean_bits_per_second=2.5e6,
    shape=1.6,
    source="a test",
)


def test_customers_of_equal_service_wait_as_pollaczek_and_khinchine_say() -> None:
    """M/D/1: the mean wait is ρ/(2(1 − ρ)) services."""
    random = np.random.default_rng(3)
    load, count = 0.7, 2_000_000
    waits = analysed.waits(np.ones(count), random.exponential(1 / load, count))
    assert waits.mean() == pytest.approx(load / (2 * (1 - load)), rel=0.02)


def test_waits_follow_the_recursion_step_by_step() -> None:
    random = np.random.default_rng(4)
    service, gaps = random.exponential(1.0, 50), random.exponential(1.1, 50)
    expected = [0.0]
    for needed, gap in zip(service[:-1], gaps[:-1], strict=True):
        expected.append(max(0.0, expected[-1] + needed - gap))
    assert analysed.waits(service, gaps) == pytest.approx(expected)


@given(
    load=st.floats(0.05, 0.95),
    peak=st.floats(1.05, 20),
    on_s=st.floats(1e-6, 10),
)
@settings(deadline=None)
def test_the_rate_of_decay_is_that_of_one_source(load: float, peak: float, on_s: float) -> None:
    """Anick, Mitra, Sondhi: (c − m)(α + β)/(c(h − c)), for a source of mean m."""
    mean, served = load, 1.0
    source = Bursts(
        kind="on-off",
        peak_bits_per_second=peak,
        mean_on_s=on_s,
        mean_bits_per_second=mean,
        source="a test",
    )
    rates = 1 / on_s + 1 / source.off_s
    expected = (served - mean) * rates / (served * (peak - served))
    assert analysed.decay_per_bit(source, served) == pytest.approx(expected, rel=1e-6)


def test_delays_of_an_on_off_source_are_those_of_its_simulation() -> None:
    served = 4e6
    exact = analysed.figures(ON_OFF, served, buffer_bytes=20_000)
    simulated = analysed._simulated(msgspec.structs.replace(ON_OFF, shape=None), served, 20_000, 5)
    assert exact.method == "closed form" and exact.load == pytest.approx(2.5 / 4)
    for name in ("late_delay_s", "lost"):
        there, here = getattr(simulated, name), getattr(exact, name).value
        assert there.low * 0.98 < here < there.high * 1.02, name


@given(st.floats(0.26, 0.99), st.floats(1e-6, 0.01))
@settings(deadline=None)
def test_the_buffer_loses_what_it_was_made_for(load: float, lost: float) -> None:
    served = 2.5e6 / load
    needed = analysed.buffer_bits(ON_OFF, served, lost)
    assert analysed.lost_share(ON_OFF, served, needed) == pytest.approx(lost, rel=1e-6)


@given(st.floats(0, 1e7), st.floats(0, 1e7))
@settings(deadline=None)
def test_a_larger_buffer_loses_no_more(first: float, second: float) -> None:
    small, large = sorted((first, second))
    lost = [analysed.lost_share(ON_OFF, 3e6, it) for it in (small, large)]
    assert 0 <= lost[1] <= lost[0] <= 0.7


def test_a_buffer_for_hours_of_bursts_loses_nothing() -> None:
    assert analysed.lost_share(ON_OFF, 4e6, 8 * 2.0**30) == 0.0


def test_without_a_buffer_all_above_the_service_is_lost() -> None:
    assert analysed.lost_share(ON_OFF, 4e6, 0) == pytest.approx(0.6)


def test_with_too_much_load_the_excess_is_lost_whatever_the_buffer() -> None:
    """2.5 Mbit/s on average into 2: a fifth is lost."""
    assert analysed.lost_share(ON_OFF, 2e6, 1e12) == pytest.approx(0.2, abs=1e-3)
    overloaded = analysed.figures(ON_OFF, 2e6)
    assert (overloaded.mean_delay_s, overloaded.late_delay_s, overloaded.buffer_bytes) == (
        None,
        None,
        None,
    )


def test_a_balanced_source_has_its_limits() -> None:
    """At a load of 1 the decay is 0, and the formulas tend to polynomials."""
    near = [analysed.lost_share(ON_OFF, 2.5e6 * it, 1e5) for it in (1 - 1e-9, 1, 1 + 1e-9)]
    assert near == pytest.approx([near[1]] * 3, rel=1e-6)


def test_nothing_waits_below_the_service() -> None:
    found = analysed.figures(ON_OFF, 10e6, buffer_bytes=0)
    assert (found.late_delay_s.value, found.buffer_bytes.value, found.lost.value) == (0, 0, 0)


def test_heavy_tails_wait_longer_and_have_no_mean() -> None:
    light = analysed.figures(ON_OFF, 4e6)
    heavy = analysed.figures(PARETO, 4e6)
    assert heavy.method == "simulation" and heavy.mean_delay_s is None
    assert heavy.late_delay_s.low > light.late_delay_s.value
    assert heavy.late_delay_s.low < heavy.late_delay_s.value < heavy.late_delay_s.high
    assert analysed.figures(PARETO, 4e6) == heavy, "seeded"


def test_means_of_pareto_times_are_those_that_were_given() -> None:
    up, down = analysed._steps(PARETO, 4e6, np.random.default_rng(7))
    assert down.mean() == pytest.approx(4e6 * PARETO.off_s, rel=0.01)
    # The mean of such a tail converges slowly; its median is known: x_min · 2^(1/shape).
    shape = PARETO.shape
    least = PARETO.mean_on_s * (shape - 1) / shape
    assert np.median(up) == pytest.approx(6e6 * least * math.exp2(1 / shape), rel=0.01)
