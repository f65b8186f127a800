"""Answers of capacity: against figures computed by hand, and properties that hold for all."""

from __future__ import annotations

import math

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capacity_example import CBC, FLAT, GCM, HZ, known, line, question, row, rows, source
from ciphermark.answers.capacity.answer import Answer, Known, Question, Unanswered, answer
from ciphermark.answers.capacity.show import best, summary
from ciphermark.plan.profile import Bursts
from ciphermark.workloads.loaded import CoreRate
from row_example import timed_row

SEAL = rows(GCM, "seal", line(500, 0.5))  # 1000 bytes: 1000 cycles, 500 ns, 2 M packets/s
OPEN = rows(GCM, "open", line(1000, 1.0))
SETUP = [row(GCM, "setup", 4000.0)]
MEASURED = known(source([*SEAL, *OPEN, *SETUP]))


def asked(found: Known = MEASURED, name: str = GCM, **fields: object) -> Answer:
    given_profile = fields.pop("profile", FLAT)
    got = answer(name, question(given_profile, **fields), found)
    assert isinstance(got, Answer), got
    return got


def test_one_core_carries_its_clock_over_the_cost() -> None:
    got = asked()
    assert got.payload_bits_per_second == pytest.approx(16e9)
    assert got.packets_per_second == pytest.approx(2e6)
    assert got.low < 16e9 < got.high
    assert got.cores_per_gbit.value == pytest.approx(1 / 16)
    # 20 + 8 + 8 + 1004 + 16 bytes and 38 of Ethernet.
    assert got.wire_bits_per_second == pytest.approx(2e6 * 8 * (1056 + 38))
    assert (got.basis, got.operations, got.provider) == ("sizes", ["seal"], "openssl")
    assert got.cores_used == pytest.approx(1)


def test_both_ways_share_the_core() -> None:
    got = asked(both_ways=True)
    assert got.operations == ["seal", "open"]
    assert got.payload_bits_per_second == pytest.approx(16e9 / 3)


def test_a_cost_that_may_be_next_to_nothing_bounds_no_number_of_tunnels() -> None:
    vague = [
        timed_row(n, 1000.0, 1.5, HZ, algorithm=GCM, operation="seal", samples=100)
        for n in (64, 1000)
    ]
    found = known(source(vague))
    got = asked(found, cores=2, rate_bits_per_second=3e9)
    assert (got.held.tunnels_low, got.held.tunnels, got.held.tunnels_high) == (3, 10, None)
    linked = asked(found, cores=2, rate_bits_per_second=3e8, link_bits_per_second=1e9).held
    assert linked.tunnels_high == 3
    assert any("(at least 3)" in words for _, words in summary(got))


def test_what_is_kept_free_is_not_used() -> None:
    got = asked(keep_free=0.2, cores=4)
    assert got.payload_bits_per_second == pytest.approx(0.8 * 4 * 16e9)
    assert got.cores_used == pytest.approx(3.2)


def test_a_tunnel_has_one_core_at_most() -> None:
    got = asked(cores=8, tunnels=3)
    assert got.payload_bits_per_second == pytest.approx(3 * 16e9)
    assert got.flow.value == pytest.approx(16e9)
    assert got.limit == "cores: one for each tunnel"
    assert asked(cores=8, tunnels=9).payload_bits_per_second == pytest.approx(8 * 16e9)


def test_a_link_ends_it_with_all_its_bytes() -> None:
    got = asked(link_bits_per_second=1e9)
    assert got.limit == "link"
    assert got.payload_bits_per_second == pytest.approx(1e9 * 1000 / 1094)
    assert got.wire_bits_per_second == pytest.approx(1e9)
    assert got.cores_used == pytest.approx(got.payload_bits_per_second / 16e9)
    assert got.low == got.high == got.payload_bits_per_second


def test_a_rate_takes_its_share_of_a_core() -> None:
    held = asked(cores=2, rate_bits_per_second=3e9).held
    assert held.cpu_share.value == pytest.approx(3 / 16)
    assert (held.tunnels, held.limit) == (10, "cores"), "5 on each core, none across two"
    assert asked(rate_bits_per_second=17e9).held.tunnels == 0
    linked = asked(cores=2, rate_bits_per_second=3e8, link_bits_per_second=1e9).held
    assert (linked.tunnels, linked.limit) == (3, "link")


