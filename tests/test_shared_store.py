"""Runs on a shared filesystem: whole or not at all, read through a cache, and no secret told."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from ciphermark.cli.main import app
from ciphermark.errors import UsageError, WorkError
from ciphermark.record import remote, shared_store
from ciphermark.record.remote import Remote
from ciphermark.record.run import Run
from ciphermark.record.shared_store import RunCache, SharedStore
from ciphermark.record.store import Store
from ciphermark.record.table import Table
from ciphermark.workloads.single.rows import rows
from ciphermark.workloads.single.workload import WORKLOAD as SINGLE
from synthetic import synthetic_cases, synthetic_run

pytestmark = [pytest.mark.usefixtures("own_folders"), pytest.mark.slow]


@pytest.fixture(params=["memory", "dir", "local", "sftp", "s3"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An address of each kind of filesystem."""
    name, root = f"/{secrets.token_hex(4)}", tmp_path / "shared"
    match request.param:
        case "dir":
            yield f"dir::file://{root}"
        case "local":
            yield f"local://{root}"
        case "sftp":
            yield request.getfixturevalue("sftp").address(root)
        case "s3":
            yield request.getfixturevalue("s3")
        case "memory":
            from fsspec.implementations.memory import MemoryFileSystem

            yield f"memory:/{name}/runs"
            with contextlib.suppress(FileNotFoundError):
                MemoryFileSystem().rm(name, recursive=True)


@pytest.fixture
def store(url: str) -> SharedStore:
    found = Store.default(url)
    assert isinstance(found, SharedStore)
    return found


def forget(store: SharedStore) -> None:
    """What another machine knows of the runs: nothing."""
    shutil.rmtree(store.root, ignore_errors=True)


def another(seed: int) -> Run:
    return synthetic_run(synthetic_cases(["sha256"], sizes=(64,)), rounds=6, seed=seed)


def save(store: Store, run: Run) -> None:
    store.save(run, SINGLE.rows_table(rows(run)))


def test_a_run_comes_back_on_another_machine(store: SharedStore, run: Run, run_rows: Table) -> None:
    store.check_writable()
    assert store.run_ids() == []
    store.save(run, run_rows)
    forget(store)
    name = store.resolve("last")
    assert name == run.context.run
    assert store.rows(name) == run_rows
    back = store.load(name)
    assert (back.context, back.cases, back.warnings) == (run.context, run.cases, run.warnings)
    assert back.samples == run.samples
    assert [it.run for it in store.summaries()] == [name]
    assert store.query("SELECT count(*) AS n FROM rows")["n"].to_pylist() == [len(run.cases)]
    with store.figures() as figures:
        found = figures.ask("SELECT count(*) AS n FROM figures")
    assert found["n"].to_pylist() == [len(run.cases)]


def test_runs_within_a_run_come_along(store: SharedStore) -> None:
    run, other = another(1), another(2)
    run.also = [other]
    store.save(run, SINGLE.rows_table(rows(run)), [SINGLE.rows_table(rows(other))])
    forget(store)
    [back] = store.load(run.context.run).also
    assert back.context == other.context


def test_nothing_is_overwritten(store: SharedStore) -> None:
    run, changed = another(1), another(1)
    changed.context.command = "ciphermark survey --quick"
    save(store, run)
    with pytest.raises(WorkError, match="is in .* already"):
        save(store, changed)
    forget(store)
    assert store.load(run.context.run).context.command == run.context.command


def test_the_same_run_sent_twice_is_there_once(store: SharedStore) -> None:
    for _ in range(2):
        save(store, another(1))
    assert len(store.run_ids()) == 1


