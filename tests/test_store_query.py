"""Questions over all runs."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from types import FrameType
from typing import NoReturn

import pytest

from ciphermark.errors import Stopped, UsageError, WorkError
from ciphermark.record import database
from ciphermark.record.layout import table_file
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.record.table import NUMBER, Table
from ciphermark.workloads.single.rows import rows
from ciphermark.workloads.single.workload import WORKLOAD as SINGLE
from synthetic import synthetic_cases, synthetic_run


@pytest.fixture
def two(store: Store) -> tuple[Store, Run, Run]:
    runs = [synthetic_run(synthetic_cases(["sha256"]), rounds=2 + k, seed=k) for k in (1, 2)]
    for run in runs:
        store.save(run, SINGLE.rows_table(rows(run)))
    return store, *runs


def test_runs_rows_and_samples_of_all_runs(two: tuple[Store, Run, Run]) -> None:
    store, *runs = two
    answer = store.query("""
        SELECT run, plan_name, count(DISTINCT rows.case) AS cases, count(*) AS samples
        FROM runs JOIN rows USING (run) JOIN samples USING (run, "case")
        GROUP BY ALL ORDER BY run
        """)
    assert answer.to_pylist() == [
        {
            "run": run.context.run,
            "plan_name": "survey",
            "cases": len(run.cases),
            "samples": run.samples.num_rows,
        }
        for run in runs
    ]


def test_values_are_given_apart_from_the_question(two: tuple[Store, Run, Run]) -> None:
    store, first, _ = two
    answer = store.query("SELECT count(*) AS n FROM Rows WHERE run = ?", [first.context.run])
    assert answer.to_pylist() == [{"n": len(first.cases)}]


def test_runs_of_different_minors_are_asked_together(two: tuple[Store, Run, Run]) -> None:
    store, first, _ = two
    newer = synthetic_run(synthetic_cases(["sha256"]), rounds=2, seed=3)
    table = SINGLE.rows_table(rows(newer))
    store.save(newer, table.with_column("energy_nj", [1.0] * table.num_rows, NUMBER))
    answer = store.query("SELECT run, max(energy_nj) AS e FROM rows GROUP BY run ORDER BY run")
    assert answer["e"].to_pylist() == [None, None, 1.0]


def test_a_bad_question_is_a_users_mistake(two: tuple[Store, Run, Run]) -> None:
    store, *_ = two
    for sql in ("selct", "SELECT no_such_column FROM runs", "SELECT * FROM nothing", ""):
        with pytest.raises(UsageError) as refusal:
            store.query(sql)
        assert "\n" not in str(refusal.value)


def test_a_damaged_file_is_named_where_it_is_asked_for(two: tuple[Store, Run, Run]) -> None:
    store, first, _ = two
    file = table_file(store.folder(first.context.run), "samples")
    file.write_bytes(file.read_bytes()[:-10])
    with pytest.raises(WorkError, match=f"{first.context.run}/samples.parquet"):
        store.query("SELECT count(*) FROM samples")
    assert store.query("SELECT count(*) AS n FROM rows")["n"].to_pylist() == [12]


def test_any_folder_name_will_do(tmp_path: Path, run: Run, run_rows: Table) -> None:
    """DuckDB is told the files in text, where quotes and stars have meanings of their own."""
    store = Store(tmp_path / "it's [a] * {folder}?")
    store.save(run, run_rows)
    assert store.query("SELECT count(*) AS n FROM rows")["n"].to_pylist() == [run_rows.num_rows]


def test_without_runs_there_is_nothing_to_ask(store: Store) -> None:
    assert store.query("SELECT count(*) AS n FROM runs")["n"].to_pylist() == [0]
    with pytest.raises(UsageError, match="ciphermark survey"):
        store.query("SELECT count(*) FROM rows")


def test_a_question_opens_the_files_of_runs_alone(
    two: tuple[Store, Run, Run], tmp_path: Path
) -> None:
    store, *_ = two
    (tmp_path / "other.csv").write_text("a\n1\n")
    other, made = tmp_path / "other.csv", tmp_path / "made.csv"
    hidden = "made"  # a name of Python, which is no table
    assert hidden
    for sql in (
        f"SELECT * FROM read_csv('{other}')",
        f"COPY (SELECT * FROM rows) TO '{made}'",
        f"ATTACH '{tmp_path / 'made.db'}'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET memory_limit = '64GiB'",
        "SELECT * FROM 'https://example.org/rows.parquet'",
        "SELECT * FROM hidden",
    ):
        with pytest.raises((UsageError, WorkError)):
            store.query(sql)
    assert sorted(tmp_path.glob("*.*")) == [other]


def test_a_question_of_more_than_the_memory_is_a_sentence(
    two: tuple[Store, Run, Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, *_ = two
    monkeypatch.setitem(database.BOUNDS, "memory_limit", "16MiB")
    monkeypatch.setitem(database.BOUNDS, "max_temp_directory_size", "1MiB")
    large = "SELECT list(t) FROM (SELECT repeat('x', 1000) AS t FROM range(999999))"
    with pytest.raises(WorkError, match="cannot be queried: Out of Memory"):
        store.query(large)
    with pytest.raises(WorkError, match="take more than 16MiB of memory"), store.figures() as it:
        it.ask(large)


def test_every_database_is_bounded() -> None:
    """Also those of modules to come."""
    opened = [
        path.name
        for path in Path(database.__file__).parents[1].rglob("*.py")
        if "duckdb.connect(" in path.read_text("utf-8")
    ]
    assert opened == ["database.py"]
    assert Path(database.__file__).read_text("utf-8").count("duckdb.connect(") == 2


def test_a_signal_ends_a_question() -> None:
    def stop(number: int, frame: FrameType | None) -> NoReturn:
        raise Stopped("stopped")

    before = signal.signal(signal.SIGUSR1, stop)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGUSR1))
    timer.start()
    try:
        with pytest.raises(Stopped), database.shared() as connection:
            connection.execute(
                "SELECT count(*) FROM range(10000000000) AS r(x) WHERE x % 7 = x % 11"
            )
            connection.fetchall()
    finally:
        timer.join()
        signal.signal(signal.SIGUSR1, before)
