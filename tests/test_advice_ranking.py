"""Which is best, what is a tie, what would change it, and where a hidden feature helps."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import pytest

from advice_example import CORE_HZ, SIZES, known, row, rows
from ciphermark.answers.advice import uses as advice
from ciphermark.answers.advice import words
from ciphermark.answers.advice.advise import Advice, advise
from ciphermark.answers.advice.candidates import Candidate
from ciphermark.answers.advice.facts import facts as facts_of
from ciphermark.answers.advice.faster_paths import faster_paths
from ciphermark.answers.advice.ranking import Load, Question, Ranked, cheapest, ranking, same
from ciphermark.answers.advice.show import facts as screen
from ciphermark.answers.advice.show import headline
from ciphermark.answers.advice.uses import Wishes
from ciphermark.answers.capacity.answer import NOTHING, Known, Machine, Source
from ciphermark.answers.capacity.packet_cost import USUAL_ERROR
from ciphermark.answers.capacity.suite_costs import FROM_PARTS, from_parts, one_size, whole
from ciphermark.answers.protocols import nodes
from ciphermark.errors import UsageError
from ciphermark.statistics.estimate import Estimate
from ciphermark.workloads.single.row import Row
from survey_example import facts

IPSEC = advice.USES.named("ipsec")
IMIX = advice.traffic(IPSEC, "imix", None)
MEAN_BYTES = (7 * 40 + 4 * 576 + 1500) / 12
MIXED_CYCLES = 16 * sum(share * math.log2(1 / share) for share in (7 / 12, 4 / 12, 1 / 12))
"""What an operation of a mix takes beyond its bytes: 16 cycles for each bit that lengths tell."""


def load(sizes: int | None = None, **options: object) -> Load:
    traffic = IMIX if sizes is None else advice.traffic(IPSEC, None, str(sizes))
    asked = {"both_ways": True, "by": "throughput", "profile": None}
    return Load(traffic, **(asked | options))


def question(**options: object) -> Question:
    machine = Machine(name="here", cpus=2, physical_cores=2)
    asked = {
        "use": IPSEC,
        "load": load(),
        "wishes": Wishes(),
        "known": Known(machine=machine, sources=[], parts_error=USUAL_ERROR, facts=known()),
    }
    return Question(**(asked | options))


def advised(found: Sequence[Row] | None = None, **options: object) -> Advice:
    return advise(question(**options), known(), rows() if found is None else found)


def plain(costs: dict[str, tuple[float, float]], half: float | None = 0.01) -> list[Candidate]:
    """Candidates that cost a + b·bytes both ways, with intervals of this half-width."""
    found = []
    for name, (fixed, slope) in costs.items():
        figures = [
            row(name, operation, size, fixed + slope * size, half=half)
            for operation in ("seal", "open")
            for size in SIZES
        ]
        it = facts_of(name, IPSEC, {name: facts(name)})
        assert it is not None
        found.append(Candidate(it, tuple(whole(figures, name))))
    return found


def names(ranked: Sequence[Ranked]) -> list[str]:
    return [it.facts.name for it in ranked]


def test_the_cheapest_at_the_mix_comes_first_with_its_rate() -> None:
    it = advised(payload_bits_per_second=1e9)
    assert names(it.ranking)[0] == "esp:aes-128-gcm"
    cycles = (600 + 640) + 2 * 0.5 * MEAN_BYTES + 2 * MIXED_CYCLES
    # 40 bytes are below the sizes around them by the line; 576 and 1500 were measured.
    assert it.ranking[0].packet_ns.value == pytest.approx(cycles / CORE_HZ * 1e9, rel=1e-6)
    assert it.carried is not None and it.carried.cpu_share is not None
    per_second = CORE_HZ / cycles
    assert it.carried.bits_per_second.value == pytest.approx(8 * MEAN_BYTES * per_second, rel=1e-6)
    packets = 1e9 / 8 / MEAN_BYTES
    assert it.carried.cpu_share.value == pytest.approx(packets / per_second, rel=1e-6)
    assert it.carried.holds is True


def test_a_full_line_carries_the_protocol_too() -> None:
    """On Ethernet a packet of ESP with AES-GCM has 20 + 8 + 8 + 16 bytes and 38 of Ethernet around
    what is padded to 4: 40 bytes become 44, 576 become 580, 1500 become 1504 and need two packets,
    of 1500 bytes and of 76."""
    it = advised(link_bits_per_second=1e9)
    around, ethernet = 20 + 8 + 8 + 16, 38
    wire = (
        7 * (44 + around + ethernet) + 4 * (580 + around + ethernet) + (1500 + 76 + 2 * ethernet)
    ) / 12
    assert it.carried is not None
    assert it.carried.rate_bits_per_second == pytest.approx(1e9 * MEAN_BYTES / wire, rel=1e-9)


def test_a_library_that_only_sends_is_not_taken_for_both_ways() -> None:
    figures = [
        row("aes-128-gcm", operation, size, cost * size, provider=provider)
        for provider, cost, operations in (
            ("ipsec-mb", 0.5, ("seal",)),
            ("openssl", 1.0, ("seal", "open")),
        )
        for operation in operations
        for size in SIZES
    ]
    it = facts_of("aes-128-gcm", IPSEC, {"aes-128-gcm": facts("aes-128-gcm")})
    assert it is not None
    found = [Candidate(it, tuple(whole(figures, "aes-128-gcm")))]
    (both,) = ranking(found, load(1024))
    assert (both.cost.provider, both.others) == ("openssl", [])
    (sent,) = ranking(found, load(1024, both_ways=False))
    assert sent.cost.provider == "ipsec-mb"


def one_way(name: str, cost: float, *operations: str) -> list[Row]:
    """Figures of a suite of ESP in the directions that are named: so many cycles a byte."""
    return [
        row(f"esp:{name}", operation, size, 500 + cost * size)
        for operation in operations
        for size in SIZES
    ]


def test_what_was_measured_both_ways_comes_before_what_only_sends() -> None:
    """Though sending twice would cost less than sending and receiving of the other."""
    found = [
        *one_way("aes-128-gcm", 0.5, "seal"),
        *one_way("aes-256-gcm", 0.7, "seal", "open"),
        *one_way("chacha20-poly1305", 0.9, "seal", "open"),
    ]
    it = advised(found, payload_bits_per_second=1e9)
    order = ["esp:aes-256-gcm", "esp:chacha20-poly1305", "esp:aes-128-gcm"]
    assert names(it.ranking) == order
    assert [one.assumes_receiving for one in it.ranking] == [False, False, True]
    said = dict(screen(it, question(payload_bits_per_second=1e9)))
    assert said["next best"].startswith(it.ranking[1].facts.title)
    assert it.ranking[2].facts.title in said["sends only"]
    assert "esp --suites esp:aes-128-gcm" in said["sends only"]
    assert "assumed" not in said["carries"] + headline(it, question(payload_bits_per_second=1e9))
    sent = advised(found, load=load(both_ways=False))
    assert names(sent.ranking)[0] == "esp:aes-128-gcm", "receiving is not asked about"
    assert not any(one.assumes_receiving for one in sent.ranking)


def test_a_tie_of_measured_and_assumed_is_none() -> None:
    found = [
        *one_way("aes-256-gcm", 0.5, "seal"),
        *one_way("aes-128-gcm", 0.5, "seal", "open"),
    ]
    first, second = advised(found).ranking
    assert (first.facts.name, second.tied) == ("esp:aes-128-gcm", False)


def test_the_best_says_that_its_receiving_is_assumed() -> None:
    it = advised(one_way("aes-128-gcm", 0.5, "seal"), payload_bits_per_second=1e9)
    asked = question(payload_bits_per_second=1e9)
    said = dict(screen(it, asked))
    assert words.RECEIVING_ASSUMED in said["carries"] and words.RECEIVING_ASSUMED in headline(
        it, asked
    )
    assert any("esp --suites esp:aes-128-gcm" in note for note in it.notes)
    assert "sends only" not in said


def test_the_margin_has_the_interval_of_both() -> None:
    first, second = ranking(plain({"aes-128-gcm": (1000, 1), "aes-256-gcm": (2000, 2)}), load(1024))
    assert second.ratio.value == pytest.approx((2000 + 2048) / (1000 + 1024))
    assert second.ratio.low < 2 < second.ratio.high
    assert not second.tied and not first.tied


@pytest.mark.parametrize(
    ("half", "factor", "tied"), [(0.01, 1.05, False), (0.05, 1.05, True), (0.001, 1.015, True)]
)
def test_what_cannot_be_told_apart_and_tiny_differences_are_ties(
    half: float, factor: float, tied: bool
) -> None:
    costs = {"aes-128-gcm": (1000.0, 1.0), "aes-256-gcm": (1000 * factor, factor)}
    ranked = ranking(plain(costs, half), load(1024, both_ways=False))
    assert any(it.tied for it in ranked) is tied
    # Of a tie the stronger is chosen, though it costs a little more.
    assert names(ranked)[0] == ("aes-256-gcm" if tied else "aes-128-gcm")


def test_of_a_tie_the_better_status_comes_first() -> None:
    ranked = ranking(plain({"aes-128-ocb": (1000, 1), "aes-128-gcm": (1001, 1)}), load(1024))
    assert names(ranked) == ["aes-128-gcm", "aes-128-ocb"]
    assert ranked[1].tied


def test_sameness_is_symmetric() -> None:
    low, high = Estimate(100, 99, 101), Estimate(103, 102, 104)
    assert same(low, high) is same(high, low) is False
    assert same(low, Estimate(101.5, 101.4, 101.6))


def test_what_fulfils_no_wish_says_which_contradict() -> None:
    it = advised(wishes=Wishes(strength_bits=256, fips=True, tag=None, allow_legacy=True))
    assert it.impossible is None
    from ciphermark.answers.advice.uses import TagWish

    it = advised(wishes=Wishes(strength_bits=256, fips=True, tag=TagWish(4)))
    assert it.recommendation is None and it.impossible is not None
    assert [conflict.wishes for conflict in it.impossible.conflicts] == [("tag",)]
    near, against = it.impossible.nearest[0]
    assert near.facts.name == "esp:aes-256-gcm"
    assert [reason.wish for reason in against] == ["tag"]


def test_weak_suites_are_refused_with_source_and_price() -> None:
    refused = {it.name: it for it in advised().refused}
    md5 = refused["esp:aes-128-cbc+hmac-md5-96"]
    assert md5.weak and md5.times_the_cost is not None and md5.times_the_cost > 3
    assert any("RFC 8221" in source for source in md5.weak_parts[0].sources)


def test_functions_that_are_named_are_judged_too() -> None:
    facts_ = known(["seal3", "tea-ecb", "treyfer-ecb"])
    asked = question(more=("seal3", "tea-ecb", "treyfer-ecb"))
    refused = {it.name: it for it in advise(asked, facts_, rows()).refused}
    assert "slide" not in refused["treyfer-ecb"].reasons[0].because.lower()
    assert "Biryukov" in refused["treyfer-ecb"].reasons[0].because
    assert "Kelsey" in refused["tea-ecb"].reasons[0].because
    assert "Fluhrer" in refused["seal3"].reasons[0].because
    assert all(refused[it].weak for it in ("seal3", "tea-ecb", "treyfer-ecb"))


def test_parts_are_added_and_say_so() -> None:
    found = [
        row("aes-128-cbc", "encrypt", size, 100 + 4.0 * size, provider="openssl") for size in SIZES
    ] + [row("hmac-sha256", "mac", size, 500 + 2.0 * size, provider="openssl") for size in SIZES]
    (cost,) = from_parts(found, "esp:aes-128-cbc+hmac-sha256-128", ["aes-128-cbc", "hmac-sha256"])
    assert cost.how == FROM_PARTS
    packet = cost.packet(one_size(1024), both_ways=False, mixed=False)
    assert packet.own.value == pytest.approx((600 + 6 * 1024) / CORE_HZ * 1e9)
    assert packet.ns.share == pytest.approx(math.hypot(packet.own.share, 0.25))
    assert from_parts(found[: len(SIZES)], "x", ["aes-128-cbc", "hmac-sha256"]) == []


def test_sums_of_parts_are_not_held_against_whole_suites() -> None:
    """They leave the protocol's own work out, and would win by that."""
    parts = [
        row(name, operation, size, 1.0 + 0.001 * size)
        for name, operation in (("aes-256-cbc", "encrypt"), ("hmac-sha512", "mac"))
        for size in SIZES
    ]
    facts_ = known(["hmac-sha512"])
    name = "esp:aes-256-cbc+hmac-sha512-256"
    alone = advise(question(), facts_, parts)
    assert names(alone.ranking) == [name]
    beside = advise(question(), facts_, [*rows(), *parts])
    assert name not in names(beside.ranking)
    assert name in [it.name for it in beside.unmeasured]