def test_two_machines_that_write_at_once_lose_nothing(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machines: list[Store] = []
    for name in ("one", "other"):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / name))
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / name))
        machines.append(Store.default(url))
    # Both send one of the runs.
    runs = [[another(seed) for seed in seeds] for seeds in ((1, 2, 3), (4, 3, 5))]
    with ThreadPoolExecutor(2) as pool:
        work = [
            pool.submit(lambda store, its: [save(store, it) for it in its], store, its)
            for store, its in zip(machines, runs, strict=True)
        ]
        for it in work:
            it.result(timeout=60)
    sent = {it.context.run for its in runs for it in its}
    for store in machines:
        assert isinstance(store, SharedStore)
        forget(store)
        listing = store.listing()
        assert {it.run for it in listing.summaries} == sent
        assert listing.unreadable == []
        for summary in listing.summaries:
            assert store.load(summary.run).cases == another(1).cases


class Broken(Exception):
    """The connection has gone, in a word of the filesystem's own."""


@settings(max_examples=20, deadline=None)
@given(writes=st.integers(0, 8), at_move=st.booleans())
def test_a_lost_connection_leaves_nothing_half_and_loses_nothing(
    tmp_path_factory: pytest.TempPathFactory, writes: int, at_move: bool
) -> None:
    place = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(place / "cache"))
        patch.setenv("XDG_DATA_HOME", str(place / "data"))
        store = SharedStore(f"local://{place}/shared")
        save(store, another(1))
        fs, _ = store.remote._fs()
        left = iter(range(writes))

        def broken(work):  # noqa: ANN001, ANN202
            def worked(*arguments, **options):  # noqa: ANN002, ANN003, ANN202
                if next(left, None) is None:
                    raise Broken("no route to host")
                return work(*arguments, **options)

            return worked

        named = ("mv",) if at_move else ("put_file", "pipe_file", "mv")
        whole = {name: getattr(fs, name) for name in named}
        for name in named:
            setattr(fs, name, broken(whole[name]))
        run = another(2)
        try:
            save(store, run)
            stored = True
        except WorkError as error:
            stored = False
            assert "no route to host" in str(error) and "--runs" in str(error)
            kept = Store(store.unsent)
            assert kept.load(run.context.run).cases == run.cases
        for name, work in whole.items():
            setattr(fs, name, work)
        forget(store)
        # Nobody sees half of it: it is listed when it can be read, and only then.
        listing = store.listing()
        assert len(listing.summaries) == 1 + stored
        for summary in listing.summaries:
            store.load(summary.run)
        # The next run takes it along.
        save(store, another(3))
        forget(store)
        assert len(store.listing().summaries) == 3
        assert store.listing().unreadable == []
        assert store.load(run.context.run).cases == run.cases
        assert Store(store.unsent).run_ids() == []


def test_a_run_that_is_being_written_is_said_and_not_read(store: SharedStore) -> None:
    save(store, another(1))
    name = another(2).context.run
    store.remote._put(f"{name}/rows.parquet", b"first of several")
    listing = store.listing()
    assert [it.run for it in listing.summaries] == [another(1).context.run]
    [said] = listing.unreadable
    assert name in said and "not complete" in said
    with pytest.raises(WorkError, match="not complete"):
        store.load(name)


def test_the_next_machine_is_spared_reading_every_context(
    store: SharedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_store, "SHARED_INDEX_FROM", 3)
    for seed in range(4):
        save(store, another(seed))
    read: list[str] = []
    plain = Remote.read

    def counted(self: Remote, paths):  # noqa: ANN001, ANN202
        wanted = list(paths)
        read.extend(wanted)
        return plain(self, wanted)

    monkeypatch.setattr(Remote, "read", counted)
    for _ in range(2):
        forget(store)
        read.clear()
        assert len(store.summaries()) == 4
    assert not [it for it in read if it.endswith("context.parquet")]


def test_a_run_is_fetched_once(store: SharedStore, monkeypatch: pytest.MonkeyPatch) -> None:
    save(store, another(1))
    forget(store)
    name = another(1).context.run
    folder = store.folder(name)
    monkeypatch.setattr(Remote, "files", lambda self, run: pytest.fail("asked again"))
    assert store.folder(name) == folder
    tables = ("cases", "context", "rows", "samples", "warnings")
    assert {it.name for it in folder.iterdir()} == {
        "checksums",
        *(f"{it}.parquet" for it in tables),
    }


