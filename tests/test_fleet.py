"""`ciphermark fleet` with a Dask scheduler and worker processes, some of which end badly."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine_fixture import Command, ended
from fleet_fixture import (
    ASKED,
    OPERATIONS,
    Farm,
    expected_cases,
    farm,
    lock_file,
    stored_cases,
    wait_for_holder,
)

pytest.importorskip("distributed", reason="Dask is not installed: pip install 'ciphermark[fleet]'")

pytestmark = pytest.mark.slow

SURVEY = (*ASKED, *OPERATIONS, "--patience", "3s")
IN_THREE_JOBS = (*SURVEY, "--budget", "900")
"""The plan is cut where its budget is long; what replays takes no notice of budgets."""


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Command]:
    """The command, with a runs folder of its own and no engine."""
    command = Command(tmp_path / "runs", tmp_path / "no-engine")
    yield command
    for process in command.processes():
        os.kill(process, signal.SIGKILL)


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Farm]:
    """Two machines whose jobs take a second, with a worker process each."""
    with farm(tmp_path) as started:
        for machine in ("anna", "bert"):
            started.worker(machine, seconds=1.0)
        started.wait()
        yield started


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Farm]:
    """A machine that is well, one that is unfit, and one that becomes another."""
    with farm(tmp_path_factory.mktemp("farm")) as started:
        started.worker("carl")
        started.worker("dora", trouble="unfit")
        started.worker("emil", trouble="changes")
        started.wait()
        yield started


def test_no_case_is_lost_or_twice_when_workers_die_and_stall(fleet: Command, pair: Farm) -> None:
    for machine in ("anna", "bert"):
        pair.worker(machine, seconds=1.0)
    pair.wait()
    process = fleet.start("fleet", "run", "--scheduler", pair.address, *IN_THREE_JOBS, "--json")
    while not stored_cases(fleet.runs):
        assert process.poll() is None
    pair.send(wait_for_holder("anna"), signal.SIGKILL)
    pair.send(wait_for_holder("bert"), signal.SIGSTOP)
    done = ended(process)
    assert done.code == 0, done.messages
    assert stored_cases(fleet.runs) == expected_cases("anna", "bert")
    machines = {it["host"]: it for it in done.document["machines"]}
    assert {name: it["state"] for name, it in machines.items()} == {
        "replayed-anna": "done",
        "replayed-bert": "done",
    }
    assert all(len(it["runs"]) == 3 for it in machines.values())
    assert "replayed-anna: worker" in done.messages and "is gone" in done.messages
    assert "says nothing for 3 s; another of this machine goes on" in done.messages


def test_ctrl_c_is_answered_and_resume_measures_what_is_left(fleet: Command, pair: Farm) -> None:
    process = fleet.start("fleet", "run", "--scheduler", pair.address, *IN_THREE_JOBS)
    wait_for_holder("anna")
    while not stored_cases(fleet.runs):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    stopped = ended(process)
    assert stopped.code == 1 and "ciphermark fleet resume" in stopped.messages
    before = stored_cases(fleet.runs)
    assert before and before < expected_cases("anna", "bert")
    fleet("fleet", "resume", "--scheduler", pair.address, "--patience", "3s")
    assert stored_cases(fleet.runs) == expected_cases("anna", "bert")


def test_a_machine_that_joins_late_gets_its_work(fleet: Command, tmp_path: Path) -> None:
    with farm(tmp_path) as started:
        started.worker("finn", seconds=10.0)
        process = fleet.start("fleet", "run", "--scheduler", started.address, *SURVEY)
        wait_for_holder("finn")
        started.worker("gabi")
        assert ended(process).code == 0
    assert stored_cases(fleet.runs) == expected_cases("finn", "gabi")


def test_unfit_and_changing_machines(fleet: Command, three: Farm) -> None:
    done = fleet("fleet", "run", "--scheduler", three.address, *IN_THREE_JOBS, "--json")
    assert done.code == 1
    machines = {it["host"].removeprefix("replayed-"): it for it in done.document["machines"]}
    assert machines["carl"]["state"] == "done"
    assert machines["dora"]["state"] == "trouble" and not machines["dora"]["runs"]
    (line,) = [it for it in done.messages.splitlines() if "dora" in it]
    assert "is unfit (emulated processor" in line and "--even-unfit" in line
    (line,) = [it for it in done.messages.splitlines() if "emil" in it]
    assert "reports another identity in mid-run" in line and "new hardware" in line
    # All of emil's cases are measured as what it is now; the job that was done before stays apart.
    assert machines["emil"]["state"] == "done" and len(machines["emil"]["runs"]) == 3
    kinds = kinds_by_run(fleet.runs, "replayed-emil")
    assert Counter(kinds.values()) == {"new hardware": 3, "replayed epyc-9b45-kvm, 2 cores": 1}
    assert {kinds[run] for run in machines["emil"]["runs"]} == {"new hardware"}
    assert "replayed" in fleet("show", "last").output


def test_runs_may_lie_on_a_shared_filesystem(
    fleet: Command, three: Farm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shared = tmp_path / "shared"
    shared.mkdir()
    url = ("--runs", f"dir::file://{shared}")
    fleet("fleet", "run", "--scheduler", three.address, *SURVEY, *url)
    carl = expected_cases("carl")
    assert carl <= stored_cases(shared)
    stored = sorted(path.name for path in shared.iterdir())
    again = fleet(
        "fleet", "resume", "--scheduler", three.address, "--patience", "3s", *url, "--json"
    )
    (machine,) = [it for it in again.document["machines"] if it["host"] == "replayed-carl"]
    assert machine["state"] == "done" and set(machine["runs"]) <= set(stored)
    assert stored_cases(shared)[next(iter(carl))] == 1


def test_another_fleet_on_the_machine_is_named(fleet: Command, three: Farm) -> None:
    from ciphermark.farm.machine_lock import held

    boot = lock_file("carl").name.removeprefix("ciphermark-measuring-")
    with held(boot, "fleet somebody-elses"):
        done = fleet("fleet", "run", "--scheduler", three.address, *SURVEY)
    (line,) = [it for it in done.messages.splitlines() if "carl" in it]
    assert done.code == 1
    assert f"fleet somebody-elses is measuring there (process {os.getpid()} of user" in line


def kinds_by_run(runs: Path, machine: str) -> dict[str, str]:
    """What a machine was when it measured each of its runs."""
    from ciphermark.record.store import Store

    found = Store(runs).summaries()
    return {it.run: it.machine_kind for it in found if it.machine_name == machine}
