"""What packets of a mix cost, from single sizes, and how sure that is."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capacity_example import HZ, line, row, rows
from ciphermark.answers.capacity.packet_cost import (
    PacketCost,
    candidates,
    operations,
    together,
)
from ciphermark.answers.capacity.size_costs import (
    BLOCK_BYTES,
    UNKNOWN_SHARE,
    SizeCost,
    SizeCosts,
    entropy_bits,
    mixing,
)
from ciphermark.plan import profiles
from ciphermark.statistics.estimate import Estimate, total

finite = st.floats(0.1, 1e6)


def costs(measured: dict[int, float], share: float = 0.01) -> SizeCosts:
    return SizeCosts(SizeCost(n, Estimate.of_cost(it, share * it)) for n, it in measured.items())


@given(finite, finite, st.floats(0.01, 100))
@settings(deadline=None)
def test_a_rate_has_the_ends_of_the_cost_turned_round(value: float, half: float, n: float) -> None:
    cost = Estimate.of_cost(value, min(half, 0.9 * value))
    rate = cost.under(Estimate.exact(n))
    assert (rate.low, rate.high) == pytest.approx((n / cost.high, n / cost.low))
    assert rate.low <= rate.value <= rate.high


@given(st.lists(st.tuples(finite, st.floats(0, 0.5)), min_size=1, max_size=6))
@settings(deadline=None)
def test_independent_errors_add_in_squares(parts: list[tuple[float, float]]) -> None:
    found = total(Estimate.of_cost(value, share * value) for value, share in parts)
    assert found.value == pytest.approx(sum(value for value, _ in parts))
    half = math.sqrt(sum((share * value) ** 2 for value, share in parts))
    assert found.high - found.value == pytest.approx(half, abs=1e-9)


def test_a_mix_of_measured_sizes_is_their_weighted_mean() -> None:
    [imix] = profiles.from_option("imix")
    found = costs({40: 120.0, 576: 300.0, 1500: 900.0}).mean(imix.weighted())
    assert found.value == pytest.approx((7 * 120 + 4 * 300 + 900) / 12)
    half = 0.01 * math.hypot(7 * 120, 4 * 300, 900) / 12
    assert found.high - found.value == pytest.approx(half)


@given(a=finite, b=st.floats(0.001, 10), length=st.integers(40, 1500))
@settings(deadline=None)
def test_on_a_line_every_size_is_known(a: float, b: float, length: int) -> None:
    found = costs(line(a, b)).at(length)
    assert found.value == pytest.approx(a + b * length)
    own = 0.0101 * (a + b * length)
    assert found.half <= math.hypot(own, b * BLOCK_BYTES * (length not in line(a, b)))


@given(a=finite, b=st.floats(0.001, 10))
@settings(deadline=None)
def test_the_fixed_cost_of_a_line_is_its_intercept(a: float, b: float) -> None:
    assert costs(line(a, b)).fixed() == pytest.approx(a, rel=1e-6, abs=1e-6)


def test_steps_between_sizes_widen_the_interval() -> None:
    """Blocks of 512 bytes: the line between two sizes is off by up to half a step."""

    def stepped(n: int) -> float:
        return 100.0 * -(-n // 512)

    measured = costs({n: stepped(n) for n in (64, 512, 1000, 1600, 2048, 3000)})
    lengths = range(64, 3000)
    found = {n: measured.at(n) for n in lengths}
    assert sum(it.low <= stepped(n) <= it.high for n, it in found.items()) > 0.9 * len(lengths)


def test_beyond_the_sizes_the_interval_grows() -> None:
    measured = costs({16: 100.0, 64: 130.0, 256: 190.0, 1024: 700.0})
    inside, outside, far = (measured.at(it).share for it in (1000, 1500, 16_384))
    assert inside < outside < far
    assert measured.at(4).value == 100.0
    assert not measured.covers([(1500, 1.0)]) and measured.covers([(16, 0.5), (1024, 0.5)])


def test_of_one_size_nothing_is_known_about_others() -> None:
    measured = costs({64: 100.0})
    assert measured.at(64).share == pytest.approx(0.01)
    assert measured.fixed() is None
    for length in (0, 16, 63, 128, 1500):
        ns = measured.at(length)
        for all_fixed_or_none in (100.0, 100.0 * length / 64):
            assert ns.low <= all_fixed_or_none <= ns.high, length
        assert ns.half >= UNKNOWN_SHARE * 100


def test_lengths_of_one_gap_err_together() -> None:
    measured = costs({0: 100.0, 500: 260.0, 1000: 300.0}, share=0.0)
    apart = measured.mean([(250, 0.5), (750, 0.5)]).half
    together = measured.mean([(250, 0.5), (251, 0.5)]).half
    assert together == pytest.approx((measured.at(250).half + measured.at(251).half) / 2)
    assert apart == pytest.approx(
        math.hypot(measured.at(250).half, measured.at(750).half) / 2, rel=1e-6
    )


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=200))
@settings(deadline=None)
def test_a_mix_costs_no_more_bits_than_its_lengths_tell(weights: list[int]) -> None:
    shares = [it / sum(weights) for it in weights]
    bits = entropy_bits(shares)
    assert -1e-9 <= bits <= math.log2(len(weights)) + 1e-9
    alone = Estimate.of_cost(1000.0, 1.0)
    mixed = mixing(alone, list(enumerate(shares)), HZ)
    assert mixed.value - 1000 <= 16 * min(bits, 6) / HZ * 1e9 + 1e-6
    assert mixed.half >= alone.half


def test_one_length_is_foretold() -> None:
    alone = Estimate.of_cost(1000.0, 1.0)
    assert mixing(alone, [(64, 1.0)], HZ) == alone
    assert entropy_bits([0.25] * 4) == 2


def test_without_a_clock_a_mix_is_only_less_sure() -> None:
    mixed = mixing(Estimate.of_cost(1000.0, 1.0), [(64, 0.5), (65, 0.5)], None)
    assert mixed.value == 1000 and mixed.half > 20


def test_costs_are_times_at_the_clock_of_the_run() -> None:
    found = rows("aes-128-gcm", "seal", {64: 200.0})
    drifted = rows("aes-128-gcm", "seal", {1500: 2000.0}, core_hz=1.5 * HZ)
    one = candidates([*found, *found, *drifted], "aes-128-gcm")[0]
    assert one.hz == HZ
    assert one.costs("seal").at(64).value == pytest.approx(100)
    assert one.costs("seal").at(1500).value == pytest.approx(1000)


def test_of_several_runs_the_first_that_has_a_size_stands() -> None:
    newer = rows("aes-128-gcm", "seal", {64: 200.0})
    older = rows("aes-128-gcm", "seal", {64: 300.0, 1500: 2000.0})
    [one] = candidates([*newer, *older], "aes-128-gcm")
    measured = [(it.message_bytes, it.ns.value) for it in one.costs("seal").measured]
    assert measured == [(64, pytest.approx(100)), (1500, pytest.approx(1000))]


def test_what_is_not_one_message_in_the_usual_way_is_left_out() -> None:
    usual = rows("aes-128-gcm", "seal", {64: 200.0})
    others: list[dict[str, object]] = [
        {"lanes": 8, "keys": 8},
        {"pattern": "rekeyed"},
        {"offload": "cores"},
        {"switches": {"OPENSSL_ia32cap": "0"}},
        {"buffers": "cold"},
    ]
    unusual = [
        row("aes-128-gcm", "seal", 1.0, message_bytes=64, provider="odd", **it) for it in others
    ]
    assert [it.provider for it in candidates([*unusual, *usual], "aes-128-gcm")] == ["openssl"]


def test_rows_with_about_as_many_keys_as_tunnels_are_taken() -> None:
    few = rows("aes-128-gcm", "seal", {64: 200.0})
    many = rows("aes-128-gcm", "seal", {64: 500.0}, keys=1000)
    ns = {
        tunnels: candidates([*few, *many], "aes-128-gcm", tunnels)[0].costs("seal").at(64).value
        for tunnels in (1, 20, 40, 100_000)
    }
    assert ns == pytest.approx({1: 100, 20: 100, 40: 250, 100_000: 250})


@pytest.mark.parametrize(
    ("there", "both", "expected"),
    [
        (["setup", "open", "seal"], True, ["seal", "open"]),
        (["open", "seal"], False, ["seal"]),
        (["encrypt", "decrypt"], True, ["encrypt", "decrypt"]),
        (["mac"], True, []),
        (["mac"], False, ["mac"]),
        (["digest"], True, ["digest", "digest"]),
        (["setup"], False, []),
    ],
)
def test_what_is_done_to_a_packet(there: list[str], both: bool, expected: list[str]) -> None:
    assert operations(there, both) == expected


def part(ns: float, fixed_share: float | None, provider: str) -> PacketCost:
    return PacketCost(
        ns=Estimate.exact(ns),
        own=Estimate.exact(ns),
        basis="sizes",
        operations=["mac"],
        provider=provider,
        backend="default",
        fixed_share=fixed_share,
        setup_ns=None,
        streamed_ns=None,
        keys=1,
    )


def test_the_fixed_share_of_several_parts_is_that_of_their_cost() -> None:
    both = together([part(100, 0.9, "openssl"), part(300, 0.1, "nettle")])
    assert both.fixed_share == pytest.approx((90 + 30) / 400)
    assert (both.ns.value, both.provider) == (400, "openssl + nettle")
    assert together([part(100, 0.9, "openssl"), part(300, None, "nettle")]).fixed_share is None