def test_the_cache_is_bounded_and_keeps_what_was_used_last(tmp_path: Path) -> None:
    cache = RunCache(tmp_path / "cache", most_bytes=3500)
    names = [f"20261121-09150{n}-000{n}" for n in range(4)]
    for age, name in zip((4000, 3000, 2000), names, strict=False):
        folder = cache.add(name, [("rows.parquet", bytes(1000))])
        os.utime(folder, (folder.stat().st_atime, folder.stat().st_mtime - age))
    assert cache.find(names[0]) is not None  # used now
    cache.add(names[3], [("also/x/rows.parquet", bytes(1000))])
    kept = {it.name for it in cache.folder.iterdir()}
    assert kept == {names[0], names[2], names[3]}


def test_commands_take_an_address(store: SharedStore, url: str) -> None:
    save(store, another(1))
    for command in (["list", "runs"], ["list", "machines"], ["machines", "matrix"], ["show"]):
        result = CliRunner().invoke(app, [*command, "--runs", url], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        assert "sha256" in result.output or "epyc" in result.output


@pytest.mark.parametrize(
    ("url", "package"), [("s3://bucket/runs", "s3fs"), ("sftp://me:geheim@box/runs", "paramiko")]
)
def test_a_missing_package_is_said_with_what_to_install(
    url: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fsspec.registry import _registry

    _registry.pop(url.partition(":")[0], None)
    for name in [it for it in sys.modules if it.startswith("fsspec.implementations.sftp")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UsageError) as refusal:
        Store.default(url)
    assert f"pip install '{package}'" in str(refusal.value)
    assert "geheim" not in str(refusal.value)


def test_a_filesystem_that_is_none_is_a_users_mistake() -> None:
    with pytest.raises(UsageError, match="no filesystem 'nope'"):
        Store.default("nope://x/y")


def test_a_folder_stays_a_folder(tmp_path: Path) -> None:
    for text in (str(tmp_path / "runs"), f"file://{tmp_path}/runs"):
        found = Store.default(text)
        assert type(found) is Store and found.root == tmp_path / "runs"


def test_local_folders_do_without_fsspec(tmp_path: Path) -> None:
    import subprocess

    code = (
        "import sys; from ciphermark.record.store import Store; "
        f"Store.default({str(tmp_path / 'runs')!r}).listing(); "
        "sys.exit('fsspec' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


PASSWORDS = st.text(
    st.characters(codec="ascii", categories=("L", "N"), include_characters="%+!$-_"), min_size=8
)


@given(password=PASSWORDS)
def test_no_password_is_told(password: str) -> None:
    url = f"sftp://someone:{password}@box.example:22/runs?token={password}"
    for text in (url, f"--runs={url}", f"could not reach {url}: refused"):
        assert password not in remote.without_secrets(text)
    assert "someone" in remote.without_secrets(url) and "/runs" in remote.without_secrets(url)
    assert password in remote.url_secrets(url)


def test_what_a_filesystem_says_is_told_without_the_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SharedStore(f"local://me:geheimnis@box{tmp_path}/shared")
    assert "geheimnis" not in store.place

    def refused(self: Remote) -> None:
        raise Broken(f"login of geheimnis at {store.remote.url} refused")

    monkeypatch.setattr(Remote, "_fs", refused)
    with pytest.raises(WorkError) as told:
        store.run_ids()
    assert "geheimnis" not in str(told.value) and "refused" in str(told.value)
    assert told.value.__cause__ is None and told.value.__suppress_context__


def test_a_stored_command_has_no_password(monkeypatch: pytest.MonkeyPatch) -> None:
    from ciphermark.command.measuring import command_line

    url = "sftp://me:geheimnis@box/runs"
    monkeypatch.setattr(sys, "argv", ["ciphermark", "survey", "--runs", url, f"--runs={url}"])
    assert "geheimnis" not in command_line()
    assert "me:***@box/runs" in command_line()