def test_what_is_asked_for_is_answered() -> None:
    got = asked(all_rate_bits_per_second=4e9).demand
    assert got.cores.value == pytest.approx(4 / 16)
    assert (got.enough, got.of_link, got.rate_bits_per_second) == (True, False, 4e9)
    assert asked(all_rate_bits_per_second=16e9).demand.enough is None, "within the interval"
    assert asked(all_rate_bits_per_second=20e9).demand.enough is False
    assert asked(cores=2, all_rate_bits_per_second=20e9).demand.enough is True
    beyond = asked(cores=2, all_rate_bits_per_second=20e9, link_bits_per_second=1e9).demand
    assert beyond.enough is False, "the link ends it"
    link = asked(link_bits_per_second=1e9).demand
    assert (link.of_link, link.enough) == (True, True)
    assert link.rate_bits_per_second == pytest.approx(1e9 * 1000 / 1094)
    assert asked().demand is None


def test_a_tunnel_that_no_core_holds_is_not_carried_by_two() -> None:
    got = asked(cores=4, tunnels=2, rate_bits_per_second=17e9)
    assert got.demand.enough is False


def test_what_many_keys_cost_has_an_amount() -> None:
    many = rows(GCM, "seal", line(750, 0.75), keys=1000)
    here = known(source([*SEAL, *many, *rows(CBC, "seal", line(900, 1.0))]))
    own = asked(here, tunnels=500)
    assert (own.keys, own.many_keys.keys, own.lacks_keys) == (1000, 1000, False)
    assert own.many_keys.more == pytest.approx(0.5)
    assert own.payload_bits_per_second == pytest.approx(16e9 / 1.5)
    other = asked(here, CBC, tunnels=500)
    assert (other.keys, other.lacks_keys, other.many_keys.suite) == (1, True, GCM)
    assert any("50 % more than with one" in note for note in other.notes)
    assert best([own, other]) is own, "figures with one key leave something out"
    alone = asked(tunnels=500)
    assert alone.many_keys is None and alone.lacks_keys
    assert any("--keys 1,500" in note for note in alone.notes)


def test_tunnels_are_not_headlined_by_connections() -> None:
    tunnel = asked()
    tls = msgspec.structs.replace(tunnel, suite="tls13:aes-128-gcm", payload_bits_per_second=1e12)
    assert best([tls, tunnel]) is tunnel
    assert best([tls]) is tls


@pytest.mark.parametrize(
    ("a", "b", "limit"),
    [(1500.0, 0.1, "fixed cost per packet"), (50.0, 2.0, "bytes")],
)
def test_the_larger_part_of_the_cost_limits(a: float, b: float, limit: str) -> None:
    got = asked(known(source(rows(GCM, "seal", line(a, b)))))
    assert got.limit == limit
    assert got.fixed_share == pytest.approx(a / (a + 1000 * b), rel=1e-6)


def test_memory_limits_where_streams_cost_twice() -> None:
    streamed = rows(GCM, "seal", {64: 3000.0, 1500: 5000.0}, buffers="stream")
    got = asked(known(source([*SEAL, *streamed])))
    assert got.limit == "memory bandwidth"
    assert got.memory_bits_per_second < got.payload_bits_per_second / 2
    assert asked().memory_bits_per_second is None
    assert any("memory" in it for it in asked().notes)


def test_the_profiles_own_row_comes_first() -> None:
    own = row(GCM, "seal", 700.0, profile="imix")
    lengths = {"imix": [40] * 7 + [576] * 4 + [1500]}
    got = asked(known(source([*SEAL, own], lengths=lengths)), profile="imix")
    assert (got.basis, got.packets_per_second) == ("profile", pytest.approx(HZ / 700))
    other = known(source([*SEAL, own], lengths={"imix": [40]}))
    assert asked(other, profile="imix").basis == "sizes", "another mix of that name"


def test_a_mix_alone_does_not_tell_what_its_bytes_cost() -> None:
    own = row(GCM, "seal", 700.0, profile="imix")
    alone = source([own], lengths={"imix": [40] * 7 + [576] * 4 + [1500]})
    got = asked(known(alone), profile="imix")
    assert (got.limit, got.fixed_share) == ("cores", None)
    beside = asked(known(alone, source(SEAL)), profile="imix")
    assert beside.basis == "profile" and beside.limit == "fixed cost per packet"


