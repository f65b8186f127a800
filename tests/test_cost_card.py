"""The cost card recovers what it should, and says how wrong it may be."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ciphermark import contract
from ciphermark.workloads.single.cost_card import CostCard, cost_cards, remark
from ciphermark.workloads.single.rows import rows
from row_example import a_row
from synthetic import COSTS, synthetic_cases, synthetic_run

SIZES = (16, 64, 256, 1024, 1500, 16384)


def card_of(cycles: dict[int, float], half: float = 0.0) -> CostCard:
    (card,) = cost_cards([a_row(size, value, half) for size, value in cycles.items()])
    return card


@given(
    a=st.floats(1, 1e5),
    b=st.floats(1e-3, 1e3),
    sizes=st.lists(st.integers(0, 2**30), min_size=2, max_size=9, unique=True),
)
def test_a_straight_line_is_recovered(a: float, b: float, sizes: list[int]) -> None:
    # What is a billionth of every figure cannot be seen in them.
    assume(a > 1e-6 * b * min(sizes))
    assume(b * max(sizes) > 1e-6 * a)
    card = card_of({size: a + b * size for size in sizes})
    (line,) = card.lines
    assert line.a == pytest.approx(a, rel=1e-6)
    assert line.b == pytest.approx(b, rel=1e-6)
    assert card.largest_residual < 1e-9
    assert card.sizes == sorted(sizes)
    assert not card.is_curved


def covered(count: int, noise: float, lack: float) -> tuple[float, float]:
    """Shares of the intervals of a and of b that hold the truth, of rows whose intervals tell their
    noise; what the line misses comes on top."""
    random = np.random.default_rng([count, round(1e4 * noise), round(1e4 * lack)])
    a, b, sizes = 600.0, 0.7, SIZES[-count:]
    found = []
    for _ in range(600):
        off = random.normal(0, noise, count) + random.normal(0, lack, count)
        card = card_of(
            {n: (a + b * n) * (1 + e) for n, e in zip(sizes, off, strict=True)}, 2 * noise
        )
        if len(card.lines) == 1:
            fixed, slope = card.long.fixed, card.long.slope
            found.append((fixed.low <= a <= fixed.high, slope.low <= b <= slope.high))
    assert len(found) > 0.9 * 600
    return tuple(np.mean(found, axis=0))


FEW = ((4, 0.01, 0.0), (5, 0.0, 0.01), (6, 0.003, 0.01))
"""Sizes, noise and lack: noise alone, what the line misses alone, and both."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "noise", "lack"),
    [
        *FEW,
        *(
            pytest.param(*case, marks=pytest.mark.deep)
            for case in product((4, 5, 6), (0.0, 0.003, 0.01), (0.0, 0.002, 0.01, 0.05))
            if any(case[1:]) and case not in FEW
        ),
    ],
)
def test_intervals_cover_the_truth(count: int, noise: float, lack: float) -> None:
    """Whatever is noise of the rows, and whatever the line misses."""
    assert min(covered(count, noise, lack)) >= 0.9


@pytest.mark.parametrize("count", [2, 3])
def test_fewer_than_four_sizes_tell_no_interval(count: int) -> None:
    card = card_of({n: 600 + 0.7 * n for n in SIZES[-count:]}, 0.01)
    assert (tuple(card.long.fixed), tuple(card.long.slope)) == (
        (pytest.approx(600), None, None),
        (pytest.approx(0.7), None, None),
    )


def test_a_row_that_is_sure_draws_the_line_to_itself() -> None:
    rows = [a_row(n, 600 + 0.7 * n, 0.002) for n in SIZES]
    rows[2] = a_row(256, 1.2 * (600 + 0.7 * 256), 0.4)
    (card,) = cost_cards(rows)
    assert card.long.a == pytest.approx(600, rel=0.01)


