"""Capacity with the data path of packets: told, learned from a run of tunnels, or not known."""

from __future__ import annotations

import msgspec
import pytest

from advice_example import stored as store_survey
from ciphermark.answers.capacity import path
from ciphermark.answers.capacity.answer import Answer, Known, Question, answer
from ciphermark.answers.capacity.path import Paths
from ciphermark.answers.capacity.show import blocks, headline
from ciphermark.errors import UsageError
from ciphermark.plan import profiles
from ciphermark.record.store import Store
from ciphermark.statistics.estimate import Estimate
from ciphermark.workload import rows, rows_table
from on_screen import blocks_on_screen
from tunnel_example import cost_ns, tunnel_run, tunnels

(IMIX,) = profiles.from_option("imix")


@pytest.mark.parametrize(
    ("text", "ns"), [("900ns", 900.0), ("1.5us", 1500.0), ("2µs", 2000.0), ("1ms", 1e6)]
)
def test_a_path_is_told_in_units_of_time(text: str, ns: float) -> None:
    found = path.told(text).of("esp:aes-128-gcm", IMIX.mean_bytes)
    assert found is not None and found.ns.value == ns and found.kind == "told"


@pytest.mark.parametrize("text", ["900", "0ns", "-1ns", "2s", "fast", "1e3ns"])
def test_what_is_no_time_of_a_packet_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="write for example 900ns"):
        path.told(text)


def with_tunnels(store: Store) -> Paths:
    run = tunnel_run(tunnels(noise=0.005))
    store.save(run, rows_table(rows(run), "tunnel"))
    return path.learned(store, run.context.machine_name)


def test_the_path_of_a_kind_without_a_cipher_is_learned_from_its_run(store: Store) -> None:
    found = with_tunnels(store).of("openvpn:aes-256-gcm", IMIX.mean_bytes)
    assert found is not None and found.kind == "openvpn" and found.is_whole
    truth = cost_ns("openvpn", "none", IMIX.mean_bytes)
    assert found.ns.value == pytest.approx(truth, rel=0.03)
    low, high = found.ns.interval or (0.0, 0.0)
    assert low < truth < high
    assert found.fixed_ns == pytest.approx(cost_ns("openvpn", "none", 0), rel=0.05)


def test_what_has_no_tunnel_of_its_own_goes_over_plain_forwarding(store: Store) -> None:
    found = with_tunnels(store).of("quic:aes-128-gcm", IMIX.mean_bytes)
    assert found is not None and found.kind == "plain" and not found.is_whole


WIREGUARD = "wireguard:chacha20-poly1305"


def test_a_tunnel_that_always_has_a_cipher_is_the_path_of_its_suite(store: Store) -> None:
    """What wireguard-go costs has its cryptography in it."""
    paths = with_tunnels(store)
    assert set(paths.learned) == {"plain", "openvpn", WIREGUARD}
    found = paths.of(WIREGUARD, IMIX.mean_bytes)
    assert found is not None and found.kind == "wireguard-go" and found.has_cryptography
    truth = cost_ns("wireguard-go", "chacha20-poly1305", IMIX.mean_bytes)
    assert found.ns.value == pytest.approx(truth, rel=0.03)


def test_runs_of_other_machines_tell_nothing(store: Store) -> None:
    run = tunnel_run()
    context = msgspec.structs.replace(
        run.context, machine_name="elsewhere", machine_kind="another kind"
    )
    run = msgspec.structs.replace(run, context=context)
    store.save(run, rows_table(rows(run), "tunnel"))
    assert path.learned(store, "here") == Paths()


@pytest.fixture
def known(store: Store) -> Known:
    from ciphermark.answers.capacity import sources

    store_survey(store)
    question = Question(profile=IMIX, cores=1)
    return sources.known(store, sources.Wanted(), [question], {}, None)


def ask(known: Known, paths: Paths, both_ways: bool = False) -> Answer:
    known.paths = paths
    question = Question(profile=IMIX, cores=1, both_ways=both_ways)
    name = next(row.algorithm for row in known.sources[0].rows if row.operation == "seal")
    found = answer(name, question, known)
    assert isinstance(found, Answer)
    return found


def test_the_cost_of_a_packet_is_path_and_cryptography(known: Known) -> None:
    alone, whole = ask(known, Paths()), ask(known, path.told("5us"))
    assert alone.path is None and alone.cryptography_share == 1.0
    assert whole.ns_per_packet.value == pytest.approx(alone.ns_per_packet.value + 5000)
    assert whole.payload_bits_per_second < alone.payload_bits_per_second
    assert whole.low <= whole.payload_bits_per_second <= whole.high
    assert whole.cryptography_share == pytest.approx(
        alone.ns_per_packet.value / whole.ns_per_packet.value
    )
    assert whole.fixed_share is not None and whole.fixed_share > 0.5


def test_a_path_with_its_cryptography_is_all_that_a_packet_costs(store: Store) -> None:
    learned = with_tunnels(store).of(WIREGUARD, 1000.0)
    assert learned is not None
    suite_ns = Estimate(500.0, 450.0, 550.0)
    assert learned.with_suite(suite_ns, 2) == learned.ns.times(2)
    told_path = path.told("5us").of(WIREGUARD, 1000.0)
    assert told_path is not None and told_path.with_suite(suite_ns, 2).value == 10_500.0


@pytest.mark.parametrize(
    ("bytes_", "ns"), [(0.0, 50.0), (100.0, 100.0), (200.0, 150.0), (300.0, 200.0), (500.0, 600.0)]
)
def test_a_path_goes_through_every_mix_that_was_measured(bytes_: float, ns: float) -> None:
    points = tuple((at, Estimate.exact(cost)) for at, cost in ((100, 100), (300, 200), (400, 400)))
    assert path.Path(kind="openvpn", source="", points=points).at(bytes_).ns.value == ns


def test_a_path_is_gone_in_each_direction(known: Known) -> None:
    one, both = ask(known, path.told("5us")), ask(known, path.told("5us"), both_ways=True)
    alone = ask(known, Paths(), both_ways=True)
    assert len(both.operations) == 2 and len(one.operations) == 1
    assert both.ns_per_packet.value == pytest.approx(alone.ns_per_packet.value + 10_000)


def test_the_first_line_says_whether_a_path_is_in_the_figures(known: Known) -> None:
    alone, whole = ask(known, Paths()), ask(known, path.told("5us"))
    assert "cryptography alone" in headline(alone)
    assert "data path included" in headline(whole)
    words = path.path_words(alone.path, alone.cryptography_share)
    assert "--path-cost" in words and "ciphermark tunnel" in words
    words = path.path_words(whole.path, whole.cryptography_share)
    assert words.startswith("5.00 µs per packet")
    text = blocks_on_screen(blocks(Question(profile=IMIX, cores=1), known, [alone]), width=300)
    assert "cryptography alone" in text.splitlines()[0]
