"""The figures of all runs: the same as the runs', whatever was added, removed or damaged."""

from __future__ import annotations

import multiprocessing
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ciphermark.answers.machines.figures import matrices_of, stored_sizes
from ciphermark.answers.machines.machine import names_of, of_summaries
from ciphermark.errors import WorkError
from ciphermark.record import parquet, query
from ciphermark.record.layout import table_file
from ciphermark.record.query import FOLDER
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.record.table import TEXT, Table
from ciphermark.site.functions import _newest
from machines_example import few_machines
from test_store_index import add

GOLDEN = Path(__file__).with_name("golden")
COUNTS = "SELECT run, count(*) AS n FROM figures GROUP BY run ORDER BY run"


def with_rows(store: Store, run: Run, run_rows: Table, number: int, rows: int = 4) -> str:
    """Adds a run that has its context and some rows."""
    name = add(store, run.context, number)
    parquet.write(run_rows.taken(np.arange(rows)), table_file(store.folder(name), "rows"))
    return name


def answered(store: Store, sql: str, say=str) -> Table:  # noqa: ANN001
    with store.figures(say) as figures:
        return figures.ask(sql)


def counted(store: Store) -> dict[str, int]:
    return {row["run"]: row["n"] for row in answered(store, COUNTS).to_pylist()}


def parts(store: Store) -> list[Path]:
    return sorted((store.root / FOLDER).glob("rows-*"))


NEWEST = (
    "SELECT figures.* FROM figures JOIN runs USING (run) WHERE cycles_per_message IS NOT NULL "
    "QUALIFY row_number() OVER (PARTITION BY machine_id, machine_kind, machine_name, "
    f"{query._CASE} ORDER BY started_unix_ns DESC) = 1"
)


def kept_newest(store: Store) -> list[str]:
    """The newest figure of each case, as it is kept from time to time."""
    with store.figures() as every, every.newest() as newest:
        columns = every.ask("SELECT * FROM figures LIMIT 0").column_names
        return texts(newest.ask(f"SELECT {', '.join(columns)} FROM figures"))


def texts(table: Table) -> list[str]:
    return sorted(map(str, table.to_pylist()))


def test_figures_are_those_of_the_rows(store: Store, run: Run, run_rows: Table) -> None:
    store.save(run, run_rows)
    names = [it for it in query.COLUMNS if it != "switches"]
    found = answered(store, f"SELECT {', '.join(names)} FROM figures")
    wanted = [{name: row[name] for name in names} for row in run_rows.to_pylist()]
    assert sorted(map(str, found.to_pylist())) == sorted(map(str, wanted))


def test_an_empty_store_has_no_figures(store: Store) -> None:
    assert counted(store) == {}


def test_runs_of_all_formats_have_their_figures(store: Store) -> None:
    expected = {}
    for number, folder in enumerate(sorted(GOLDEN.glob("run-1.?"))):
        name = f"20260101-00000{number}-0000"
        shutil.copytree(folder, store.folder(name))
        expected[name] = store.rows(name).num_rows
    assert len(expected) >= 8
    assert counted(store) == expected


def test_other_workloads_are_no_figures_of_one_thread(store: Store) -> None:
    shutil.copytree(GOLDEN / "run-1.7-packets", store.folder("20260101-000000-0000"))
    assert counted(store) == {}


def test_switched_rows_are_told(store: Store) -> None:
    shutil.copytree(GOLDEN / "run-1.7", store.folder("20260101-000000-0000"))
    switched = sum(bool(it) for it in store.rows("20260101-000000-0000")["switches"].to_pylist())
    assert switched > 0
    found = answered(store, "SELECT count(*) AS n FROM figures WHERE switched")
    assert found["n"].to_pylist() == [switched]


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(steps=st.lists(st.tuples(st.booleans(), st.integers(0, 9)), min_size=1, max_size=8))
def test_any_coming_and_going_is_followed(
    run: Run, run_rows: Table, tmp_path_factory: pytest.TempPathFactory, steps: list
) -> None:
    store, expected = Store(tmp_path_factory.mktemp("runs")), {}
    for comes, number in steps:
        name = f"20261121-0900{number:02}-{number:04x}"
        if comes and name not in expected:
            assert with_rows(store, run, run_rows, number, rows=1 + number) == name
            expected[name] = 1 + number
        elif not comes and name in expected:
            shutil.rmtree(store.folder(name))
            del expected[name]
        assert counted(store) == expected
        assert kept_newest(store) == texts(answered(store, NEWEST))