DISK = advice.USES.named("disk")


def disk_advice(costs: dict[str, float], **wishes: int) -> Advice:
    found = [
        row(name, operation, size, 100 + cost * size, provider="cryptsetup")
        for name, cost in costs.items()
        for operation in ("encrypt", "decrypt")
        for size in (1024, 4096)
    ]
    facts_ = {name: facts(name) for name in ("aes-128-xts", "aes-256-xts", "adiantum", *costs)}
    asked = question(
        use=DISK,
        load=Load(advice.traffic(DISK, None, None), True, "throughput", None),
        wishes=Wishes(**{"strength_bits": 256, "needs_integrity": False} | wishes),
    )
    return advise(asked, facts_, found)


def test_disks_get_xts_even_where_another_cipher_is_cheaper() -> None:
    costs = {"aes-128-xts": 1.0, "aes-256-xts": 1.3, "aes-256-cbc": 0.9, "aes-256-ctr": 0.8}
    it = disk_advice(costs)
    assert names(it.ranking) == ["disk:aes-256-xts"]
    assert it.carried is not None
    expected = 8 * 4096 * CORE_HZ / (2 * (100 + 1.3 * 4096))
    assert it.carried.bits_per_second.value == pytest.approx(expected, rel=1e-6)
    (setting,) = it.settings
    assert "--cipher aes-xts-plain64 --key-size 512 --sector-size 4096" in setting.line
    slower = disk_advice(costs | {"adiantum": 1.0})
    assert names(slower.ranking) == ["disk:adiantum", "disk:aes-256-xts"]
    (setting,) = slower.settings
    assert "--cipher xchacha12,aes-adiantum-plain64 --key-size 256" in setting.line
    allowed = disk_advice(costs, strength_bits=128)
    assert names(allowed.ranking) == ["disk:aes-128-xts", "disk:aes-256-xts"]


