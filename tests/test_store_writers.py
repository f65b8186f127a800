"""Several machines write into one folder: nobody removes what another is still writing."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.files import atomic
from ciphermark.files.atomic import NOBODY, Writer, current_writer
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.record.table import Table
from test_store_crash import PREAMBLE, left_in, process

DAY_S = 86_400

CONTAINERS = (
    ["unshare", "--pid", "--fork", "--mount-proc"],
    ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"],
)
"""Ways to start a process that has other process numbers, as root and as anybody."""

PAUSED = """
    write = parquet.write
    def paused(table, path):
        write(table, path)
        if path.name == "samples.parquet":
            Path(sys.argv[3]).touch()
            Path(sys.argv[4]).read_bytes()  # a pipe that the test writes to
    parquet.write = paused
    store.save(run, table)
"""


def container() -> list[str]:
    """What starts a process in a PID namespace of its own."""
    for way in CONTAINERS:
        try:
            if subprocess.run([*way, "true"], capture_output=True, timeout=10).returncode == 0:
                return way
        except (OSError, subprocess.TimeoutExpired):
            continue
    pytest.skip("unshare may not make a PID namespace here")


def partial(folder: Path, writer: object, name: str = "20261121-091500-7f3a") -> Path:
    """What a writer has left half-written."""
    path = folder / f".new-{name}-{writer}-0123abcd"
    path.mkdir(parents=True)
    (path / "context.parquet").write_bytes(b"PAR1")
    return path


def aged(path: Path, seconds: float) -> Path:
    for it in (*path.iterdir(), path):
        os.utime(it, (time.time() - seconds, time.time() - seconds))
    return path


def ended_process() -> int:
    """A process number that nobody has any more."""
    child = subprocess.Popen(["true"])
    child.wait()
    return child.pid


@pytest.mark.slow
def test_a_save_leaves_what_a_container_is_writing(
    store: Store, run: Run, run_rows: Table, tmp_path: Path
) -> None:
    way = container()
    mark, pipe = tmp_path / "writing", tmp_path / "pipe"
    os.mkfifo(pipe)
    import textwrap

    script = textwrap.dedent(PREAMBLE) + textwrap.dedent(PAUSED)
    other = subprocess.Popen(
        [*way, sys.executable, "-c", script, str(store.root), "2", str(mark), str(pipe)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        deadline = time.monotonic() + 60
        while not mark.exists():
            assert other.poll() is None and time.monotonic() < deadline
            time.sleep(0.02)
        store.save(run, run_rows)
        assert [name for name in left_in(store) if name.startswith(".new-")]
        pipe.write_bytes(b".")
        assert other.wait(60) == 0
    finally:
        other.kill()
    assert len(store.summaries()) == 2
    assert store.listing().unreadable == []


@pytest.mark.slow
def test_two_containers_with_the_same_process_numbers_may_save_at_once(store: Store) -> None:
    way = container()
    saving = """
        for k in range(5):
            run.context.run = f"20261121-091500-{int(sys.argv[2]):02x}{k:02x}"
            store.save(run, table)
    """
    import textwrap

    script = textwrap.dedent(PREAMBLE) + textwrap.dedent(saving)
    others = [
        subprocess.Popen(
            [*way, sys.executable, "-c", script, str(store.root), str(seed)],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        for seed in (1, 2)
    ]
    assert [it.wait(120) for it in others] == [0, 0]
    assert len(store.summaries()) == 10
    assert store.listing().unreadable == []
    assert not [name for name in left_in(store) if name.startswith(".new-")]


def test_what_living_writers_and_others_write_is_left(tmp_path: Path) -> None:
    own = current_writer()
    kept = {
        partial(tmp_path, own, "mine"),
        partial(tmp_path, Writer(ended_process(), 1, "ab" * 8), "of-another-machine"),
        partial(tmp_path, Writer(ended_process(), 1, NOBODY), "of-nobody-known"),
    }
    older_version = tmp_path / f".new-older-{ended_process()}"
    unnumbered = tmp_path / ".new-notes"
    for folder in (older_version, unnumbered):
        folder.mkdir()
    atomic.remove_leftovers(tmp_path)
    assert set(tmp_path.iterdir()) == kept | {older_version, unnumbered}


def test_what_dead_writers_of_this_machine_left_is_removed(tmp_path: Path) -> None:
    own = current_writer()
    partial(tmp_path, own._replace(pid=ended_process()), "ended")
    partial(tmp_path, own._replace(started=own.started + 1), "number-used-again")
    atomic.remove_leftovers(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_nobody_has_written_to_for_days_is_removed(tmp_path: Path) -> None:
    far = Writer(1, 1, "ab" * 8)
    aged(partial(tmp_path, far, "old"), 2 * DAY_S)
    young = partial(tmp_path, far, "written-to-again")
    aged(young, 2 * DAY_S)
    (young / "context.parquet").write_bytes(b"PAR1 more")
    atomic.remove_leftovers(tmp_path)
    assert list(tmp_path.iterdir()) == [young]


def test_age_is_by_the_filesystems_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    young = partial(tmp_path, Writer(1, 1, "ab" * 8))
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 30 * DAY_S)
    atomic.remove_leftovers(tmp_path)
    assert young.exists()


def test_a_full_disk_or_a_folder_of_others_removes_nothing_that_may_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = aged(partial(tmp_path, Writer(1, 1, "ab" * 8)), 2 * DAY_S)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic.tempfile, "TemporaryFile", full)
    atomic.remove_leftovers(tmp_path)
    assert old.exists()


def test_a_namespace_without_a_proc_of_its_own_judges_nobody() -> None:
    way = [word for word in container() if word != "--mount-proc"]
    told = subprocess.run(
        [
            *way,
            sys.executable,
            "-c",
            "from ciphermark.files.atomic import *; print(current_writer())",
        ],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert told.stdout.strip().endswith(NOBODY), told
    assert not Writer(ended_process(), 1, NOBODY).is_known_dead


def test_a_writer_knows_itself_and_its_children(store: Store) -> None:
    this = current_writer()
    assert Writer.named(str(this)) == this and not this.is_known_dead
    child = process(
        store,
        "from ciphermark.files.atomic import current_writer; "
        "print(current_writer(), flush=True); input()",
    )
    # Its standard input is ours, at whose end it ends; until it is waited for it counts as alive.
    assert child.stdout is not None
    other = Writer.named(child.stdout.readline().strip())
    assert other is not None and other != this and other.space == this.space
    child.kill()
    child.communicate(timeout=60)
    assert other.is_known_dead


@given(st.text(max_size=40))
def test_no_name_is_taken_for_a_writer_that_is_none(text: str) -> None:
    found = Writer.named(text)
    assert found is None or str(found).split(".")[2] == text.split(".")[2]
