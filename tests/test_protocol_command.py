"""`ciphermark protocol`, and the lists beside it: what they print, and what they refuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ciphermark.answers.models.observations import Observed
from ciphermark.answers.protocols import command as protocol
from ciphermark.answers.protocols.cost import ProtocolCost
from ciphermark.answers.protocols.nodes import NODES
from ciphermark.answers.protocols.protocols import protocols
from ciphermark.record.store import Store
from ciphermark.workload import rows as analysed
from ciphermark.workload import rows_table
from engine_fixture import Command, Ended
from operations_example import simulations
from protocol_example import ECB, observed
from simulation_example import simulated_run

EVERY = [it.name for it in protocols()]


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Command:
    """A command that finds simulated costs of one processor, and needs no engine."""
    found(monkeypatch, observed())
    return Command(tmp_path / "runs", tmp_path / "no-engine")


def found(monkeypatch: pytest.MonkeyPatch, source: Observed) -> None:
    monkeypatch.setattr(protocol, "observed", lambda data, runs: source)


def rows(ended: Ended) -> list[dict[str, Any]]:
    assert ended.code == 0, ended.messages
    return ended.document["rows"]


def lines(ended: Ended) -> list[str]:
    assert ended.code == 0, ended.messages
    return ended.output.splitlines()


def test_every_protocol_has_a_row_for_each_side(typed: Command) -> None:
    got = rows(typed("protocol", "--json"))
    assert [(it["protocol"], it["side"]) for it in got] == [
        (name, side) for name in EVERY for side in ("send", "receive")
    ]
    assert got[0].keys() == set(ProtocolCost.__struct_fields__)


def test_the_document_has_node_and_data(typed: Command) -> None:
    document = typed("protocol", "snep", "--json").document
    assert document["node"]["radio"]["modulation"] == "bits"
    assert document["node"]["name"] == "mica2"
    assert document["data"] == "run 20261122-090000-0000"
    assert document["left_out"] == []


def test_options_reach_the_figures(typed: Command) -> None:
    options = ("--node", "micaz", "--payload", "10", "--every", "1m", "--json")
    send, receive = rows(typed("protocol", "tinysec-ae", *options))
    assert (send["node"], send["payload_bytes"], send["period_s"]) == ("micaz", 10, 60)
    assert send["battery"]["secured_days"] < send["battery"]["plain_days"]
    assert receive["battery"] is None


@pytest.mark.parametrize("columns", ["80", "100", "160"])
def test_a_table_has_a_line_for_each_protocol(
    typed: Command, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    printed = lines(typed("protocol"))
    assert max(map(len, printed)) <= int(columns)
    assert [it.split()[0] for it in printed if it.split()[:1] and it.split()[0] in EVERY] == EVERY


def test_what_stands_for_a_mode_is_said(typed: Command) -> None:
    printed = " ".join(" ".join(lines(typed("protocol", "lorawan,snep"))).split())
    assert "~ aes-128-ecb for cmac, ctr; rc5-32-12-8-ecb for cbc-mac, ctr" in printed
    assert "unverified values of mica2: radio.largest_frame_bytes" in printed


def test_nothing_is_marked_where_the_modes_were_measured(
    typed: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    modes = {("aes-128-ctr", "encrypt"): (0, 300), ("cmac-aes-128", "mac"): (0, 300)}
    found(monkeypatch, observed(ECB | modes))
    assert not any("~" in line for line in lines(typed("protocol", "lorawan")))


def test_one_protocol_is_shown_field_by_field(typed: Command) -> None:
    printed = "\n".join(lines(typed("protocol", "tinysec-ae")))
    for part in ("source 2", "payload 24", "tag", "cbc, 3 blocks", "SenSys 2004"):
        assert part in printed
    assert "source 2" not in "\n".join(lines(typed("protocol", "tinysec-*")))


def test_without_a_tag_no_field_is_called_authenticated(typed: Command) -> None:
    assert "authenticated" not in "\n".join(lines(typed("protocol", "802.15.4-enc")))


def test_all_leaves_out_what_does_not_fit_and_says_so(typed: Command) -> None:
    ended = typed("protocol", "--payload", "90", "--json")
    assert {it["protocol"] for it in rows(ended)} == {
        name for name in EVERY if name.startswith(("802", "lorawan"))
    }
    assert [it.partition(":")[0] for it in ended.document["left_out"]] == [
        *("oscore", "snep", "mutesla", "tinysec-auth", "tinysec-ae"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("snep,tinysec-ae", "--payload", "30"), "write at most --payload 29"),
        (("--payload", "300"), "write at most --payload"),
        (("--payload", "-1"), "is not a message size"),
        (("--payload", "many"), "is not a message size"),
        (("--every", "0s"), "is not a time"),
        (("--node", "mica3"), "there is no node 'mica3'; near: mica"),
        (("--node", "./mica3.toml"), "cannot be read: No such file"),
        (("zigbee",), "there is no protocol 'zigbee'"),
        (("lorawan", "--every", "5ms"), "write a longer --every"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    typed: Command, arguments: tuple[str, ...], said: str
) -> None:
    ended = typed("protocol", *arguments)
    assert ended.code == 2
    assert said in ended.sentence


def test_instructions_are_no_costs_and_say_what_to_type(
    typed: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    found(monkeypatch, observed(metric="instructions"))
    ended = typed("protocol", "lorawan")
    assert ended.code == 2
    assert "ciphermark simulate atmega128" in ended.sentence


def test_nodes_are_listed_with_their_targets(typed: Command) -> None:
    typed.environment["COLUMNS"] = "120"
    printed = lines(typed("list", "nodes"))
    count = len(NODES.files())
    assert [it.split()[0] for it in printed[1 : 1 + count]] == list(NODES.files())
    assert "atmega103" in next(it for it in printed if it.split()[0] == "mica")
    listed = typed("list", "nodes", "--json").document["nodes"]
    assert [it["name"] for it in listed] == list(NODES.files())


def test_protocols_are_listed_with_their_status(typed: Command) -> None:
    typed.environment["COLUMNS"] = "200"
    printed = "\n".join(lines(typed("list", "protocols")))
    assert all(name in printed for name in EVERY)
    assert "A key of 64 bits can be found by search." in printed
    listed = typed("list", "protocols", "--json").document["protocols"]
    assert [it["name"] for it in listed] == EVERY


def command_with_run(store: Store, *targets: str) -> Command:
    """A command whose newest run has simulated the bare ciphers on these targets."""
    run = simulated_run([it for name in targets for it in simulations(observed(target=name))])
    store.save(run, rows_table(analysed(run), "simulation"))
    return Command(store.root, store.root / "no-engine")


def test_figures_are_those_of_a_stored_simulation(store: Store) -> None:
    stored = command_with_run(store, "atmega128")
    newest, named = (
        rows(stored("protocol", "lorawan", *data, "--json")) for data in ((), ("--data", "last"))
    )
    assert newest == named
    assert [it["crypto"]["cycles"] for it in newest] == [29_200, 29_200]


def test_a_processor_that_was_not_simulated_is_predicted(store: Store) -> None:
    stored = command_with_run(store, "cortex-m0", "sa1110", "pxa250-200")
    options = ("protocol", "lorawan", "--node", "nrf52840")
    crypto = rows(stored(*options, "--json"))[0]["crypto"]
    assert {it["cost"]["basis"] for it in crypto["works"]} == {"paper-model"}
    assert crypto["low"] <= crypto["cycles"] <= crypto["high"]
    printed = "\n".join(lines(stored(*options)))
    assert "cortex-m4, which was not measured" in printed
    assert "predicted by the paper-model" in printed


def test_what_no_model_can_know_is_refused(store: Store) -> None:
    ended = command_with_run(store, "atmega128")("protocol", "lorawan", "--node", "nrf52840")
    assert ended.code == 2
    assert "write ciphermark simulate cortex-m4" in ended.sentence


def test_without_a_simulation_one_is_asked_for(tmp_path: Path) -> None:
    ended = Command(tmp_path / "runs", tmp_path / "no-engine")("protocol")
    assert ended.code == 2
    assert "no simulation is stored" in ended.sentence
