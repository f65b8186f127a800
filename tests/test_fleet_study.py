"""A study of several workloads on a fleet: each is a job, and together they become one run."""

from __future__ import annotations

import signal
import threading
from pathlib import Path

import pytest

import two_ways_example
from ciphermark import studies
from ciphermark.record.store import Store
from engine_fixture import Command
from fleet_fixture import Farm, farm, wait_for, wait_for_holder

pytest.importorskip("distributed", reason="Dask is not installed: pip install 'ciphermark[fleet]'")


def kill_who_measures_then(started: Farm, runs: Path) -> None:
    """Kills the worker that is at the second workload, once the first is among the pieces."""
    wait_for(lambda: [*runs.glob("fleets/*/done/*.two-ways.piece.json")], "the first piece")
    started.send(wait_for_holder("clara"), signal.SIGKILL)


@pytest.mark.slow
def test_its_workloads_become_one_run_though_a_worker_dies_between_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(studies, "__path__", two_ways_example.add(tmp_path))
    fleet = Command(tmp_path / "runs", tmp_path / "no-engine")
    with farm(tmp_path) as started:
        told = {"preload": "fleet_study_worker.py", "FLEET_STUDIES": str(tmp_path)}
        for _ in range(2):
            started.worker("clara", seconds=4.0, **told)
        started.wait()
        killing = threading.Thread(target=kill_who_measures_then, args=[started, fleet.runs])
        killing.start()
        done = fleet("fleet", "run", "--study", "two-ways", "--scheduler", started.address)
        killing.join()
    # What the second plan asks of who may not have it is no failure, as of `ciphermark study`.
    assert done.code == 0, done.messages
    assert "clara: worker" in done.messages and "another of this machine goes on" in done.messages
    store = Store(fleet.runs)
    (summary,) = store.summaries()
    run = store.load(summary.run)
    assert [it.context.workload for it in (run, *run.also)] == ["single", "sessions"]
    assert [len(it.cases) for it in (run, *run.also)] == [2, 4]
    # The first was not measured again, and nothing is kept twice.
    (fleet_folder,) = (fleet.runs / "fleets").iterdir()
    assert "two-ways.run.json" in " ".join(it.name for it in fleet_folder.glob("done/*"))
    assert not [*fleet_folder.glob("done/*.piece.json"), *fleet_folder.glob("pieces/2*")]
    # It says what shows the study, and that is what it shows.
    line = f"ciphermark study two-ways --from {run.context.run}"
    assert line in done.output
    assert line in fleet("fleet", "show").output
    shown = fleet(*line.split()[1:], "--json").document
    assert ["sha256", "rustcrypto", 2, 2] in shown["tables"][0]["rows"]
