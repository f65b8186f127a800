"""Files that swell, never end or never begin: tables of Parquet, pipes in the place of files, lines
without an end, huge texts. A sentence, soon, in a bounded part of the memory."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

from attack import hostile
from attack.attempt import Attempt
from attack.failure import Failure
from attack.kinds import text

MOST_BYTES = 1536 << 20
"""Memory of a command, with the modules of all commands, which its copy begins with."""

READING: tuple[tuple[str, ...], ...] = (
    *(("list", "runs"), ("list", "machines"), ("show", "last"), ("show", "last", "--json")),
    *(("machines", "matrix"), ("export", "last"), ("capacity",), ("report", "last")),
    *(("compare", "last", "last"), ("model", "fit", "--data", "last"), ("advise", "--for", "hash")),
)  # fmt: skip

RUNS = ("run-1.8", "run-1.8-sessions", "run-1.21", "run-1.8-packets", "run-1.8-imported")


def attempt(it: Attempt) -> None:
    it.replay()
    it.environment["ATTACK_REFUSES"] = "1"
    it.lots.choice((_table, _table, _pipe, _pipe, _endless, _endless, _long_text))(it)


def _look(it: Attempt, words: tuple[object, ...]) -> None:
    ended = it.run(*words)
    if ended.memory > MOST_BYTES:
        raise Failure("other", f"{ended.command}: took {ended.memory >> 20} MiB of memory")


def _stored_file(it: Attempt, pattern: str) -> Path:
    [run, *_] = it.store(it.lots.choice(RUNS), "run-1.4")
    path = it.lots.choice(sorted(path for path in run.rglob(pattern) if path.is_file()))
    it.say(f"spoilt {path.relative_to(it.folder)}")
    return path


def _table(it: Attempt) -> None:
    """A small file that would be a large table."""
    path = _stored_file(it, "*.parquet")
    bomb, lots = it.lots.choice(_BOMBS), random.Random(it.lots.random())
    it.say(bomb.__name__)
    it.call(lambda: bomb(lots, path), 60)
    it.say(f"{path.stat().st_size} bytes")
    _look(it, it.lots.choice(READING))


def _same_texts(lots: random.Random, path: Path) -> None:
    """Makes all texts of a table one long text, of which the file has one copy."""
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    table = parquet.read_table(path)
    rows = lots.choice((1, 1000, 100_000, 1_000_000))
    long = "a" * lots.choice((1000, 100_000, 10_000_000))
    column = arrow.DictionaryArray.from_arrays(arrow.array([0] * rows, arrow.int32()), [long])
    names = table.column_names
    parquet.write_table(arrow.table({name: column for name in names[:8]}), path, compression="zstd")


def _many_rows(lots: random.Random, path: Path) -> None:
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    names = parquet.read_table(path).column_names
    rows = lots.choice((1_000_000, 30_000_000))
    column = arrow.nulls(rows, arrow.int8())
    parquet.write_table(arrow.table({name: column for name in names}), path, compression="zstd")


def _many_columns(lots: random.Random, path: Path) -> None:
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    table = parquet.read_table(path)
    for number in range(lots.choice((100, 3000))):
        table = table.append_column(f"x{number}", arrow.nulls(table.num_rows, arrow.int8()))
    parquet.write_table(table, path)


def _many_groups(lots: random.Random, path: Path) -> None:
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    table = parquet.read_table(path)
    table = arrow.concat_tables([table] * max(1, lots.choice((300, 5000)) // (table.num_rows or 1)))
    parquet.write_table(table, path, row_group_size=1)


def _deep_lists(lots: random.Random, path: Path) -> None:
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    table = parquet.read_table(path)
    kind = arrow.int8()
    for _ in range(lots.choice((10, 60))):
        kind = arrow.list_(kind)
    name = lots.choice(table.column_names)
    place = table.column_names.index(name)
    parquet.write_table(table.set_column(place, name, arrow.nulls(table.num_rows, kind)), path)


_BOMBS: tuple[Callable[[random.Random, Path], None], ...] = (
    *(_same_texts, _same_texts, _many_rows, _many_columns, _many_groups, _deep_lists),
)


def _pipe(it: Attempt) -> None:
    """A pipe that nobody writes to, or a device without an end, in the place of a file."""
    if it.lots.random() < 0.5:
        path = _stored_file(it, "*.parquet")
        words: tuple[object, ...] = it.lots.choice(READING)
    elif it.lots.random() < 0.6:
        it.store("run-1.8", "run-1.4")
        it.run("machines", "matrix")
        names = ("index.json", "machines.json", ".figures/newest-5", ".figures/lock", ".figures")
        path = it.runs / it.lots.choice(names)
        words = it.lots.choice(READING)
    else:
        path = it.lots.choice(sorted((it.folder / "cache").rglob("*.json")))
        words = ("list", "algorithms")
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    if it.lots.random() < 0.7:
        os.mkfifo(path)
        it.say(f"a pipe as {path.relative_to(it.folder)}")
    else:
        path.symlink_to(it.lots.choice(("/dev/zero", "/dev/full", "/dev/urandom", "/dev/null")))
        it.say(f"{os.readlink(path)} as {path.relative_to(it.folder)}")
    _look(it, words)


_ENDLESS: tuple[Callable[[random.Random, str], str], ...] = (
    lambda lots, sound: "\f" * lots.choice((100_000, 3_000_000)) + sound,
    lambda lots, sound: lots.choice("\r\v\x1c\x85\u2028") * 1_500_000 + sound,
    lambda lots, sound: sound + "x" * lots.choice((100_000, 20_000_000)),
    lambda lots, sound: sound * max(1, lots.choice((1_000_000, 20_000_000)) // (len(sound) + 1)),
    lambda lots, sound: "\n".join(line * 1000 for line in sound.splitlines())[:20_000_000],
    lambda lots, sound: hostile.word(lots) * lots.choice((1000, 100_000)) + sound,
)


def _endless(it: Attempt) -> None:
    """A file of a user that is a hole of a terabyte, a device, or has endless lines."""
    kind = it.lots.choice(sorted(text.FILES))
    ending, arguments = text.FILES[kind]
    path = it.folder / f"file.{ending}"
    if it.lots.random() < 0.2:
        with path.open("wb") as file:
            file.truncate(it.lots.choice((1 << 20, 70 << 20, 1 << 40)))
        it.say(f"{kind}: a hole of {path.stat().st_size} bytes")
    elif it.lots.random() < 0.2:
        path.symlink_to(it.lots.choice(("/dev/zero", "/dev/urandom", "/dev/null")))
        it.say(f"{kind}: {os.readlink(path)}")
    else:
        sound = it.lots.choice(text.samples(kind))
        content = it.lots.choice(_ENDLESS)(it.lots, sound)[:30_000_000]
        path.write_bytes(content.encode(errors="replace"))
        it.say(f"{kind}: {len(content)} letters, {content[:60]!r}")
    _look(it, arguments(path.name))


def _long_text(it: Attempt) -> None:
    """A stored run one text of which is very long."""
    from hostile_texts import planted

    name = it.lots.choice(("run-1.21", "run-1.15-sessions", "run-1.21-imported"))
    long = it.lots.choice(("a", "a b ", "é", "<b>", "a-", "\n", "0", "/")) * 1_000_000
    long = long[: it.lots.choice((10_000, 100_000, 1_000_000))]
    place, choice = it.lots.random(), it.lots.random()
    it.say(f"{name} has a text of {len(long)} letters, {long[:4]!r}")

    def store() -> None:
        from ciphermark.record.run_folder import read_run
        from ciphermark.record.store import Store
        from ciphermark.workload import rows, rows_table

        run = read_run(it.setting.golden / name)
        of_rows = [rows_table(rows(it), it.context.workload) for it in (run, *run.also)]
        seen: list[str] = []
        planted(run.context, type(run.context), lambda it: seen.append(it) or it)
        wanted, kept = int(place * len(seen)), (run.context.run, run.context.workload)
        count = iter(range(len(seen)))
        planted(run.context, type(run.context), lambda it: long if next(count) == wanted else it)
        run.context.run, run.context.workload = kept
        Store(it.runs).save(run, of_rows[0], of_rows[1:])

    it.call(store, 60)
    _look(it, READING[int(choice * len(READING))])
