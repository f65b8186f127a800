"""`ciphermark sessions` and `ciphermark packets` with the engine: what they print, keep, and show
again."""

from __future__ import annotations

import os
from typing import Any

import pytest

from ciphermark.run.engine import Engine
from ciphermark.workloads.packets.row import PacketRow
from ciphermark.workloads.sessions.row import SessionRow
from engine_fixture import Command

pytestmark = [pytest.mark.engine, pytest.mark.measures]

SESSIONS = (
    *("sessions", "--algorithms", "hmac-sha256", "--providers", "rustcrypto"),
    *("--pattern", "reused-key", "--sessions", "3", "--cpus", "0", "--sizes", "64"),
    *("--duration", "400ms", "--attempts", "1"),
)


PACKETS = (
    *("packets", "--algorithms", "uea1", "--providers", "kernels", "--sizes", "64"),
    *("--packets", "2000", "--cpus", "0", "--duration", "100ms"),
)


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory, engine: Engine) -> Command:
    """A command whose runs folder has one short run."""
    return _after(tmp_path_factory, engine, SESSIONS)


@pytest.fixture(scope="module")
def packets(tmp_path_factory: pytest.TempPathFactory, engine: Engine) -> Command:
    return _after(tmp_path_factory, engine, PACKETS)


def _after(
    tmp_path_factory: pytest.TempPathFactory, engine: Engine, arguments: tuple[str, ...]
) -> Command:
    command = Command(tmp_path_factory.mktemp(arguments[0]) / "runs", engine.path)
    ended = command(*arguments, "--json")
    assert ended.code == 0, ended.messages
    return command


@pytest.mark.parametrize(
    ("workload", "function", "said"),
    [
        ("sessions", "hmac-sha256 mac", "apparent"),
        ("packets", "uea1 encrypt, kernels", "each once, in the wanted order"),
    ],
)
def test_a_stored_run_is_shown_listed_exported_and_reported(
    request: pytest.FixtureRequest, workload: str, function: str, said: str
) -> None:
    measured: Command = request.getfixturevalue(workload)
    table = measured("show")
    assert table.code == 0 and function in table.output
    assert said in " ".join(table.output.split())
    assert measured("list", "runs").output.count(workload) == 1
    for form in ("csv", "json", "markdown", "latex"):
        assert function.split()[0] in measured("export", "--format", form).output
    assert measured("report").code == 0
    refusal = measured("compare", "last", "last")
    assert refusal.code == 2
    assert "name two providers in it" in refusal.sentence


@pytest.mark.parametrize(
    ("arguments", "load", "count"), [(SESSIONS, "sessions", 3), (PACKETS, "packets", 2000)]
)
def test_cases_are_listed_without_measuring(
    command: Command, arguments: tuple[str, ...], load: str, count: int
) -> None:
    listed = command(*arguments, "--dry-run", "--json")
    assert listed.code == 0
    (case,) = listed.document["cases"]
    assert case[load][load] == count
    assert not command.runs.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("sessions", "--algorithms", "sha256"), marks=pytest.mark.deep),
        ("packets", "--algorithms", "aes-128-gcm", "--sizes", "64"),
    ],
)
def test_the_fastest_library_is_found_beforehand(
    command: Command, arguments: tuple[str, ...]
) -> None:
    listed = command(*arguments, "--dry-run", "--json")
    assert listed.code == 0
    assert listed.messages.splitlines()[0].startswith("ciphermark: looking for the fastest of ")
    assert len({case["provider"] for case in listed.document["cases"]}) == 1


def test_rows_of_sessions_have_their_figures(sessions: Command) -> None:
    (row,) = sessions("show", "--json").document["rows"]
    assert row.keys() == set(SessionRow.__struct_fields__)
    assert row["error"] is None
    assert (row["sessions"], row["cores"], row["cpus"]) == (3, 1, [0])
    (attempt,) = row["attempts"]
    assert row["valid"] is (not attempt["objections"])
    if row["never_ran"] < 3:
        for kind in ("absolute", "apparent", "wall"):
            assert row[f"{kind}_cycles_per_byte"] > 0
        assert set(row["latency_ns"]) == {"p50", "p90", "p99", "p999"}
        assert row["messages"] > 0


def test_sessions_whose_work_another_cpu_does_stand_beside_the_others(command: Command) -> None:
    if not {0, 1} <= os.sched_getaffinity(0):
        pytest.skip("CPUs 0 and 1 are not both allowed: none is left to be a device")
    done = command(*SESSIONS, "--offload", "none,cores", "--offload-cpus", "1", "--json")
    assert done.code == 0
    here, there = done.document["rows"]
    assert (here["offload"], here["device"], here["device_cpu_ns"]) == ("none", None, None)
    assert (there["offload"], there["offload_cpus"]) == ("cores", [1])
    assert there["device"] == "CPU 1 of this machine" and there["device_cpu_ns"] is not None
    assert there["messages"] == 0 or there["absolute_cycles_per_byte"] > 0
    assert "cores is CPU 1 of this machine" in command("show").output


def packet_rows(command: Command, *arguments: object) -> list[dict[str, Any]]:
    ended = command(*PACKETS, *arguments, "--json")
    assert ended.code == 0, ended.messages
    return ended.document["rows"]


def test_rows_of_packets_have_their_figures(packets: Command) -> None:
    (row,) = packets("show", "--json").document["rows"]
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
    (row,) = packet_rows(command, "--operations", "encrypt+decrypt")
    assert row["operation"] == "encrypt+decrypt" and row["error"] is None
    assert row["bits"] == 2 * 2000 * 64 * 8


@pytest.mark.parametrize(
    "options",
    [
        ("--delivery", "unordered,per-flow,ordered", "--waiting", "block"),
        ("--key-setup", "per-batch,per-packet", "--priorities", "2", "--keys", "4"),
        ("--operations", "encrypt+decrypt", "--architecture", "free-pipeline", "--batch", "1,7"),
        ("--rate", "100000", "--flush", "50us", "--profile", "packets-40-1500"),
    ],
    ids=lambda options: " ".join(options),
)
def test_every_way_to_pass_delivers_all_packets(command: Command, options: Any) -> None:
    kept = [it for it in PACKETS if "--profile" not in options or it not in ("--sizes", "64")]
    ended = command(*kept, *options, "--json")
    assert ended.code == 0, ended.messages
    for row in ended.document["rows"]:
        assert row["error"] is None and row["pairs"] > 0
        assert (row["lost"], row["duplicated"], row["out_of_order"]) == (0, 0, 0)