def test_a_mix_is_less_sure_than_a_size() -> None:
    """1.28 bits of entropy: so many branches of 16 cycles that are foretold wrongly."""
    got = asked(profile="imix")
    mean = 500 + 0.5 * got.mean_packet_bytes
    assert got.ns_per_packet.value == pytest.approx((mean + 16 * 1.28) / HZ * 1e9, rel=1e-3)
    assert got.ns_per_packet.half > 20 * math.sqrt(1.28) / HZ * 1e9


def test_the_fastest_implementation_answers() -> None:
    slower = rows(GCM, "seal", line(5000, 5), provider="nettle")
    assert asked(known(source([*slower, *SEAL]))).provider == "openssl"
    # Who cannot open is no tunnel's end.
    only_seals = rows(GCM, "seal", line(1, 0.001), provider="half")
    found = known(source([*only_seals, *SEAL, *OPEN]))
    assert asked(found).provider == "half"
    assert asked(found, both_ways=True).provider == "openssl"


def test_the_suite_as_a_whole_comes_before_its_parts() -> None:
    whole = rows(CBC, "seal", line(2000, 2))
    parts = [
        *rows("aes-128-cbc", "encrypt", line(100, 1)),
        *rows("hmac-sha1", "mac", line(300, 2)),
    ]
    both = asked(known(source(parts), source(whole)), CBC)
    assert (both.basis, both.packets_per_second) == ("sizes", pytest.approx(HZ / 4000))
    added = asked(known(source(parts)), CBC)
    # 16·ceil(1002/16) = 1008 bytes encrypted; 24 more under the MAC.
    assert added.packets_per_second == pytest.approx(HZ / (100 + 1008 + 300 + 2 * 1032))
    assert added.basis == "parts" and added.ns_per_packet.share > 0.25
    assert any("measured separately" in it for it in added.notes)


def test_what_another_program_measured_has_a_wider_interval() -> None:
    times = rows(GCM, "seal", line(500, 0.5), cycles_per_message=None, core_hz=None)
    got = asked(known(source(times, kind="imported")))
    assert got.basis == "imported"
    assert got.payload_bits_per_second == pytest.approx(16e9)
    # Two sizes, each ±10 %, and as much again for what lies between them.
    assert 0.05 < got.ns_per_packet.share < 0.2
    assert any("not verified" in it for it in got.notes)


def test_an_interval_that_is_assumed_is_said() -> None:
    unsettled = rows(GCM, "seal", line(500, 0.5))
    for each in unsettled:
        each.cycles_per_message_low = each.cycles_per_message_high = None
    got = asked(known(source(unsettled)))
    assert any("±10 % is assumed" in note and "--budget 5m" in note for note in got.notes)
    assert not any("is assumed" in note for note in asked().notes)


def test_what_was_never_measured_says_what_to_type() -> None:
    got = answer("esp:chacha20-poly1305", question(), MEASURED)
    assert isinstance(got, Unanswered)
    assert got.reason.endswith("ciphermark esp --suites esp:chacha20-poly1305")
    plain = answer("sha256", question(), MEASURED)
    assert isinstance(plain, Unanswered) and "survey --algorithms sha256" in plain.reason


def test_keys_are_priced_in() -> None:
    """10^9 packets under a key: at 2 M packets/s 500 s; a set-up of 2 µs each on two cores."""
    got = asked(cores=2, tunnels=2)
    assert got.key.seconds == pytest.approx(500)
    assert got.key.cpu_share == pytest.approx(2 / 500 * 2e-6)
    slow = asked(rate_bits_per_second=8e3)
    assert slow.key.seconds == pytest.approx(1e9), "a packet of 1000 bytes a second"


def test_keys_that_last_too_short_are_warned_of() -> None:
    """2^26 blocks of 8 bytes at 8 Gbit/s: half a second."""
    idea = known(source(rows("idea-ecb", "encrypt", line(2000, 0))))
    got = asked(idea, "idea-ecb", rate_bits_per_second=8e9)
    assert got.key.seconds == pytest.approx(2**29 / 1e9)
    assert any("idea-ecb lasts 0.54 s" in it for it in got.notes)
    assert not any("lasts" in it for it in asked().notes)


