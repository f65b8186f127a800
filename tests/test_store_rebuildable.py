"""A cache is never the truth: whatever becomes of its files, commands answer as before."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ciphermark import messages
from ciphermark.errors import WorkError
from ciphermark.files import rebuildable
from ciphermark.fleet.ledger import Ledger, MachineLine, Request
from ciphermark.plan import planfile
from ciphermark.record.run import Run
from ciphermark.record.shared_store import SharedStore
from ciphermark.record.store import Store
from ciphermark.record.table import Table
from ciphermark.run import caches
from ciphermark.run.caches import PathCache
from ciphermark.run.engine import Engine
from ciphermark.run.remote.pending import Pending, Shelf
from ciphermark.workloads.single.rows import rows
from ciphermark.workloads.single.workload import WORKLOAD as SINGLE
from engine_fixture import Command, Ended
from lent_engine import all_algorithms, implementation, provider
from synthetic import synthetic_cases, synthetic_run

ASKED = (["list", "runs"], ["list", "machines"], ["machines", "matrix"], ["show", "last"])

Harm = Callable[[bytes], bytes]

STRANGE = (
    b"",
    b"\0" * 100,
    b"\xff\xfe\xfd",
    b"null",
    b"[]",
    b'"\xff"',
    b"[" * 100_000,
    b"1e400",
    b"9" * 10_000,
    rebuildable.sealed(b"null"),
    rebuildable.sealed(b"[]"),
    rebuildable.sealed(b"\xff"),
    rebuildable.sealed(b"[" * 100_000),
    rebuildable.sealed(b'{"fields":[],"summaries":{},"machines":[],"looked":1}'),
)
"""What is in the place of a file; of those that are sealed the checksum is right."""


@pytest.mark.parametrize("kind", ["pipe", "/dev/zero", "/dev/full", "hole"])
def test_a_file_without_an_end_is_made_anew(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "index.json"
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "hole":
            with path.open("wb") as file:
                file.truncate(1 << 40)
        case device:
            path.symlink_to(device)
    assert rebuildable.read(path, dict) is None
    rebuildable.write(path, {"a": 1})
    assert rebuildable.read(path, dict) == {"a": 1}
    assert path.is_file() and not path.is_symlink()


def changed(at: float, by: int) -> Harm:
    def harm(content: bytes) -> bytes:
        place = int(at * (len(content) - 1))
        return content[:place] + bytes([content[place] ^ by]) + content[place + 1 :]

    return harm


def cut(at: float) -> Harm:
    return lambda content: content[: int(at * (len(content) - 1))]


SHARES = st.floats(0, 1)
HARMS: st.SearchStrategy[Harm] = st.one_of(
    st.builds(changed, SHARES, st.integers(1, 255)),
    st.builds(cut, SHARES),
    st.sampled_from([lambda _, it=it: it for it in STRANGE]),
)

many = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(autouse=True)
def nothing_was_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "_said", set())


class Asked(NamedTuple):
    """A folder of runs with all that is kept beside them, and what commands say of it."""

    command: Command
    files: dict[Path, bytes]
    answers: list[Ended]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    place = tmp_path_factory.mktemp("asked")
    command = Command(place / "runs", Path("/nonexistent"))
    command.environment |= {"XDG_CACHE_HOME": str(place / "cache"), "COLUMNS": "200"}
    store = Store(command.runs)
    for seed in (1, 2, 3):
        run = synthetic_run(synthetic_cases(sizes=(64, 1024)), rounds=6, seed=seed)
        store.save(run, SINGLE.rows_table(rows(run)))
    answers = [command(*words) for words in ASKED]
    assert [it.code for it in answers] == [0] * len(ASKED)
    kept = [command.runs / "index.json", command.runs / "machines.json"]
    kept += (command.runs / ".figures").glob("*.parquet")
    assert len(kept) >= 3
    yield Asked(command, {path: path.read_bytes() for path in kept}, answers)


def check_answers(asked: Asked) -> None:
    messages._said.clear()
    said = []
    for words, before in zip(ASKED, asked.answers, strict=True):
        answer = asked.command(*words)
        assert (answer.code, answer.output) == (before.code, before.output), answer.messages
        said += answer.messages.splitlines()
    assert len(said) <= 1, "it is said once"
    assert all("cannot be read" in it and it.endswith("is made anew") for it in said)


@pytest.mark.slow
@settings(many, max_examples=12)
@given(data=st.data(), harm=HARMS)
def test_no_harm_to_what_is_kept_changes_an_answer(
    asked: Asked, data: st.DataObject, harm: Harm
) -> None:
    path = data.draw(st.sampled_from(sorted(asked.files)))
    for file in (asked.command.runs / ".figures").glob("*.parquet"):
        file.unlink()
    for file, content in asked.files.items():
        file.write_bytes(content)
    path.write_bytes(harm(asked.files[path]))
    check_answers(asked)


@pytest.mark.slow
def test_folders_in_the_place_of_files_stay_and_change_nothing(asked: Asked) -> None:
    for file in asked.files:
        file.unlink(missing_ok=True)
        file.mkdir()
        (file / "somebody's").write_text("own")
    check_answers(asked)
    for file in asked.files:
        assert (file / "somebody's").read_text() == "own"
        shutil.rmtree(file)


@many
@given(harm=HARMS)
def test_what_is_said_is_said_once(tmp_path_factory: pytest.TempPathFactory, harm: Harm) -> None:
    path = tmp_path_factory.mktemp("file") / "index.json"
    rebuildable.write(path, {"a": 1})
    whole = path.read_bytes()
    path.write_bytes(harm(whole))
    is_whole = path.read_bytes() == rebuildable.sealed(whole.partition(b"\n")[2])
    found = rebuildable.read(path, dict[str, int])
    assert found == {"a": 1} if is_whole else found is None or found == {}
    assert path.exists() == (path.exists() and path.read_bytes().startswith(b'{"sha256"'))


def test_two_damaged_files_are_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(b"\xff")
        assert rebuildable.read(tmp_path / name, dict) is None
    assert capsys.readouterr().err == (
        f"ciphermark: {tmp_path}/a cannot be read (its checksum does not fit) and is made anew\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_not_there_or_of_another_version_is_not_spoken_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rebuildable.write(tmp_path / "a", [1, 2])
    assert rebuildable.read(tmp_path / "a", dict) is None
    assert rebuildable.read(tmp_path / "b", dict) is None
    assert rebuildable.read(tmp_path / "a" / "c", dict) is None
    assert capsys.readouterr().err == ""


@many
@given(harm=HARMS)
def test_code_paths_that_cannot_be_read_are_looked_for_anew(
    tmp_path_factory: pytest.TempPathFactory, harm: Harm
) -> None:
    folder = tmp_path_factory.mktemp("paths")
    cache, openssl = PathCache(folder / "engine", folder / "cache"), provider("openssl")
    seen = implementation(all_algorithms()[0], "openssl")
    cache.keep(openssl, [seen], looked=[seen.algorithm])
    [file] = (folder / "cache").iterdir()
    whole = file.read_bytes()
    file.write_bytes(harm(whole))
    assert cache.complete(openssl, [seen.algorithm]) in ([seen], None)
    assert cache.known(openssl) in ([seen], [])
    cache.keep(openssl, [seen], looked=[seen.algorithm])
    assert cache.complete(openssl, [seen.algorithm]) == [seen]


@many
@given(harm=HARMS)
def test_facts_that_cannot_be_read_are_asked_for_anew(
    tmp_path_factory: pytest.TempPathFactory, harm: Harm
) -> None:
    folder = tmp_path_factory.mktemp("facts")
    binary = folder / "engine"
    binary.write_bytes(b"")
    binary.chmod(0o700)
    engine = Engine(binary)
    facts = [all_algorithms()[0]]
    engine.describe = lambda: Described(facts)  # type: ignore[method-assign]
    assert caches.algorithms(engine, folder / "cache") == facts
    [file] = (folder / "cache").iterdir()
    file.write_bytes(harm(file.read_bytes()))
    assert caches.algorithms(engine, folder / "cache") == facts


class Described(NamedTuple):
    algorithms: list
    implementations: list = []


@many
@given(harm=HARMS)
def test_a_run_on_another_machine_is_collected_or_set_aside(
    tmp_path_factory: pytest.TempPathFactory, harm: Harm
) -> None:
    folder = tmp_path_factory.mktemp("pending")
    pending = Pending(
        name="box",
        folder="f",
        run="r",
        command="ciphermark survey",
        ends_unix_s=1.0,
        begun=msgspec.Raw(b'{"notes":[]}'),
    )
    shelf = Shelf(folder)
    shelf.put(pending)
    shelf.release("r")
    file = folder / "r.json"
    harmed = harm(file.read_bytes())
    file.write_bytes(harmed)
    found = Shelf(folder).take()
    if found:
        assert found == [pending]
    else:
        assert (folder / "r.damaged").read_bytes() == harmed, "it may be the only trace of a run"


@many
@given(data=st.data(), harm=HARMS)
def test_a_ledger_is_read_or_refused_and_never_thrown_away(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, harm: Harm
) -> None:
    request = Request(plan=planfile.default("survey-quick"), plan_name="survey-quick")
    ledger = Ledger(Store(tmp_path_factory.mktemp("fleet")), request)
    ledger.note(MachineLine(host="h", machine_id="m", run="r"))
    file = ledger.folder / "fleet.json"
    harmed = harm(file.read_bytes())
    file.write_bytes(harmed)
    try:
        with ledger.held():
            pass
    except WorkError as error:
        assert str(error).startswith(f"{file} cannot be read (") and f"rm {file}" in str(error)
    assert file.read_bytes() == harmed


@pytest.mark.slow
@settings(many, max_examples=12)
@given(data=st.data(), harm=HARMS)
def test_a_copy_of_a_shared_run_is_fetched_anew(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, harm: Harm
) -> None:
    with _fetched(tmp_path_factory.mktemp("shared")) as (store, run, run_rows):
        folder = store.folder(run.context.run)
        file = data.draw(st.sampled_from(sorted(folder.iterdir())))
        file.write_bytes(harm(file.read_bytes()))
        assert store.load(run.context.run).cases == run.cases
        assert store.context(run.context.run).plan == run.context.plan
        assert store.rows(run.context.run) == run_rows
        file.write_bytes(harm(file.read_bytes()))
        found = store.query("SELECT count(*) AS n FROM rows")
        assert found["n"].to_pylist() == [len(run.cases)]


def test_a_copy_with_another_name_of_a_column_is_fetched_anew(tmp_path: Path) -> None:
    with _fetched(tmp_path) as (store, run, run_rows):
        file = store.folder(run.context.run) / "rows.parquet"
        whole = file.read_bytes()
        footer = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
        name = whole.index(b"pattern", footer)  # which no checksum of Parquet covers
        file.write_bytes(whole[:name] + b"q" + whole[name + 1 :])
        assert store.rows(run.context.run) == run_rows


@contextlib.contextmanager
def _fetched(place: Path) -> Iterator[tuple[SharedStore, Run, Table]]:
    """A shared folder with a run, of which this machine has a copy."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(place / "cache"))
        patch.setenv("XDG_DATA_HOME", str(place / "data"))
        store = SharedStore(f"local://{place}/shared")
        run = synthetic_run(synthetic_cases(sizes=(64,)), rounds=6, seed=1)
        run_rows = SINGLE.rows_table(rows(run))
        run.context.run = store.save(run, run_rows).name
        yield store, run, run_rows


@many
@given(data=st.data(), harm=HARMS)
def test_what_a_compiler_has_made_is_made_anew(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, harm: Harm
) -> None:
    path = tmp_path_factory.mktemp("made") / "kernel.o"
    for _ in range(2):
        rebuildable.made(path, lambda partial: partial.write_bytes(b"machine code"))
    file = data.draw(st.sampled_from(sorted(path.parent.iterdir())))
    file.write_bytes(harm(file.read_bytes()))
    rebuildable.made(path, lambda partial: partial.write_bytes(b"machine code"))
    assert path.read_bytes() == b"machine code"


def test_what_is_whole_is_not_made_again(tmp_path: Path) -> None:
    rebuildable.made(tmp_path / "kernel.o", lambda partial: partial.write_bytes(b"machine code"))
    rebuildable.made(tmp_path / "kernel.o", lambda partial: pytest.fail("made again"))
