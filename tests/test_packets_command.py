"""`ciphermark packets` with the engine: what it prints, keeps, and shows again."""

from __future__ import annotations

from typing import Any

import pytest

from ciphermark.workloads.packets.row import PacketRow
from engine_fixture import Command

pytestmark = [pytest.mark.engine, pytest.mark.measures]

SHORT = (
    *("packets", "--algorithms", "uea1", "--providers", "kernels", "--sizes", "64"),
    *("--packets", "2000", "--cpus", "0", "--duration", "200ms"),
)


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory, engine) -> Command:  # noqa: ANN001
    """A command whose runs folder has one short run."""
    command = Command(tmp_path_factory.mktemp("packets") / "runs", engine.path)
    ended = command(*SHORT, "--json")
    assert ended.code == 0, ended.messages
    return command


def rows(command: Command, *arguments: object) -> list[dict[str, Any]]:
    ended = command(*SHORT, *arguments, "--json")
    assert ended.code == 0, ended.messages
    return ended.document["rows"]


def test_rows_have_what_is_promised_and_figures(measured: Command) -> None:
    (row,) = measured("show", "--json").document["rows"]
    assert row.keys() == set(PacketRow.__struct_fields__)
    assert row["error"] is None
    assert (row["lost"], row["duplicated"], row["out_of_order"]) == (0, 0, 0)
    assert (row["packets"], row["packet_bytes"], row["cpus"]) == (2000, 64, [0])
    assert row["bits"] == 2000 * 64 * 8
    assert row["transfer_cycles"] > 0 and row["processing_cycles"] > 0
    assert row["converged"] is (row["not_converged_reason"] is None)
    assert row["pairs"] >= 6 and row["checked_against"]
    assert set(row["latency_ns"]) == {"p50", "p90", "p99", "p999"}
    assert sum(share["packets"] for share in row["shares"]) == 2000
    assert row["buffer_bytes"] >= 2 * 2000 * 64


def test_both_operations_are_done_to_each_packet(command: Command) -> None:
    (row,) = rows(command, "--operations", "encrypt+decrypt")
    assert row["operation"] == "encrypt+decrypt" and row["error"] is None
    assert row["bits"] == 2 * 2000 * 64 * 8


@pytest.mark.parametrize(
    "options",
    [
        ("--delivery", "unordered,per-flow,ordered"),
        ("--waiting", "block"),
        ("--key-setup", "per-batch,per-packet"),
        ("--operations", "encrypt+decrypt", "--architecture", "free-pipeline"),
        ("--priorities", "2", "--keys", "4"),
        ("--batch", "1,7", "--flush", "50us"),
        ("--rate", "100000"),
        ("--profile", "packets-40-1500"),
    ],
    ids=lambda options: " ".join(options),
)
def test_every_way_to_pass_delivers_all_packets(command: Command, options: Any) -> None:
    kept = [it for it in SHORT if "--profile" not in options or it not in ("--sizes", "64")]
    ended = command(*kept, *options, "--json")
    assert ended.code == 0, ended.messages
    for row in ended.document["rows"]:
        assert row["error"] is None and row["pairs"] > 0
        assert (row["lost"], row["duplicated"], row["out_of_order"]) == (0, 0, 0)


def test_a_stored_run_is_shown_listed_exported_and_reported(measured: Command) -> None:
    table = measured("show")
    assert table.code == 0 and "uea1 encrypt, kernels" in table.output
    assert "each once, in the order that was wanted" in " ".join(table.output.split())
    assert measured("list", "runs").output.count("packets") == 1
    for form in ("csv", "json", "markdown", "latex"):
        assert "uea1" in measured("export", "--format", form).output
    assert measured("report").code == 0


def test_runs_of_packets_are_not_compared(measured: Command) -> None:
    refusal = measured("compare", "last", "last")
    assert refusal.code == 2
    assert "is of packets, and only runs of one thread are compared" in refusal.sentence


def test_cases_are_listed_without_measuring(command: Command) -> None:
    listed = command(*SHORT, "--dry-run", "--json")
    assert listed.code == 0
    (case,) = listed.document["cases"]
    assert case["packets"]["packets"] == 2000
    assert not command.runs.exists()


def test_the_fastest_library_is_found_beforehand(command: Command) -> None:
    listed = command(
        "packets", "--algorithms", "aes-128-gcm", "--sizes", "64", "--dry-run", "--json"
    )
    assert listed.code == 0
    assert listed.messages.splitlines()[0].startswith("ciphermark: looking which of ")
    assert len({case["provider"] for case in listed.document["cases"]}) == 1
