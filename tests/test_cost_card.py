"""The cost card recovers what it should, and says how wrong it may be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ciphermark.analyse.models.cost_card import CostCard, cost_cards
from ciphermark.analyse.row import Row
from ciphermark.analyse.rows import rows
from ciphermark.record import contract
from synthetic import COSTS, synthetic_run

SIZES = (16, 64, 256, 1024, 1500, 16384)


def a_row(
    message_bytes: int | None, cycles: float | None, half: float = 0.0, **changes: Any
) -> Row:
    """A row with an interval of ± `half`, a share."""
    facts: dict[str, Any] = dict(
        case=0,
        algorithm="sha256",
        operation="digest",
        provider="openssl",
        backend="shani",
        workload="single",
        pattern="reused-key",
        offload="none",
        lanes=1,
        keys=1,
        buffers="hot",
        switches={},
        message_bytes=message_bytes,
        cycles_per_message=cycles,
        cycles_per_message_low=None if cycles is None else cycles * (1 - half),
        cycles_per_message_high=None if cycles is None else cycles * (1 + half),
        converged=True,
        cycle_source="calibrated",
        backend_evidence="reported",
        agrees_with=[],
    )
    return Row(**facts | changes)


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
    assert card.a == pytest.approx(a, rel=1e-6)
    assert card.b == pytest.approx(b, rel=1e-6)
    assert card.largest_residual < 1e-9
    assert card.sizes == sorted(sizes)
    assert card.piecewise is None


@pytest.mark.parametrize("count", [2, 3, 6])
def test_intervals_cover_the_truth(count: int) -> None:
    """Rows that scatter as their intervals say, over all sizes and over as few as two."""
    random = np.random.default_rng(count)
    a, b, half = 600.0, 0.7, 0.02
    covered = []
    for _ in range(600):
        sizes = SIZES[-count:] if count > 2 else (64, 16384)
        errors = random.normal(0, half / 1.96, count)
        cycles = {n: (a + b * n) * (1 + e) for n, e in zip(sizes, errors, strict=True)}
        card = card_of(cycles, half)
        low, _, high = card.predict(4096)
        covered.append(
            (
                card.a_low <= a <= card.a_high,
                card.b_low <= b <= card.b_high,
                low <= a + b * 4096 <= high,
            )
        )
    assert np.min(np.mean(covered, axis=0)) >= 0.93


def test_intervals_cover_the_truth_when_rows_know_nothing_of_their_error() -> None:
    """Then the scatter around the line is all there is to tell."""
    random = np.random.default_rng(7)
    cards = [
        card_of({n: (600 + 0.7 * n) * (1 + random.normal(0, 0.02)) for n in SIZES})
        for _ in range(600)
    ]
    assert np.mean([card.a_low <= 600 <= card.a_high for card in cards]) >= 0.93
    assert np.mean([card.b_low <= 0.7 <= card.b_high for card in cards]) >= 0.93


def test_a_row_is_predicted_as_well_as_the_line_misses() -> None:
    """A new size of a function that goes in steps lies within the interval nineteen times in 20."""

    def in_steps(n: int) -> float:
        return 300 + 120 * ((n + 72) // 64)

    card = card_of({n: in_steps(n) for n in SIZES})
    sizes = range(20, 8000)
    predictions = [card.predict(n) for n in sizes]
    inside = [p.low <= in_steps(n) <= p.high for n, p in zip(sizes, predictions, strict=True)]
    assert np.mean(inside) >= 0.95


def test_the_interval_is_never_narrower_than_the_rows() -> None:
    rough, exact = card_of({64: 650.0, 1024: 1300.0}, 0.01), card_of({64: 650.0, 1024: 1300.0})
    assert (exact.a_high - exact.a_low, exact.b_high - exact.b_low) == (0, 0)
    assert rough.predict(64).high == pytest.approx(650 * 1.01)
    assert rough.predict(1024).low == pytest.approx(1300 * 0.99)
    assert rough.scatter == 0


def test_the_worst_size_is_named_when_the_line_is_not_straight() -> None:
    card = card_of({64: 500, 256: 560, 1024: 1100, 4096: 2400, 16384: 9000})
    assert card.largest_residual > 0.1
    assert card.largest_residual_bytes == 1024
    assert card.median_residual < card.largest_residual
    assert f"{100 * card.largest_residual:.0f} % at 1024 bytes" in card.piecewise


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


def test_a_card_has_converged_when_all_its_rows_have() -> None:
    unsettled = a_row(1024, 1500.0, 0.05, converged=False)
    assert cost_cards([a_row(64, 500.0), a_row(256, 700.0)])[0].converged
    assert not cost_cards([a_row(64, 500.0), unsettled])[0].converged


def test_a_run_gives_the_costs_that_it_was_made_of() -> None:
    cards = cost_cards(rows(synthetic_run(rounds=12, seed=2)))
    assert len(cards) == 8
    covered = []
    for card in cards:
        a, b = COSTS[card.algorithm, card.operation][card.provider]
        assert card.a == pytest.approx(a, rel=0.05)
        assert card.b == pytest.approx(b, rel=0.02)
        covered += [card.a_low <= a <= card.a_high, card.b_low <= b <= card.b_high]
    assert sum(covered) >= 14  # of 16 intervals of 95 %