def overlapping(n: int) -> float:
    """Short messages hide behind each other up to 256 bytes."""
    return 100 + 2 * n if n <= 256 else 612 + 0.5 * (n - 256)


def test_two_lines_meet_at_a_measured_size() -> None:
    card = card_of({n: overlapping(n) for n in SIZES}, 0.005)
    short, long = card.lines
    assert (short.start, long.start) == (16, 256)
    assert (short.a, short.b) == pytest.approx((100, 2))
    assert (long.a, long.b) == pytest.approx((612 - 128, 0.5))
    assert short.fixed.low < 100 < short.fixed.high
    assert long.slope.low < 0.5 < long.slope.high
    assert not card.is_curved


def test_four_sizes_have_one_line() -> None:
    card = card_of({n: overlapping(n) for n in SIZES[1:5]}, 0.005)
    assert len(card.lines) == 1
    assert card.largest_residual > 0.03


@pytest.mark.slow
@pytest.mark.parametrize("times", [100, pytest.param(400, marks=pytest.mark.deep)])
def test_two_lines_are_seldom_seen_where_there_is_one(times: int) -> None:
    random = np.random.default_rng(5)
    cards = [
        card_of({n: (600 + 0.7 * n) * (1 + random.normal(0, 0.03)) for n in SIZES}, 0.005)
        for _ in range(times)
    ]
    assert sum(len(card.lines) > 1 for card in cards) < 0.05 * times


def test_two_lines_are_no_interval_of_one_degree_of_freedom() -> None:
    card = card_of({n: overlapping(n) for n in SIZES[:5]}, 0.005)
    assert [line.fixed.low for line in card.lines] == [None, None]


def test_the_worst_size_is_named_when_the_line_is_not_straight() -> None:
    card = card_of({64: 500, 256: 900, 1024: 1100, 4096: 4400, 16384: 9000})
    assert card.largest_residual > 0.1
    worst = f"{100 * card.largest_residual:.0f} % at {card.largest_residual_bytes} bytes"
    assert card.is_curved and worst in remark(card)


def test_what_cannot_be_fitted_is_left_out() -> None:
    failure = contract.Failure(kind="failed", message="no")
    setup = [a_row(None, 400.0, operation="setup"), a_row(None, 410.0, operation="setup")]
    one_size = [
        a_row(64, 500.0),
        a_row(256, None, error=failure),
        a_row(512, 700.0, cycles_per_message_low=None, cycles_per_message_high=None),
        a_row(1024, -3.0),
    ]
    assert cost_cards(setup) == []
    assert cost_cards(one_size) == []
    assert cost_cards([*one_size, a_row(2048, 2000.0)])[0].sizes == [64, 2048]


def test_each_way_of_calling_has_its_card() -> None:
    masked = {"OPENSSL_ia32cap": "0"}
    ways: list[dict[str, Any]] = [
        {},
        {"provider": "rustcrypto"},
        {"backend": "portable"},
        {"operation": "mac"},
        {"switches": masked},
        {"lanes": 8},
    ]
    cards = cost_cards([a_row(n, 500.0 + n, **way) for n in (1024, 64) for way in ways])
    assert len(cards) == len(ways)
    assert [card.switches for card in cards if card.switches] == [masked]
    assert all(card.sizes == [64, 1024] for card in cards)


def test_a_run_gives_the_costs_that_it_was_made_of() -> None:
    cards = cost_cards(rows(synthetic_run(synthetic_cases(sizes=SIZES), rounds=12, seed=2)))
    assert len(cards) == 8
    held = []
    for card in cards:
        a, b = COSTS[card.algorithm, card.operation][card.provider]
        fixed, slope = card.long.fixed, card.long.slope
        assert fixed.value == pytest.approx(a, rel=0.05)
        assert slope.value == pytest.approx(b, rel=0.02)
        held += [fixed.low <= a <= fixed.high, slope.low <= b <= slope.high]
    assert sum(held) >= 14  # of 16 intervals of 95 %