@pytest.mark.slow
def test_few_files_are_kept_and_old_runs_not_read_again(
    store: Store, run: Run, run_rows: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[list[str]] = []
    plain = query._add

    def watched(folder, runs, place, say) -> None:  # noqa: ANN001
        read.append(list(runs))
        plain(folder, runs, place, say)

    monkeypatch.setattr(query, "_add", watched)
    for number in range(12):
        with_rows(store, run, run_rows, number)
        assert len(counted(store)) == number + 1
        assert len(parts(store)) <= 5
    assert [len(it) for it in read] == [1] * 12
    # Whose rows come again under the old name is another question: a run never changes.
    assert counted(store) == {it: 4 for it in store.run_ids()}


def test_a_damaged_run_is_said_and_the_others_count(
    store: Store, run: Run, run_rows: Table
) -> None:
    names = [with_rows(store, run, run_rows, number) for number in range(3)]
    table_file(store.folder(names[1]), "rows").write_bytes(b"PAR1")
    said: list[str] = []
    found = answered(store, COUNTS, said.append)
    assert found["run"].to_pylist() == [names[0], names[2]]
    [problem] = said
    assert str(table_file(store.folder(names[1]), "rows")) in problem


@pytest.mark.parametrize("column", ["ci_low", "message_bytes", "converged", "switches"])
def test_a_column_of_another_type_is_said_and_the_others_count(
    store: Store, run: Run, run_rows: Table, column: str
) -> None:
    names = [with_rows(store, run, run_rows, number) for number in range(2)]
    path = table_file(store.folder(names[1]), "rows")
    rows = parquet.read(path)
    path.unlink()
    parquet.write(rows.with_column(column, ["x" * 1000] * rows.num_rows, TEXT), path)
    said: list[str] = []
    found = answered(
        store, "SELECT DISTINCT run, max(ci_low) < 1e9 FROM figures GROUP BY run", said.append
    )
    assert found["run"].to_pylist() == names[:1]
    [problem] = said
    assert str(path) in problem and len(problem) < 1000


@pytest.mark.parametrize("harm", [b"", b"PAR1 and no more"])
def test_the_files_are_never_the_truth(
    store: Store, run: Run, run_rows: Table, harm: bytes
) -> None:
    with_rows(store, run, run_rows, 0)
    before, newest = counted(store), kept_newest(store)
    for part in (store.root / FOLDER).glob("*-*"):
        part.write_bytes(harm)
    assert counted(store) == before
    assert kept_newest(store) == newest != []


def test_figures_that_are_removed_while_they_are_read_are_a_sentence(
    store: Store, run: Run, run_rows: Table
) -> None:
    store.save(run, run_rows)
    with pytest.raises(WorkError, match="type the command again"), store.figures() as figures:
        shutil.rmtree(store.root / FOLDER)
        figures.ask(COUNTS)
    assert counted(store)


def test_the_newest_figures_of_a_further_run_need_its_rows_alone(
    store: Store, run: Run, run_rows: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        with_rows(store, run, run_rows, number)
    kept_newest(store)
    [before] = parts(store)
    monkeypatch.setattr(query, "_merge", lambda *_: None)  # which joins files of so few runs
    further = with_rows(store, run, run_rows, 3, rows=2)
    read: list[Path] = []
    plain = query._read_parquet
    of_further = f"SELECT count(*) AS n FROM figures WHERE run = '{further}'"
    for count in (1, 0):  # once, and not again
        with store.figures() as every, monkeypatch.context() as watched:
            watched.setattr(query, "_read_parquet", lambda it: read.extend(it) or plain(it))
            with every.newest() as newest:
                assert newest.ask(of_further)["n"].to_pylist() == [2]
        assert len(read) == count and before not in read
        read.clear()
    assert kept_newest(store) == texts(answered(store, NEWEST))


def test_a_folder_that_cannot_be_written_is_asked_all_the_same(
    store: Store, run: Run, run_rows: Table
) -> None:
    """Permissions do not bind root, so a file is in the way."""
    with_rows(store, run, run_rows, 0)
    (store.root / FOLDER).write_text("")
    assert sum(counted(store).values()) == 4


def _ask(root: Path, answers) -> None:  # noqa: ANN001
    answers.put(counted(Store(root)))


@pytest.mark.slow
def test_two_processes_at_once_see_the_same(store: Store, run: Run, run_rows: Table) -> None:
    for number in range(6):
        with_rows(store, run, run_rows, number)
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    asking = [context.Process(target=_ask, args=(store.root, answers)) for _ in range(2)]
    for it in asking:
        it.start()
    try:
        found = [answers.get(timeout=120) for _ in asking]
    finally:
        for it in asking:
            it.join(timeout=30)
            if it.is_alive():
                it.kill()
    assert found == [{name: 4 for name in store.run_ids()}] * 2
    assert sum(part.rows for part in query._parts(store.root / FOLDER)) == 24


@pytest.mark.slow
def test_the_newest_figures_answer_as_all_do(store: Store) -> None:
    few_machines(store)
    with store.figures() as every, every.newest() as newest:
        names = names_of(of_summaries(store, every.summaries))
        assert matrices_of(newest, names) == matrices_of(every, names) != []
        assert stored_sizes(newest) == stored_sizes(every)
        assert list(_newest(newest)) == list(_newest(every)) != []
        [rows] = newest.ask("SELECT count(*) FROM figures").to_pylist()[0].values()
        [all_rows] = every.ask("SELECT count(*) FROM figures").to_pylist()[0].values()
        assert rows < all_rows