def test_no_figure_of_another_cipher_stands_for_xts() -> None:
    with pytest.raises(UsageError, match=DISK.measured_by):
        disk_advice({"aes-256-ctr": 0.8, "aes-256-cbc": 0.9})
    it = disk_advice({"aes-256-ctr": 0.8, "aes-128-xts": 1.0})
    assert it.ranking == [] and it.settings == []
    assert it.measure == DISK.measured_by


def test_a_run_without_figures_is_one_sentence() -> None:
    with pytest.raises(UsageError, match="measure first with 'ciphermark esp'"):
        advised([])


def test_the_delay_is_of_the_longest_packet_at_both_ends() -> None:
    it = advised(load=load(by="latency"))
    assert it.carried is not None
    cycles = (600 + 640) + 1500
    assert it.carried.longest_ns.value == pytest.approx(cycles / CORE_HZ * 1e9)


def test_energy_is_power_times_time_and_on_a_node_the_radio_s() -> None:
    core = load(1024, by="energy", watts=2.0)
    (first,) = ranking(plain({"aes-128-gcm": (1000, 1)}), core)
    assert first.ns.value == pytest.approx(2.0 * first.packet_ns.value)
    node = nodes.NODES.from_option("micaz")
    sensor = load(24, by="energy", watts=0.036, node=node)
    (first,) = ranking(plain({"aes-128-gcm": (1000, 1)}), sensor)
    # 24 bytes, 16 of tag and 6 of preamble at 250 kbit/s and 17.4 mA of 3 V.
    radio_nj = 8 * (24 + 16 + 6) / 250_000 * 3.0 * 17.4e-3 * 1e9
    assert first.ns.value == pytest.approx(0.036 * first.packet_ns.value + radio_nj)


