"""A measured run is never thrown away: what its folder does not take is kept elsewhere, and comes
home with the next run that is stored."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ciphermark.cli import main
from ciphermark.command import measuring
from ciphermark.errors import KeptElsewhere, NotStored, UsageError, WorkError
from ciphermark.files import user_folders
from ciphermark.fleet.ledger import Ledger, MachineLine, Request
from ciphermark.plan import planfile
from ciphermark.record import unsent
from ciphermark.record.recorder import Recorder
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.record.table import Table
from ciphermark.record.unsent import Unsent
from ciphermark.workloads.single.rows import rows
from ciphermark.workloads.single.workload import WORKLOAD as SINGLE
from engine_fixture import Ended
from synthetic import (
    synthetic_algorithms,
    synthetic_cases,
    synthetic_events,
    synthetic_plan,
    synthetic_run,
)


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """In the place of /tmp and /var/tmp."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setattr("ciphermark.record.unsent._USUAL_TEMPORARY", ())
    return folder


def data_folder() -> Path:
    return user_folders.data_folder()


def in_the_way(folder: Path) -> None:
    """A file where a folder should be: nobody can store anything there, not even root."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("a file")


def another(seed: int) -> tuple[Run, Table]:
    run = synthetic_run(synthetic_cases(sizes=(64,)), rounds=6, seed=seed)
    return run, SINGLE.rows_table(rows(run))


def refused(store: Store, run: Run, run_rows: Table) -> str:
    with pytest.raises(KeptElsewhere) as told:
        store.save(run, run_rows)
    return str(told.value)


def check_is_home(store: Store, run: Run, run_rows: Table) -> None:
    assert run.context.run in store.run_ids()
    assert store.load(run.context.run).context == run.context
    assert store.load(run.context.run).samples == run.samples
    assert store.rows(run.context.run) == run_rows


def test_a_folder_that_became_a_file(
    store: Store, run: Run, run_rows: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    in_the_way(store.root)
    said = refused(store, run, run_rows)
    kept = data_folder() / "unsent" / Unsent(str(store.root)).name
    for part in (run.context.run, f"could not be stored in {store.root} (File exists)", str(kept)):
        assert part in said
    assert f"ciphermark show {run.context.run} --runs {kept}" in said
    check_is_home(Store(kept), run, run_rows)
    assert run.context.run in store.kept()
    store.root.unlink()
    capsys.readouterr()
    store.save(*another(7))
    check_is_home(store, run, run_rows)
    assert capsys.readouterr().err == (
        f"ciphermark: run {run.context.run}, which was kept in {kept}, is stored in {store.root}\n"
    )
    assert not kept.exists()
    store.save(*another(8))
    assert capsys.readouterr().err == ""
    assert len(store.run_ids()) == 3


def test_a_data_folder_on_the_same_full_disk(
    store: Store, run: Run, run_rows: Table, own_temporary_folder: Path
) -> None:
    in_the_way(store.root)
    in_the_way(data_folder())
    assert f"it is kept in {own_temporary_folder}/ciphermark-unsent-" in refused(
        store, run, run_rows
    )
    [kept] = own_temporary_folder.iterdir()
    assert kept.stat().st_mode & 0o077 == 0, "nobody else may read or change it"
    store.root.unlink()
    store.save(*another(7))
    check_is_home(store, run, run_rows)
    assert list(own_temporary_folder.iterdir()) == []


def printed(store: Store, run: Run, run_rows: Table) -> NotStored:
    """Where no folder takes anything."""
    in_the_way(store.root)
    in_the_way(data_folder())
    with (
        mock.patch.object(tempfile, "tempdir", str(store.root)),
        pytest.raises(NotStored) as told,
    ):
        store.save(run, run_rows)
    return told.value


def test_any_error_while_storing_keeps_the_run(
    store: Store, run: Run, run_rows: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ciphermark.record import run_folder

    add_run, calls = run_folder.add_run, [0]

    def failing(*arguments: object) -> Path:
        calls[0] += 1
        if calls[0] == 1:
            raise ValueError("no such type")
        return add_run(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(run_folder, "add_run", failing)
    assert "no such type" in refused(store, run, run_rows)
    monkeypatch.undo()
    assert run.context.run in store.kept()


def test_no_disk_takes_it_at_all(store: Store, run: Run, run_rows: Table) -> None:
    left = printed(store, run, run_rows)
    assert str(left).count("nor in") == 2 and str(store.root) in str(left)
    run_back, rows_back, _ = unsent.read_printed(
        b"Machine   box\n" + left.document + b"\n", Path("f")
    )
    assert run_back.context == run.context and run_back.cases == run.cases
    assert run_back.samples == run.samples
    assert rows_back == run_rows
    assert msgspec.json.decode(left.document)["rows"][0]["algorithm"] == run.cases[0].case.algorithm


def test_runs_within_a_run_are_printed_too(store: Store) -> None:
    (run, run_rows), (other, other_rows) = another(1), another(2)
    run.also = [other]
    line = unsent.printed(run, run_rows, [other_rows])
    back, _, [also_rows] = unsent.read_printed(line, Path("f"))
    assert back.also[0].context == other.context and also_rows == other_rows


@pytest.mark.slow
def test_what_was_printed_is_imported(
    store: Store,
    run: Run,
    run_rows: Table,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    left = printed(store, run, run_rows)

    def not_stored(**_: object) -> None:
        raise left

    monkeypatch.setattr(main, "app", not_stored)
    assert main.run() == 1
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == len(err.splitlines()) == 1
    assert "it is printed as JSON: save that in a file, make room, and type ciphermark" in err
    monkeypatch.undo()
    store.root.unlink()
    file = tmp_path / "printed.json"
    file.write_text(out)
    assert imported(file, store).code == 0
    check_is_home(store, run, run_rows)
    again = imported(file, store)
    assert again.code == 2 and "is stored in" in again.messages and "already" in again.messages


def imported(file: Path, store: Store) -> Ended:
    done = subprocess.run(
        [sys.executable, "-m", "ciphermark", "import", str(file), "--runs", str(store.root)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "Traceback" not in done.stderr
    return Ended(done.returncode, done.stdout, done.stderr)


@pytest.mark.slow
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_printed_run_that_was_changed_is_refused(
    run: Run, run_rows: Table, data: st.DataObject
) -> None:
    line = bytearray(unsent.printed(run, run_rows))
    if data.draw(st.booleans()):
        del line[data.draw(st.integers(len(b'{"ciphermark_run":'), len(line) - 1)) :]
    else:
        begin = line.index(b'"files"')
        at = data.draw(st.integers(begin, line.index(b'"rows"') - 1))
        line[at] ^= data.draw(st.integers(1, 255))
    try:
        back, rows_back, _ = unsent.read_printed(bytes(line), Path("f"))
    except UsageError as error:
        assert str(error).startswith("f has no whole run")
    else:  # padding of base64, or a file that no run needs
        assert back.context.run == run.context.run and rows_back.num_rows == run_rows.num_rows


@pytest.mark.parametrize(
    "name", ["../evil.parquet", "/etc/x.parquet", "also/../x.parquet", "context", "a/b.parquet"]
)
def test_a_printed_run_writes_nowhere_else(run: Run, name: str) -> None:
    line = msgspec.json.encode({"ciphermark_run": run.context.run, "files": {name: b"x"}})
    with pytest.raises(UsageError, match="names that no run has"):
        unsent.read_printed(line, Path("f"))


def test_the_runs_of_other_folders_stay_where_they_are(
    store: Store, run: Run, run_rows: Table, tmp_path: Path
) -> None:
    in_the_way(store.root)
    refused(store, run, run_rows)
    other = Store(tmp_path / "others")
    other.save(*another(7))
    assert other.run_ids() == [another(7)[0].context.run]
    assert Unsent(str(store.root)).run_ids() == [run.context.run]


def test_a_folder_that_somebody_else_has_made_is_not_looked_into(
    store: Store, run: Run, run_rows: Table, own_temporary_folder: Path, tmp_path: Path
) -> None:
    strange = Store(tmp_path / "strange")
    strange.save(*another(5))
    name = Unsent(str(store.root)).name
    (own_temporary_folder / f"ciphermark-unsent-{name}-abcd").symlink_to(strange.root)
    if os.getuid() == 0:
        theirs = Store(own_temporary_folder / f"ciphermark-unsent-{name}-efgh")
        theirs.save(*another(6))
        os.chown(theirs.root, 65534, 65534)
    store.save(run, run_rows)
    assert store.run_ids() == [run.context.run]
    assert strange.run_ids()


def test_two_runs_of_one_name_are_both_kept(
    store: Store, run: Run, run_rows: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    store.save(run, run_rows)
    twin, twin_rows = another(9)
    twin.context.run = run.context.run
    refused(store, twin, twin_rows)
    store.save(*another(7))
    assert len(store.run_ids()) == 3
    assert store.rows(run.context.run) == run_rows
    [line] = capsys.readouterr().err.splitlines()
    assert f"run {run.context.run}, which was kept in " in line and "is stored as 2" in line


def test_what_cannot_come_home_yet_waits_on(
    store: Store, run: Run, run_rows: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_the_way(store.root)
    refused(store, run, run_rows)
    store.root.unlink()

    def full(*_: object) -> Path:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("ciphermark.record.run_folder.copy_run", full)
        store.save(*another(7))
    assert Unsent(str(store.root)).run_ids() == [run.context.run]
    store.save(*another(8))
    check_is_home(store, run, run_rows)


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[None]:
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder], capture_output=True
    )
    if made.returncode:
        pytest.skip("mount may not make a small disk here")
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


@pytest.mark.slow
def test_a_disk_that_fills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with small_disk(tmp_path / "disk", "1m"):
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "disk" / "data"))
        store = Store(tmp_path / "disk" / "runs")
        runs, kept = [another(seed) for seed in range(12)], []
        for run, run_rows in runs:
            try:
                store.save(run, run_rows)
            except KeptElsewhere:
                kept.append(run.context.run)
            if len(store.run_ids()) == 2 and not (tmp_path / "disk" / "fill").exists():
                with pytest.raises(OSError), (tmp_path / "disk" / "fill").open("wb") as fill:
                    fill.write(bytes(2**21))
        assert kept and set(store.kept()) == {run.context.run for run, _ in runs}
        (tmp_path / "disk" / "fill").unlink()
        store.save(*another(20))
        assert len(store.run_ids()) == 13
        for run, run_rows in runs:
            check_is_home(store, run, run_rows)


def test_a_fleet_that_cannot_note_a_run_stores_it_all_the_same(
    store: Store, run: Run, run_rows: Table
) -> None:
    ledger = Ledger(store, Request(plan=planfile.default("survey-quick"), plan_name="quick"))
    in_the_way(ledger.folder)
    with pytest.raises(WorkError, match="the state of the fleet could not be written"):
        ledger.keep(MachineLine(host="h", machine_id="m"), run, run_rows)
    check_is_home(store, run, run_rows)


def failing(*_: object) -> None:
    raise ZeroDivisionError("a row that nobody has thought of")


def test_a_run_that_cannot_be_analysed_is_stored_without_rows(
    store: Store, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ciphermark.workload.rows", failing)
    with pytest.raises(ZeroDivisionError):
        measuring.keep(store, run, None)
    assert store.load(run.context.run).samples == run.samples
    assert store.rows(run.context.run).num_rows == 0


def test_what_came_before_an_error_of_our_own_is_stored(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = synthetic_plan(synthetic_cases(sizes=(64,)), seed=1)
    recorder = Recorder("ciphermark survey", "survey", plan, synthetic_algorithms(), [])
    events = list(synthetic_events(plan, rounds=6))
    with pytest.raises(ZeroDivisionError), measuring._kept_at_least(store, recorder):
        for event in events[: len(events) // 2]:
            recorder.feed(event)
        failing()
    [name] = store.run_ids()
    assert f"the results until then are kept in run {name}" in capsys.readouterr().err
    assert store.context(name).interrupted and store.load(name).samples.num_rows > 0
