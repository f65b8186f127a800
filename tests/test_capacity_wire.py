"""Bytes on the wire, fragments, keys and several cores."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capacity_example import SUITES
from ciphermark import contract
from ciphermark.answers.capacity import keys
from ciphermark.answers.capacity.framing import fragments, on_wire, wire_bytes
from ciphermark.plan.profile import Part, Profile
from ciphermark.statistics.estimate import Estimate
from ciphermark.workloads.loaded import CoreRate, speed_up, whole_tunnels

GCM, CBC = (it.suite for it in SUITES)


def sized(*sizes: int) -> Profile:
    return Profile("sizes", "", tuple(Part(bytes=it, weight=1) for it in sizes), layer="ip")


@pytest.mark.parametrize(
    ("suite", "payload", "wire"),
    [
        # RFC 4303 and RFC 3602: 20 + 8 + 16 + 16·ceil((64 + 2)/16) + 12.
        (CBC, 64, 136),
        (CBC, 1500, 1560),
        # RFC 4106: 20 + 8 + 8 + 4·ceil((64 + 2)/4) + 16.
        (GCM, 64, 120),
        (GCM, 1446, 1500),
    ],
)
def test_wire_bytes_are_as_counted_by_hand(suite: contract.Suite, payload: int, wire: int) -> None:
    assert wire_bytes(suite.framing, payload) == wire


def test_ethernet_adds_38_bytes_and_fills_up_to_46() -> None:
    found = on_wire(GCM, sized(1446), 1500)
    assert (found.packet_bytes, found.link_bytes) == (1500, 1538)
    radio = msgspec.structs.replace(
        GCM,
        protocol="pdcp",
        framing=contract.Framing(
            outer_bytes=0, header_bytes=3, iv_bytes=0, trailer_bytes=0, pad_to=1, icv_bytes=4
        ),
    )
    assert on_wire(radio, sized(20), 1500).link_bytes == 27
    macsec = msgspec.structs.replace(
        radio, protocol="macsec", framing=msgspec.structs.replace(radio.framing, trailer_bytes=2)
    )
    assert on_wire(macsec, sized(10), 1500).link_bytes == 46 + 38
    assert on_wire(macsec, sized(100), 1500).link_bytes == 3 + 102 + 4 - 2 + 38


def test_records_travel_in_full_segments() -> None:
    tls = msgspec.structs.replace(
        GCM,
        protocol="tls13",
        framing=contract.Framing(
            outer_bytes=0, header_bytes=5, iv_bytes=0, trailer_bytes=1, pad_to=1, icv_bytes=16
        ),
    )
    found = on_wire(tls, sized(14_600 - 22), 1500)
    assert found.link_bytes == pytest.approx(10 * 1538)
    assert (found.fragmented_share, found.largest_bytes) == (0, None)


def test_what_does_not_fit_is_counted() -> None:
    found = on_wire(GCM, sized(100, 1446, 1447, 1500), 1500)
    assert (found.fragmented_share, found.largest_bytes) == (0.5, 1446)


@given(st.integers(0, 20_000), st.integers(68, 9000))
@settings(deadline=None)
def test_fragments_carry_everything_and_fit(packet: int, mtu: int) -> None:
    found = fragments(packet, mtu)
    assert max(found) <= mtu
    assert sum(found) - 20 * (len(found) - 1) == packet
    assert all((it - 20) % 8 == 0 for it in found[:-1])


def test_a_key_lasts_until_its_first_limit() -> None:
    limits = [
        keys.Limit(packets=1e9, reason="a", source="a"),
        keys.Limit(bytes=1e10, seconds=500, reason="b", source="b"),
    ]
    by_packets = keys.life(limits, 1e7, 1e7, 10, Estimate.exact(2000))
    assert (by_packets.seconds, by_packets.limit.reason) == (100, "a")
    assert by_packets.rekeys_per_second == 0.1
    assert by_packets.cpu_share == pytest.approx(0.1 * 2e-6)
    assert keys.life(limits, 1e6, 1e9, 1, None).seconds == 10
    assert keys.life(limits, 1.0, 1.0, 1, None).seconds == 500
    assert keys.life(limits, 1e6, 1e9, 1, None).hurried and not by_packets.hurried
    assert keys.life([], 1.0, 1.0, 1, None) is None


@pytest.mark.parametrize(
    ("name", "amount"),
    [
        ("idea-ecb", 2**29),  # 2^26 blocks of 8 bytes
        ("kasumi-ecb", 2**29),
        ("aes-128-gcm", 2**32),
        ("uea1", 2**32),
        ("eia3", 2**32),
    ],
)
def test_plain_algorithms_have_the_limits_of_their_standards(name: str, amount: float) -> None:
    [limit] = keys.limits(name, None)
    assert amount in (limit.packets, limit.bytes)


def test_without_a_limit_nothing_is_said() -> None:
    assert keys.limits("aes-128-cbc", None) == []


def rates(algorithm: str, per_second: dict[int, float], size: int = 64) -> list[CoreRate]:
    return [
        CoreRate(what=(algorithm, "seal", "openssl", size), cores=cores, per_second=it)
        for cores, it in per_second.items()
    ]


def test_a_measured_speed_up_is_taken() -> None:
    found = speed_up(2, rates("a", {1: 100, 2: 180}) + rates("a", {1: 10, 2: 19}, 99), ["a"], 8)
    assert (found.basis, found.factor.value) == ("measured", pytest.approx(1.85))
    assert (found.factor.low, found.factor.high) == (1.8, 1.9)


def test_beyond_what_was_measured_the_interval_is_wide() -> None:
    found = speed_up(4, rates("a", {1: 100, 2: 180}), ["a"], 8)
    assert (found.basis, found.factor.value) == ("extrapolated", pytest.approx(3.4))
    assert found.factor.low < 2.3 and found.factor.high == 4


def test_without_a_measurement_cores_are_assumed_alike_and_threads_not() -> None:
    found = speed_up(4, [], ["a"], 4)
    assert (found.basis, found.factor.value, found.factor.low) == ("assumed", 4, 3.25)
    siblings = speed_up(8, [], ["a"], 4)
    assert siblings.factor.value == 5 and siblings.factor.low == 3.25
    assert speed_up(1, [], ["a"], 4).factor == Estimate.exact(1)


def test_parts_tell_where_the_suite_was_not_measured() -> None:
    found = speed_up(2, rates("cipher", {1: 100, 2: 150}), ["suite", "cipher"], 8)
    assert found.factor.value == 1.5


@given(st.integers(1, 1000), st.floats(1e-3, 1e9))
@settings(deadline=None)
def test_what_fits_exactly_is_held(tunnels: int, rate: float) -> None:
    assert whole_tunnels(tunnels * rate, rate) == tunnels
