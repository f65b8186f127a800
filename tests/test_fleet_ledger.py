"""The ledger of a fleet, by which it goes on where it ended."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark.errors import UsageError
from ciphermark.fleet.ledger import Ledger, MachineLine, Request
from ciphermark.plan import planfile
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.record.table import Table

REQUEST = Request(plan=planfile.default("survey-quick"), plan_name="survey-quick")


def test_a_machine_is_done_when_its_run_is_stored(
    tmp_path: Path, run: Run, run_rows: Table
) -> None:
    store = Store(tmp_path / "runs")
    ledger = Ledger(store, REQUEST)
    with ledger.held():
        ledger.keep(MachineLine(host="a", machine_id="a"), run, run_rows)
        ledger.note(MachineLine(host="b", machine_id="b", run="lost"))
        ledger.note(MachineLine(host="c", machine_id="c", state="trouble"))
        assert [ledger.is_done(it) for it in "abc"] == [True, False, False]
        ledger.finish()
        with pytest.raises(UsageError, match="is running already"), Ledger(store, REQUEST).held():
            pass
    again = Ledger(store, REQUEST)
    with again.held():
        assert [again.is_done(it) for it in "abc"] == [True, False, False]
        assert again.fleet == ledger.fleet
        for machine in "bc":
            again.note(MachineLine(host=machine, machine_id=machine, run=run.context.run))
        again.finish()
    assert not again.folder.exists(), "the fleet is complete"
    with ledger.held():
        assert not ledger.folder.joinpath("fleet.json").exists()


def test_who_begins_again_measures_all(tmp_path: Path, run: Run, run_rows: Table) -> None:
    store = Store(tmp_path / "runs")
    ledger = Ledger(store, REQUEST)
    with ledger.held():
        ledger.note(MachineLine(host="c", machine_id="c", state="trouble"))
        ledger.keep(MachineLine(host="a", machine_id="a"), run, run_rows)
    anew = Ledger(store, REQUEST)
    with anew.held(again=True):
        assert not anew.is_done("a") and anew.fleet.request.seed != ledger.fleet.request.seed
