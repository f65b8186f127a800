"""A run appears whole or not at all, whatever happens while it is written."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from ciphermark.errors import WorkError
from ciphermark.files.atomic import replaced_file
from ciphermark.record import parquet
from ciphermark.record.layout import TABLES
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.record.table import Table

FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

PREAMBLE = """
    import os, resource, signal, sys
    from pathlib import Path
    from synthetic import synthetic_cases, synthetic_run
    from ciphermark.workloads.single.rows import rows
    from ciphermark.workloads.single.workload import WORKLOAD as SINGLE
    from ciphermark.errors import UsageError, WorkError
    from ciphermark.record import parquet
    from ciphermark.record.store import Store

    store = Store(Path(sys.argv[1]))
    run = synthetic_run(synthetic_cases(sizes=(64, 1024)), rounds=6, seed=int(sys.argv[2]))
    table = SINGLE.rows_table(rows(run))
"""


def process(store: Store, code: str, seed: int = 1) -> subprocess.Popen[str]:
    """Another Python that has a `store`, a `run` and its `table` of rows, and runs this code."""
    script = textwrap.dedent(PREAMBLE) + textwrap.dedent(code)
    return subprocess.Popen(
        [sys.executable, "-c", script, str(store.root), str(seed)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    )


def output(child: subprocess.Popen[str]) -> str:
    return child.communicate(timeout=60)[0]


def left_in(store: Store) -> list[str]:
    return sorted(path.name for path in store.root.iterdir())


@pytest.mark.parametrize("written", range(len(TABLES)))
@pytest.mark.parametrize("failure", [FULL, KeyboardInterrupt()], ids=["full disk", "Ctrl-C"])
def test_nothing_is_left_when_writing_fails(
    store: Store,
    run: Run,
    run_rows: Table,
    monkeypatch: pytest.MonkeyPatch,
    written: int,
    failure: BaseException,
) -> None:
    """After so many of the files have been written."""
    write = parquet.write

    def failing(table: Table, path: Path) -> None:
        if len(list(path.parent.iterdir())) == written:
            path.write_bytes(b"PAR1 half of it")
            raise failure
        write(table, path)

    monkeypatch.setattr(parquet, "write", failing)
    expected = WorkError if isinstance(failure, OSError) else KeyboardInterrupt
    with pytest.raises(expected):
        store.save(run, run_rows)
    assert left_in(store) == []


def test_a_full_disk_is_told_in_a_sentence(
    store: Store, run: Run, run_rows: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise FULL

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WorkError) as told:
        store.save(run, run_rows)
    for part in (run.context.run, str(store.root), "No space left on device", ", nor in "):
        assert part in str(told.value)


@pytest.mark.slow
def test_a_limit_on_file_size_is_like_a_full_disk(store: Store, run: Run) -> None:
    told = output(
        process(
            store,
            """
            resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
            for work in (store.check_writable, lambda: store.save(run, table)):
                try:
                    work()
                except (UsageError, WorkError) as error:
                    print(type(error).__name__, error)
            """,
        )
    )
    before, after = told.splitlines()
    assert before.startswith(f"UsageError runs cannot be stored in {store.root} (File too large)")
    assert after.startswith(f"NotStored run {run.context.run} could not be stored")
    assert left_in(store) == []


def test_what_a_killed_process_left_is_removed_at_the_next_save(
    store: Store, run: Run, run_rows: Table
) -> None:
    killed = process(
        store,
        """
        write = parquet.write
        def dying(table, path):
            write(table, path)
            if path.name == "samples.parquet":
                os.kill(os.getpid(), signal.SIGKILL)
        parquet.write = dying
        store.save(run, table)
        """,
        seed=2,
    )
    output(killed)
    (left,) = left_in(store)
    assert left.startswith(".new-")
    assert store.summaries() == []
    store.save(run, run_rows)
    assert not [name for name in left_in(store) if name.startswith(".new-")]
    assert [summary.run for summary in store.summaries()] == [run.context.run]


@pytest.mark.slow
def test_two_processes_may_save_at_once(store: Store) -> None:
    saving = """
        for k in range(5):
            run.context.run = f"20261121-091500-{int(sys.argv[2]):02x}{k:02x}"
            store.save(run, table)
    """
    children = [process(store, saving, seed) for seed in (1, 2)]
    for child in children:
        child.communicate(timeout=60)
        assert child.returncode == 0
    assert len(store.summaries()) == 10
    assert store.listing().unreadable == []
    assert not [name for name in left_in(store) if name.startswith(".new-")]


def test_a_file_is_replaced_whole_or_stays_as_it_was(tmp_path: Path) -> None:
    target = tmp_path / "figures.csv"
    target.write_text("old")
    with pytest.raises(ZeroDivisionError), replaced_file(target) as partial:
        partial.write_text("half of the n")
        assert target.read_text() == "old"
        raise ZeroDivisionError
    assert [file.name for file in tmp_path.iterdir()] == ["figures.csv"]
    assert target.read_text() == "old"
