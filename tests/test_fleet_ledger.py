"""What a fleet writes down of its jobs, so that it can go on where it ended."""

from __future__ import annotations

from pathlib import Path

import msgspec

from ciphermark.fleet.ledger import Done, Ledger


def test_a_job_is_done_when_its_run_is_stored_or_there_was_nothing_to_measure(
    tmp_path: Path,
) -> None:
    ledger = Ledger(tmp_path / "fleet")
    stored = Done(job="a", machine_id="m", machine_kind="k", run="one", cases=3, errors=0)
    lost = msgspec.structs.replace(stored, job="b", run="two")
    nothing = msgspec.structs.replace(stored, job="c", run="", cases=0)
    for it in (stored, lost, nothing):
        ledger.intend(it)
    assert {it.job for it in ledger.done(lambda it: it.run == "one")} == {"a", "c"}
    ledger.forget(stored)
    assert {it.job for it in ledger.done(lambda it: True)} == {"b", "c"}
