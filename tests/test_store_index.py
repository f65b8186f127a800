"""The list of runs: the same with and without its index, whatever became of that."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from ciphermark.files.rebuildable import sealed, unsealed
from ciphermark.record import index, parquet, run_folder, tables
from ciphermark.record.layout import FORMAT_MAJOR, table_file
from ciphermark.record.run import Context, Run, Summary
from ciphermark.record.store import Store
from ciphermark.record.table import INTEGER, Table

MANY = 300
FEW = 12


def add(store: Store, context: Context, number: int, **facts: object) -> str:
    """Adds a run that has nothing but its context, as if its folder had been copied here."""
    run = f"20261121-09{number // 60:02}{number % 60:02}-{number:04x}"
    facts = {"run": run, "started_unix_ns": context.started_unix_ns + number * 10**9} | facts
    store.folder(run).mkdir(parents=True)
    table = tables.CONTEXTS.table([msgspec.structs.replace(context, **facts)])
    # Not by the store, which waits for the disk at each file.
    table_file(store.folder(run), "context").write_bytes(parquet.encoded(table))
    return run


def test_rows_without_the_columns_that_are_counted_hide_no_run(
    store: Store, run: Run, run_rows: Table
) -> None:
    name = add(store, run.context, 1)
    parquet.write(
        Table({"case": INTEGER}, {"case": run_rows["case"].values}),
        table_file(store.folder(name), "rows"),
    )
    assert [it.run for it in store.summaries()] == [name]


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The run folders whose context was read for the index."""
    folders: list[Path] = []
    read_summary = run_folder.read_summary

    def counted(folder: Path) -> Summary:
        folders.append(folder)
        return read_summary(folder)

    monkeypatch.setattr(run_folder, "read_summary", counted)
    return folders


@pytest.fixture
def many(store: Store, run: Run) -> Store:
    for number in range(MANY):
        add(store, run.context, number)
    return store


@pytest.fixture
def few(store: Store, run: Run) -> Store:
    for number in range(FEW):
        add(store, run.context, number)
    return store


def listed(store: Store) -> list[str]:
    return [summary.run for summary in store.summaries()]


def on_disk(store: Store) -> list[str]:
    return sorted((path.name for path in store.root.iterdir() if path.is_dir()), reverse=True)


@pytest.mark.slow
def test_runs_are_listed_newest_first_and_read_once(many: Store, reads: list[Path]) -> None:
    assert listed(many) == on_disk(many)
    assert len(reads) == MANY
    assert listed(many) == on_disk(many)
    assert len(reads) == MANY


@pytest.mark.slow
def test_only_new_runs_are_read_and_vanished_ones_forgotten(
    many: Store, run: Run, reads: list[Path]
) -> None:
    listed(many)
    reads.clear()
    new = add(many, run.context, MANY)
    for gone in on_disk(many)[10:20]:
        shutil.rmtree(many.folder(gone))
    assert listed(many) == on_disk(many)
    assert reads == [many.folder(new)]


def test_summary_is_that_of_the_context(store: Store, run: Run, run_rows: Table) -> None:
    store.save(run, run_rows)
    (summary,) = store.summaries()
    assert msgspec.structs.asdict(summary).items() <= msgspec.structs.asdict(run.context).items()


def test_a_saved_run_is_indexed_at_once(
    store: Store, run: Run, run_rows: Table, reads: list[Path]
) -> None:
    store.save(run, run_rows)
    reads.clear()
    assert listed(store) == [run.context.run]
    assert reads == []


def test_the_limit_gives_the_newest(few: Store) -> None:
    assert [summary.run for summary in few.summaries(3)] == on_disk(few)[:3]


def test_a_folder_that_is_not_there_has_no_runs(store: Store) -> None:
    assert store.summaries() == []
    assert not store.root.exists()


def _empty(file: Path) -> None:
    file.write_bytes(b"")


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])


def _other_fields(file: Path) -> None:
    """As a version wrote it that did not know the last field."""
    content = json.loads(unsealed(file.read_bytes()))
    content["fields"].pop()
    file.write_bytes(sealed(json.dumps(content).encode()))


def _folder_in_its_place(file: Path) -> None:
    """Cannot be read, and cannot be replaced either: what a folder without write permission is."""
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize("harm", [Path.unlink, _empty, _cut, _other_fields, _folder_in_its_place])
def test_the_index_is_never_the_truth(
    few: Store, harm: Callable[[Path], object], reads: list[Path]
) -> None:
    before = few.summaries()
    reads.clear()
    harm(few.root / index.INDEX_FILE)
    assert few.summaries() == before
    assert len(reads) == FEW
    assert not list(few.root.glob(".new-*"))


def test_a_bad_run_is_reported_and_the_others_listed(store: Store, run: Run) -> None:
    good = add(store, run.context, 0)
    newer = add(store, run.context, 1, format_major=FORMAT_MAJOR + 1)
    cut = add(store, run.context, 2)
    _cut(table_file(store.folder(cut), "context"))
    for _ in range(2):
        listing = store.listing()
        assert [summary.run for summary in listing.summaries] == [good]
        of_newer, of_cut = listing.unreadable
        assert str(store.folder(newer)) in of_newer and "upgrade" in of_newer
        assert str(store.folder(cut)) in of_cut


def test_a_mended_run_is_listed_again(store: Store, run: Run) -> None:
    bad = add(store, run.context, 0)
    file = table_file(store.folder(bad), "context")
    whole = file.read_bytes()
    _cut(file)
    assert listed(store) == []
    file.write_bytes(whole)
    assert listed(store) == [bad]


def test_other_things_in_the_folder_are_not_runs(store: Store, run: Run) -> None:
    only = add(store, run.context, 0)
    (store.root / "notes").mkdir()
    (store.root / "20261121-091500-7f3a").write_text("a file, not a folder")
    (store.root / ".new-20261121-091500-7f3b-1").mkdir()
    assert listed(store) == [only]
    assert store.listing().unreadable == []


def test_a_run_is_listed_under_the_name_of_its_folder(store: Store, run: Run) -> None:
    add(store, run.context, 0, run="20200101-000000-ffff")
    assert listed(store) == on_disk(store)
    assert store.context(listed(store)[0]).run == "20200101-000000-ffff"
