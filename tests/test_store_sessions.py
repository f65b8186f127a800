"""Runs of many sessions in the store, beside those of one thread."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from ciphermark.errors import WorkError
from ciphermark.record.layout import table_file
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.workloads.sessions.workload import WORKLOAD
from sessions_example import sessions_example


@pytest.fixture(scope="module")
def example() -> tuple[Run, pa.Table]:
    run, rows = sessions_example()
    return run, WORKLOAD.rows_table(rows)


@pytest.mark.slow
def test_executions_are_read_as_they_were_stored(
    store: Store, example: tuple[Run, pa.Table]
) -> None:
    run, rows = example
    store.save(run, rows)
    stored = store.load(run.context.run)
    assert stored.sessions == run.sessions
    assert [it.case for it in stored.cases] == [it.case for it in run.cases]


def test_a_run_of_one_thread_has_no_executions(store: Store, run: Run, run_rows: pa.Table) -> None:
    folder = store.save(run, run_rows)
    assert not table_file(folder, "sessions").exists()
    assert store.load(run.context.run).sessions == []


@pytest.mark.parametrize(
    "harm", [Path.unlink, lambda file: file.write_bytes(file.read_bytes()[:-9])]
)
def test_a_damaged_table_of_executions_is_named(
    store: Store,
    example: tuple[Run, pa.Table],
    harm,  # noqa: ANN001
) -> None:
    run, rows = example
    file = table_file(store.save(run, rows), "sessions")
    harm(file)
    with pytest.raises(WorkError) as told:
        store.load(run.context.run)
    assert str(file) in str(told.value)
    assert store.rows(run.context.run).num_rows == len(run.cases), "the figures are still there"