def masked_rows(gain: float, elsewhere: float = 1.0) -> list[Row]:
    """A library that is faster by this factor with a feature hidden; when opening by another."""
    hidden = {"OPENSSL_ia32cap": "~0x20000000"}
    return [
        row("aes-128-gcm", "seal", 1024, 1000, backend="vaes"),
        row("aes-128-gcm", "seal", 1024, 1000 / gain, backend="aesni", switches=hidden),
        row("aes-128-gcm", "open", 1024, 1000, backend="vaes"),
        row("aes-128-gcm", "open", 1024, 1000 / elsewhere, backend="aesni", switches=hidden),
    ]


def test_a_faster_path_of_the_library_is_given_as_a_setting() -> None:
    (it,) = faster_paths(masked_rows(1.3), ["aes-128-gcm"], "openssl")
    assert (it.default, it.fastest) == ("vaes", "aesni")
    assert it.switches == {"OPENSSL_ia32cap": "~0x20000000"}
    assert it.gain == pytest.approx(1.3)


@pytest.mark.parametrize(("gain", "elsewhere"), [(1.005, 1.0), (0.8, 0.8), (1.3, 0.8)])
def test_no_setting_where_it_helps_nothing_or_harms_elsewhere(
    gain: float, elsewhere: float
) -> None:
    assert faster_paths(masked_rows(gain, elsewhere), ["aes-128-gcm"], "openssl") == []
    assert faster_paths(masked_rows(1.3), ["aes-128-gcm"], "rustcrypto") == []


