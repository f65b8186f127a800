"""`ciphermark sessions` with the engine: what it prints, keeps, and shows again."""

from __future__ import annotations

import os

import pytest

from ciphermark.workloads.sessions.row import SessionRow
from engine_fixture import Command

pytestmark = [pytest.mark.engine, pytest.mark.measures]

SHORT = (
    *("sessions", "--algorithms", "hmac-sha256", "--providers", "rustcrypto"),
    *("--pattern", "reused-key", "--sessions", "3", "--cpus", "0", "--sizes", "64"),
    *("--duration", "400ms", "--attempts", "1"),
)

PROMISED = (
    "algorithm operation provider backend message_bytes sessions cores absolute_cycles_per_byte "
    "apparent_cycles_per_byte wall_cycles_per_byte messages mbytes_per_second latency_ns fairness "
    "never_ran attempts valid"
).split()
"""What design.md says that every row has."""


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory, engine) -> Command:  # noqa: ANN001
    """A command whose runs folder has one short run."""
    command = Command(tmp_path_factory.mktemp("sessions") / "runs", engine.path)
    assert command(*SHORT, "--json").code == 0
    return command


def test_rows_have_what_is_promised_and_figures(measured: Command) -> None:
    (row,) = measured("show", "--json").document["rows"]
    assert set(PROMISED) <= row.keys() == set(SessionRow.__struct_fields__)
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
    done = command(*SHORT, "--offload", "none,cores", "--offload-cpus", "1", "--json")
    assert done.code == 0
    here, there = done.document["rows"]
    assert (here["offload"], here["device"], here["device_cpu_ns"]) == ("none", None, None)
    assert (there["offload"], there["offload_cpus"]) == ("cores", [1])
    assert there["device"] == "CPU 1 of this machine" and there["device_cpu_ns"] is not None
    assert there["messages"] == 0 or there["absolute_cycles_per_byte"] > 0
    assert "cores is CPU 1 of this machine" in command("show").output


def test_a_stored_run_is_shown_listed_exported_and_reported(measured: Command) -> None:
    table = measured("show")
    assert table.code == 0 and "hmac-sha256 mac" in table.output and "apparent" in table.output
    assert measured("list", "runs").output.count("sessions") == 1
    for form in ("csv", "json", "markdown", "latex"):
        assert "hmac-sha256" in measured("export", "--format", form).output
    assert measured("report").code == 0


def test_runs_of_many_sessions_are_not_compared(measured: Command) -> None:
    refusal = measured("compare", "last", "last")
    assert refusal.code == 2
    assert "only runs of one thread are compared: see its figures with" in refusal.sentence


def test_cases_are_listed_without_measuring(command: Command) -> None:
    listed = command(*SHORT, "--dry-run", "--json")
    assert listed.code == 0
    (case,) = listed.document["cases"]
    assert case["sessions"]["sessions"] == 3
    assert not command.runs.exists()


def test_the_fastest_library_is_found_beforehand(command: Command) -> None:
    listed = command("sessions", "--algorithms", "sha256", "--dry-run", "--json")
    assert listed.code == 0
    assert listed.messages.splitlines()[0].startswith("ciphermark: looking which of ")
    assert len({case["provider"] for case in listed.document["cases"]}) == 1