def test_a_short_packet_fits_and_a_long_one_is_counted() -> None:
    got = asked(profile="imix")
    assert got.on_wire.fragmented_share == pytest.approx(1 / 12)
    assert got.on_wire.largest_bytes == 1446
    assert asked(profile="imix", mtu_bytes=1600).on_wire.fragmented_share == 0


def test_two_libraries_answer_where_none_was_measured_at_both() -> None:
    opens = rows(GCM, "open", line(1000, 1.0), provider="nettle")
    got = asked(known(source([*SEAL, *opens])), both_ways=True)
    assert got.provider == "openssl + nettle"
    assert got.packets_per_second == pytest.approx(HZ / 3000)


BURSTS = Bursts(
    kind="on-off",
    peak_bits_per_second=32e9,
    mean_on_s=0.01,
    mean_bits_per_second=8e9,
    source="a test",
)
BURSTY = msgspec.structs.replace(FLAT, bursts=BURSTS)


def test_bursts_are_served_at_the_tunnels_share() -> None:
    assert asked(profile=BURSTY).bursts is None, "not asked for"
    got = asked(profile=BURSTY, buffer_bytes=1e6)
    assert got.bursts.served_bits_per_second == pytest.approx(16e9)
    assert 0 < got.bursts.lost.value < 0.5
    higher = asked(profile=BURSTY, buffer_bytes=1e6, peak_bits_per_second=64e9)
    assert higher.bursts.lost.value > got.bursts.lost.value
    half = asked(profile=BURSTY, buffer_bytes=1e6, tunnels=2)
    assert half.bursts.served_bits_per_second == pytest.approx(8e9)


def test_cores_that_were_not_measured_are_said_to_be_assumed() -> None:
    got = asked(cores=4)
    assert any("not to disturb each other" in it for it in got.notes)
    assert got.low < 0.9 * got.payload_bits_per_second
    assert "here has 8 CPUs, and --cores asks for 9" in asked(cores=9).notes
    rates = [
        CoreRate(what=(GCM, "seal", "openssl", 64), cores=cores, per_second=1e6 * more)
        for cores, more in ((1, 1.0), (4, 3.0))
    ]
    measured = asked(known(source(SEAL), rates=rates), cores=4)
    assert measured.payload_bits_per_second == pytest.approx(3 * 16e9)
    assert measured.speed_up.basis == "measured"


questions = st.fixed_dictionaries(
    {
        "cores": st.integers(1, 64),
        "tunnels": st.none() | st.integers(1, 10_000),
        "keep_free": st.floats(0, 0.95),
        "rate_bits_per_second": st.none() | st.floats(1e3, 1e11),
        "link_bits_per_second": st.none() | st.floats(1e6, 1e12),
        "both_ways": st.booleans(),
        "profile": st.sampled_from(["imix", "voip", "tls-16k", "imix:aabd"]),
    }
)


@given(questions)
@settings(deadline=None)
def test_answers_hang_together(asked_for: dict[str, object]) -> None:
    cpus = 64
    got = asked(msgspec.structs.replace(known(source([*SEAL, *OPEN]), cpus=cpus)), **asked_for)
    assert 0 < got.low <= got.payload_bits_per_second <= got.high
    assert got.packets_low <= got.packets_per_second <= got.packets_high
    payload = 8 * got.mean_packet_bytes * got.packets_per_second
    assert got.payload_bits_per_second == pytest.approx(payload)
    assert got.cores_used <= got.cores * (1 - got.keep_free) * 1.0001
    assert got.wire_bits_per_second >= got.payload_bits_per_second
    link = asked_for["link_bits_per_second"]
    assert link is None or got.wire_bits_per_second <= link * 1.0001
    if got.held is not None:
        assert got.held.tunnels_low <= got.held.tunnels <= got.held.tunnels_high
        held = got.held.tunnels * got.held.rate_bits_per_second
        assert link is not None or held <= got.flow.value * got.speed_up.factor.value * 1.0001


def test_a_question_has_rates_in_bits_per_second() -> None:
    """Names carry units, so that nobody takes one for another."""
    rates = [
        it for it in Question.__struct_fields__ if it.split("_")[0] in ("rate", "link", "peak")
    ]
    assert rates and all(it.endswith("_bits_per_second") for it in rates)
