"""`ciphermark fleet` with a Dask scheduler and worker processes, some of which end badly."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from ciphermark.farm.machine_lock import held
from engine_fixture import Command, ended
from fleet_fixture import ASKED, farm, made_up, stored_runs, wait_for_holder

pytest.importorskip("distributed", reason="Dask is not installed: pip install 'ciphermark[fleet]'")

pytestmark = pytest.mark.slow


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Command]:
    """The command, with a runs folder of its own and no engine."""
    command = Command(tmp_path / "runs", tmp_path / "no-engine")
    yield command
    for process in command.processes():
        os.kill(process, signal.SIGKILL)


def test_another_worker_of_the_machine_goes_on_when_one_dies(
    fleet: Command, tmp_path: Path
) -> None:
    with farm(tmp_path) as started:
        for machine in ("anna", "anna", "bert"):
            started.worker(machine, seconds=1.5)
        started.wait()
        process = fleet.start("fleet", "--scheduler", started.address, *ASKED, "--json")
        started.send(wait_for_holder("anna"), signal.SIGKILL)
        done = ended(process)
    assert done.code == 0, done.messages
    assert stored_runs(fleet.runs) == {"anna": 1, "bert": 1}
    assert "made-up-anna: worker" in done.messages
    assert "is gone; another of this machine goes on" in done.messages
    assert [it["state"] for it in done.document["machines"]] == ["done", "done"]
    assert not [*(fleet.runs / "fleets").iterdir()]


def test_after_ctrl_c_the_same_command_measures_the_others(fleet: Command, tmp_path: Path) -> None:
    with farm(tmp_path) as started:
        started.worker("carl")
        started.worker("dora", seconds=3.0)
        started.wait()
        command = ("fleet", "--scheduler", started.address, *ASKED)
        process = fleet.start(*command)
        wait_for_holder("dora")
        while not stored_runs(fleet.runs):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        stopped = ended(process)
        assert stopped.code == 1
        assert "stopped; 1 machine is done: the same command goes on" in stopped.messages
        assert stored_runs(fleet.runs) == {"carl": 1}
        again = fleet(*command)
        assert again.code == 0, again.messages
        assert "1 machine is done already" in again.messages
        assert stored_runs(fleet.runs) == {"carl": 1, "dora": 1}
        assert "2 of 2 machines done" in again.output
        fleet(*command)
    # A fleet that was complete is another one when it is typed again.
    assert stored_runs(fleet.runs) == {"carl": 2, "dora": 2}


def test_a_machine_that_joins_late_gets_its_work(fleet: Command, tmp_path: Path) -> None:
    with farm(tmp_path) as started:
        started.worker("finn", seconds=8.0)
        process = fleet.start("fleet", "--scheduler", started.address, *ASKED)
        wait_for_holder("finn")
        started.worker("gabi")
        assert ended(process).code == 0
    assert stored_runs(fleet.runs) == {"finn": 1, "gabi": 1}


def test_machines_in_trouble_are_named_and_tried_again(fleet: Command, tmp_path: Path) -> None:
    with farm(tmp_path) as started:
        started.worker("hans")
        started.worker("ines", trouble="unfit")
        started.worker("jana")
        started.worker("karl", trouble="dies")
        started.wait()
        command = ("fleet", "--scheduler", started.address, *ASKED, "--json")
        with held(made_up("jana"), "fleet somebody-elses"):
            done = fleet(*command)
        again = fleet(*command, "--even-unfit")
        anew = fleet(*command, "--even-unfit", "--again")
    assert done.code == again.code == anew.code == 1
    machines = {it["machine_id"]: it for it in done.document["machines"]}
    why = {name.removeprefix("made-up-"): it["trouble"] for name, it in machines.items()}
    assert why["hans"] == "" and machines["made-up-hans"]["cases"] == 2
    assert why["ines"].startswith("is unfit (emulated processor")
    assert f"fleet somebody-elses is measuring there (process {os.getpid()} of" in why["jana"]
    assert why["karl"] == "has failed: the engine has died"
    states = {it["machine_id"]: it["state"] for it in again.document["machines"]}
    assert list(states.values()).count("done") == 3 and states["made-up-karl"] == "trouble"
    assert stored_runs(fleet.runs) == {"hans": 2, "ines": 2, "jana": 2}