def test_figures_without_interval_decide_by_the_error_that_is_assumed() -> None:
    """Each has ±10 %: a tenth is a tie, and a factor of five is not."""
    costs = {"aes-256-gcm": (5000.0, 5.0), "aes-128-gcm": (1050, 1.05), "aes-128-ocb": (1000, 1.0)}
    ranked = ranking(plain(costs, half=None), load(1024))
    # Of the two that are tied the recommended one comes first.
    assert names(ranked) == ["aes-128-gcm", "aes-128-ocb", "aes-256-gcm"]
    assert [it.tied for it in ranked] == [False, True, False]
    assert cheapest(ranked).facts.name == "aes-128-ocb"
    low, high = ranked[2].ratio.interval
    assert low < 5000 / 1050 < high and low > 3


def test_figures_of_other_programs_say_so() -> None:
    figures = [it for it in rows() if not it.switches]
    for it in figures:
        it.cycles_per_message = it.cycles_per_message_low = it.cycles_per_message_high = None
    source = Source(name="run 1", kind="imported", rows=figures, algorithms=known())
    it = advised(figures, known=msgspec.structs.replace(NOTHING, sources=[source]), load=load(1024))
    assert it.recommendation is not None and it.carried is not None
    assert it.recommendation.ns.share == pytest.approx(0.1 / math.sqrt(2), rel=0.01)
    assert any("another program" in note and "±10 %" in note for note in it.notes)


def chacha(size: int) -> Advice:
    """A library whose wide path pays from some size on: 3000 + b/2 against 1000 + b."""
    return advised(_chacha_rows(0.01), load=load(size))


def _chacha_rows(half: float | None) -> list[Row]:
    hidden = {"OPENSSL_ia32cap": "~0:~0x10000"}
    found = []
    for operation in ("seal", "open"):
        for length in SIZES:
            wide, narrow = 3000 + 0.5 * length, 1000 + 1.0 * length
            name = "esp:chacha20-poly1305"
            found.append(row(name, operation, length, wide, half=half, backend="avx512"))
            hiding = {"backend": "avx2", "switches": hidden}
            found.append(row(name, operation, length, narrow, half=half, **hiding))
    return found


def test_a_switch_is_advised_for_the_traffic_that_it_helps() -> None:
    """Packets of 64 bytes cost 3032 cycles with the wide path and 1064 without; at 1500 bytes it is
    3750 against 2500, and never is the switch given where it does not help."""
    (it,) = chacha(64).faster_paths
    assert (it.default, it.fastest) == ("avx512", "avx2")
    assert it.switches == {"OPENSSL_ia32cap": "~0:~0x10000"}
    assert it.gain == pytest.approx(3032 / 1064)
    assert advised().faster_paths == []
