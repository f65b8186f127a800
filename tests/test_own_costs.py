"""Costs at sizes that were not simulated: by blocks, with intervals that hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ciphermark.answers.models.block_model import Blocks, passes_of
from ciphermark.answers.models.own_costs import by_blocks
from ciphermark.contract.others import SimulatedCase
from ciphermark.run.engine import Engine
from ciphermark.run.targets import simulation
from ciphermark.run.targets.target import FOLDER, read


@pytest.mark.parametrize(
    ("algorithm", "known", "size", "cycles", "error"),
    [
        # On a Cortex-M0: a started block costs a whole one, and padding fits into the last one.
        ("cmac-aes-128", {16: 10_320, 32: 20_219, 64: 39_620}, 51, 39_730, 0.01),
        ("hmac-sha256", {16: 21_651, 32: 21_575, 64: 31_140}, 51, 21_446, 0.01),
        ("chacha20-poly1305", {16: 23_797, 32: 26_643, 64: 31_363}, 51, 32_258, 0.05),
        ("ascon-aead128", {16: 9_051, 32: 11_293, 64: 15_777}, 51, 13_583, 0.02),
        ("siphash-2-4-64", {16: 2_575, 32: 3_417, 64: 5_101}, 51, 4_296, 0.05),
        ("rc4-128", {16: 1_240, 64: 2_728}, 51, 2_325, 0.01),
    ],
)
def test_cost_follows_blocks(
    algorithm: str, known: dict[int, float], size: int, cycles: float, error: float
) -> None:
    found = by_blocks(known, passes_of(algorithm, "reference"), size)
    assert found is not None and found.low <= cycles <= found.high
    assert found.cycles == pytest.approx(cycles, rel=error)
    assert found.high - found.low < 0.5 * cycles


def test_of_one_size_both_extremes_are_possible() -> None:
    """Four blocks cost as much as one, or four times as much."""
    found = by_blocks({16: 1000.0}, [Blocks(128, tail=0)], 64)
    assert found == (2500, 1000, 4000)


def test_sizes_of_as_many_blocks_tell_little_of_more() -> None:
    found = by_blocks({8: 100.0, 40: 100.0}, [Blocks(512, tail=0)], 65)
    assert found is not None and (found.low, found.high) == pytest.approx((100, 200))


def test_an_empty_message_tells_nothing_of_blocks() -> None:
    assert by_blocks({0: 100.0}, [Blocks(128)], 16) is None


def test_figures_that_no_blocks_explain_widen_the_interval() -> None:
    straight, bent = ({8: 20.0, 16: 30.0, 24: 40.0, 64: last} for last in (90.0, 200.0))
    narrow, wide = (by_blocks(it, [Blocks(64, tail=0)], 40) for it in (straight, bent))
    assert narrow is not None and wide is not None
    assert narrow.high - narrow.low < 1e-9 < 10 < wide.high - wide.low


@given(
    st.floats(0, 1e5),
    st.floats(10, 1e5),
    st.sampled_from([8, 16, 64]),
    st.integers(0, 9),
    st.dictionaries(st.integers(1, 300), st.floats(0, 1), min_size=1, max_size=5),
    st.integers(1, 400),
    st.floats(0, 1),
)
@example(0.0, 10.0, 8, 0, {2: 1.0, 9: 0.0}, 1, 0.0)
def test_intervals_hold_whatever_lies_within_a_block(
    fixed: float,
    price: float,
    block_bytes: int,
    padding_bytes: int,
    sizes: dict[int, float],
    wanted: int,
    within: float,
) -> None:
    blocks = Blocks(8 * block_bytes, padding_bytes)

    def cost(size: int, share: float) -> float:
        return fixed + price * (blocks.number(size, "padded") + blocks.tail * share)

    found = by_blocks({size: cost(size, it) for size, it in sizes.items()}, [blocks], wanted)
    truth = cost(wanted, sizes.get(wanted, within))
    assert found is not None
    assert found.low * (1 - 1e-9) <= truth <= found.high * (1 + 1e-9)


@pytest.mark.targets
@pytest.mark.deep
@pytest.mark.parametrize("name", ["cortex-m0", "atmega128"])
def test_simulated_costs_lie_in_the_intervals(
    name: str, engine: Engine, shared_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(shared_cache))
    algorithms = {"cmac-aes-128": "mac", "hmac-sha256": "mac", "ascon-aead128": "seal"}
    cases = [
        SimulatedCase(target=name, algorithm=algorithm, operation=operation, message_bytes=size)
        for algorithm, operation in algorithms.items()
        for size in sorted({16, 32, 64, *range(1, 128, 7)})
    ]
    facts = {it.name: it for it in engine.describe().algorithms}
    questions = engine.questions(sorted(algorithms))
    target = read(FOLDER / f"{name}.toml")
    found = simulation.simulate([target], cases, facts, questions, lambda *_: None)
    if found.targets[0].reason:
        pytest.skip(found.targets[0].reason)
    costs: dict[str, dict[int, float]] = {}
    for it in found.simulations:
        assert it.error is None and it.value is not None and it.case.message_bytes is not None
        costs.setdefault(it.case.algorithm, {})[it.case.message_bytes] = it.value
    for algorithm, of_sizes in costs.items():
        known = {size: of_sizes[size] for size in (16, 32, 64)}
        for size, cost in of_sizes.items():
            bounds = by_blocks(known, passes_of(algorithm, "reference"), size)
            assert bounds is not None and bounds.low <= cost <= bounds.high, (algorithm, size)
