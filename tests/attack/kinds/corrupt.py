"""Stored runs, indexes and caches with bytes, columns or files that are not as they were written:
a sentence where a run cannot be read, and all others as before."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

from attack import hostile, stored
from attack.attempt import Attempt
from attack.failure import Failure
from attack.setting import FEW

RUNS = ("run-1.0", "run-1.2", "run-1.4-sessions", "run-1.8", "run-1.8-imported", "run-1.8-packets",
        "run-1.8-simulation", "run-1.9-tuning", "run-1.8-sessions")  # fmt: skip

REBUILDABLE = ("index.json", "machines.json", ".figures")


def attempt(it: Attempt) -> None:
    it.replay()
    names = it.lots.sample(RUNS, 3)
    folders = list(dict.fromkeys(it.store(*names)))
    if it.lots.random() < 0.4:
        it.run("list", "runs")  # makes the index
    if it.lots.random() < 0.2:
        it.run("machines", "matrix")  # and the rest of what can be rebuilt
    victim = it.lots.choice(folders)
    kind = it.lots.choice((_bytes, _bytes, _table, _table, _table, _rebuildable, _cache, _shape))
    before = kind(it, victim)
    spared = {} if kind is _cache else {
        folder: stored.contents(folder) for folder in folders if folder != victim
    }  # fmt: skip
    ended = it.run(*_command(it, victim, folders), before=before)
    if it.lots.random() < 0.3:
        it.run(*_command(it, victim, folders))
    for folder, files in spared.items():
        now = {name: text for name, text in stored.contents(folder).items() if name in files}
        if now != files:
            raise Failure("lost", f"{ended.command}: changed the stored run {folder.name}")


def _command(it: Attempt, victim: Path, folders: list[Path]) -> list[str]:
    run = it.lots.choice((victim.name, victim.name, "last"))
    other = it.lots.choice(folders).name
    words: list[list[str]] = [
        ["list", "runs"], ["list", "machines"], ["show", run], ["show", run], ["show", run],
        ["compare", run, other], ["compare", f"{run}:openssl", f"{run}:rustcrypto"],
        ["export", run], ["export", run, "--format", "json"], ["export", run, "--format", "latex"],
        ["export", "--anonymous", "--all", "--output", "shared"], ["machines", "matrix"],
        ["machines", "show", "epyc-9b45-kvm"],
        ["capacity"], ["capacity", "--run", run], ["advise", "--for", "ipsec"],
        ["advise", "--for", "hash", "--run", run], ["model", "fit", "--data", run],
        ["model", "predict", "--target", "atmega128", "--data", run],
        ["model", "predict", "--target", "atmega128", "--known", run],
        ["protocol", "--data", run], ["list", "algorithms"], ["list", "providers"],
    ]  # fmt: skip
    if it.lots.random() < 0.03:
        words = [["report", run], ["machines", "page", "epyc-9b45-kvm"]]
    if it.lots.random() < 0.02:
        words = [["survey", *FEW]]
    chosen = it.lots.choice(words)
    if it.lots.random() < 0.3 and chosen[0] not in ("export", "report", "survey"):
        chosen += ["--json"]
    return chosen[:-1] if chosen[:2] == ["machines", "page"] and "--json" in chosen else chosen


def _changed(it: Attempt, path: Path) -> None:
    content = path.read_bytes()
    if path.suffix == ".json" and it.lots.random() < 0.7:
        path.write_bytes(hostile.text(it.lots, content.decode(errors="replace")))
    else:
        path.write_bytes(hostile.data(it.lots, content))
    it.say(f"changed bytes of {path.relative_to(it.folder)}")


def _files(folder: Path, pattern: str = "*") -> list[Path]:
    return sorted(it for it in folder.rglob(pattern) if it.is_file())


def _bytes(it: Attempt, victim: Path) -> None:
    _changed(it, it.lots.choice(_files(victim, "*.parquet")))


def _rebuildable(it: Attempt, victim: Path) -> None:
    it.run("list", "runs")
    it.run("machines", "matrix")
    found = [path for name in REBUILDABLE for path in (it.runs / name, *_files(it.runs / name))]
    files = [path for path in found if path.is_file()]
    for path in it.lots.sample(files, min(len(files), it.lots.choice((1, 1, 2)))):
        match it.lots.randrange(4):
            case 0:
                path.write_bytes(it.lots.choice((b"", b"\0", b"\xff\xfe", b"[]", b"null", b"{}")))
            case 1:
                path.unlink()
                path.mkdir()
            case _:
                _changed(it, path)
        it.say(f"spoilt {path.name}")


def _cache(it: Attempt, victim: Path) -> None:
    found = _files(it.folder / "cache" / "ciphermark", "*.json")
    if not found:
        it.run("list", "algorithms")
        found = _files(it.folder / "cache" / "ciphermark", "*.json")
    for path in found if it.lots.random() < 0.5 else found[:1]:
        if it.lots.random() < 0.4:
            path.write_bytes(it.lots.choice((b"", b"\xff\xfe", b"[]", b"null", b"[" * 100_000)))
        else:
            _changed(it, path)


def _shape(it: Attempt, victim: Path) -> None:
    """Files that are missing, empty, folders, of another run, or in a folder of another name."""
    path = it.lots.choice(_files(victim, "*.parquet"))
    match it.lots.randrange(6):
        case 0:
            path.unlink()
        case 1:
            path.write_bytes(b"")
        case 2:
            path.unlink()
            path.mkdir()
        case 3:
            shutil.copyfile(it.lots.choice(_files(it.setting.golden, path.name)), path)
        case 4:
            shutil.copyfile(it.lots.choice(_files(victim, "*.parquet")), path.with_suffix(".other"))
            path.with_suffix(".other").rename(path)
        case 5:
            path.unlink()
            path.symlink_to(it.lots.choice((path.name, "/dev/null", "nowhere", "..")))
    it.say(f"spoilt {path.relative_to(it.folder)}")


def _table(it: Attempt, victim: Path) -> Callable[[], None]:
    """Columns that are missing, of another type, null or absurd, in the process of the command:
    Arrow starts threads."""
    path = it.lots.choice(_files(victim, "*.parquet"))
    it.say(f"changed the table {path.relative_to(it.folder)}")
    lots = random.Random(it.lots.random())

    def change() -> None:
        import pyarrow.parquet as parquet

        # Without the digest of what it was.
        table = parquet.read_table(path).replace_schema_metadata()
        for _ in range(lots.choice((1, 1, 2))):
            table = _changed_table(lots, table)
        parquet.write_table(table, path)

    return change


def _changed_table(lots, table):
    import pyarrow as arrow

    if not table.num_columns:
        return table
    at = lots.randrange(table.num_columns)
    name, count = table.column_names[at], table.num_rows
    absurd = (None, 0, -1, 2**63 - 1, -(2**63), float("nan"), float("inf"), "", "x" * 1000, b"\xff",
              [], [None], [1], ["x"], {"a": 1}, True, "last",
              "99999999-999999-ffff", 1e308)  # fmt: skip
    match lots.randrange(7):
        case 0:
            return table.remove_column(at)
        case 1 | 2:
            return table.set_column(at, name, arrow.array([lots.choice(absurd)] * count))
        case 3:
            kind = table.schema.field(at).type
            return table.set_column(at, name, arrow.nulls(count, kind))
        case 4:
            return table.slice(0, lots.choice((0, 0, 1)))
        case 5:
            return arrow.concat_tables([table] * 3)
        case _:
            values = table.column(at).to_pylist()
            spoilt = [lots.choice(absurd) if lots.random() < 0.3 else it for it in values]
            try:
                return table.set_column(at, name, arrow.array(spoilt, table.schema.field(at).type))
            except (arrow.ArrowInvalid, arrow.ArrowTypeError, TypeError, OverflowError, ValueError):
                return table.remove_column(at)
