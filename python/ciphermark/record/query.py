"""Questions in SQL over all stored runs."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import duckdb

from ciphermark.errors import UsageError, WorkError
from ciphermark.files import rebuildable
from ciphermark.files.atomic import remove_leftovers, unfinished
from ciphermark.record import database, parquet, tables
from ciphermark.record.database import connected, listed, quoted, register
from ciphermark.record.layout import table_file
from ciphermark.record.run import Summary
from ciphermark.record.table import FLAG, INTEGER, NUMBER, TEXT, Table
from ciphermark.workload import workload_of

_FILE_VIEWS = ("rows", "samples")


def query(
    place: str,
    runs: Sequence[Summary],
    folder: Callable[[str], Path],
    sql: str,
    parameters: Sequence[Any] = (),
) -> Table:
    """Answers a question over `runs`, and over `rows` and `samples` with a column `run`.

    `folder` tells where the files of a run lie, which are stored in `place`. Raises `UsageError`
    for a question that is not valid, `WorkError` for a file that is damaged.
    """
    with connected(
        table_file(folder(run.run), view) for run in runs for view in _FILE_VIEWS
    ) as connection:
        try:
            _add_views(connection, place, runs, folder, sql)
            answer = connection.sql(sql, params=list(parameters))
            if answer is None:
                raise UsageError("the query asks for nothing; begin it with SELECT")
            return database.table_of(answer)
        except duckdb.Error as error:
            if _is_of_files(error):
                raise WorkError(
                    f"the runs in {place} cannot be queried: {_first_line(error)}"
                ) from error
            raise UsageError(f"the query is not valid: {_first_line(error)}") from error


def _add_views(
    connection: duckdb.DuckDBPyConnection,
    place: str,
    runs: Sequence[Summary],
    folder: Callable[[str], Path],
    sql: str,
) -> None:
    register(connection, "runs", tables.SUMMARIES.table(runs))
    for view in _FILE_VIEWS:
        # Making the view opens its file in every run, so only where it is asked for.
        if re.search(rf"\b{view}\b", sql, re.IGNORECASE):
            files = [table_file(folder(summary.run), view) for summary in runs]
            if not files:
                raise UsageError(f"no runs are stored in {place}; measure with 'ciphermark survey'")
            _add_view(connection, view, files)


def _add_view(connection: duckdb.DuckDBPyConnection, view: str, files: Sequence[Path]) -> None:
    # By name, since runs of several format minors have different columns. In SQL, since each step
    # of DuckDB's relations would open all files again.
    connection.execute(
        f"CREATE VIEW {view} AS SELECT parse_path(filename)[-2] AS run, * EXCLUDE (filename) "
        f"FROM read_parquet([{listed(files)}], union_by_name = true, "
        "filename = true)"
    )


def _is_of_files(error: duckdb.Error) -> bool:
    """Whether a file is wrong and not the question; of some damage DuckDB says no kind."""
    kinds = (duckdb.IOException, duckdb.InvalidInputException, duckdb.OutOfMemoryException)
    return isinstance(error, kinds) or type(error) is duckdb.Error


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]


FOLDER = ".figures"
VERSION = 5
"""Files of another version are not used; grows with every change of `COLUMNS`."""

COLUMNS = {
    "algorithm": TEXT,
    "operation": TEXT,
    "provider": TEXT,
    "backend": TEXT,
    "backend_asked": TEXT,
    "pattern": TEXT,
    "offload": TEXT,
    "lanes": INTEGER,
    "keys": INTEGER,
    "buffers": TEXT,
    "after": TEXT,
    "switches": "MAP(VARCHAR, VARCHAR)",
    "message_bytes": INTEGER,
    "profile": TEXT,
    "cycles_per_message": NUMBER,
    "cycles_per_byte": NUMBER,
    "ci_low": NUMBER,
    "ci_high": NUMBER,
    "ns_per_message": NUMBER,
    "mbytes_per_second": NUMBER,
    "converged": FLAG,
}
"""The columns of rows that are kept, besides `run`; of `switches` only whether there were any, as
`switched`."""

RUNS_AT_ONCE = 1000
"""Whose rows are read before they are written."""

_OTHERWISE = {
    "switches": "coalesce(cardinality(switches), 0) > 0 AS switched",
    # Rows of format 1.0 have none.
    "backend_asked": "coalesce(CAST(backend_asked AS VARCHAR), 'default') AS backend_asked",
}
# Cast, since one file whose column has another type would change the type of all.
_SELECTED = ", ".join(
    _OTHERWISE.get(name) or f'CAST("{name}" AS {kind}) AS "{name}"'
    for name, kind in COLUMNS.items()
)
_ORDER = "message_bytes, operation, algorithm, provider, run"
"""Questions are mostly of one size, and then find its rows side by side."""

_FIGURES = ("backend", "cycles_per_message", "cycles_per_byte", "ci_low", "ci_high",
            "ns_per_message", "mbytes_per_second", "converged")  # fmt: skip
"""Columns that may differ from run to run of the same case on the same machine."""

_CASE = ", ".join(
    "switched" if name == "switches" else name for name in COLUMNS if name not in _FIGURES
)
# By the machines' numbers, which takes half the time of their three texts. Not arg_max, which would
# take a value that the newest lacks from an older one.
_NEWEST = (
    "WITH numbered AS MATERIALIZED (SELECT run, started_unix_ns, dense_rank() OVER "
    "(ORDER BY machine_id, machine_kind, machine_name) AS number FROM runs) "
    f"SELECT arg_max(run, started_unix_ns) AS run, {_CASE}, "
    + ", ".join(f"arg_max_null({name}, started_unix_ns) AS {name}" for name in _FIGURES)
    + " FROM {} JOIN numbered USING (run) WHERE cycles_per_message IS NOT NULL "
    f"GROUP BY number, {_CASE}"
)

_KEPT_NEWEST = f"newest-{VERSION}"
"""The newest figures of some runs, so that further runs are looked at alone."""

Copies = Callable[[Sequence[str]], AbstractContextManager[Path]]
"""What gives a folder in which each of some runs has its rows."""


class _Part(NamedTuple):
    """One of the files."""

    path: Path
    rows: int
    runs: frozenset[str]


class Figures:
    """Questions to the figures of some runs, over the views `runs` and `figures`."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        summaries: list[Summary],
        parts: Sequence[_Part] = (),
    ) -> None:
        self._connection = connection
        self._parts = parts
        self.summaries = summaries
        """All runs of the store, newest first, also those of other workloads."""

    def of_runs(self, runs: Iterable[str]) -> Figures:
        """The same of these runs alone."""
        wanted = set(runs)
        kept = [it for it in self.summaries if it.run in wanted]
        if len(kept) < len(self.summaries):
            gone = [it.run for it in self.summaries if it.run not in wanted]
            runs_gone = ", ".join(map(quoted, gone))
            self._connection.execute(
                "CREATE OR REPLACE TEMP VIEW runs AS "
                f"SELECT * FROM stored_runs WHERE run NOT IN ({runs_gone})"
            )
        return Figures(self._connection, kept, self._parts)

    @contextlib.contextmanager
    def newest(self) -> Iterator[Figures]:
        """The same for the block, with only the newest figure of each case on each machine: of
        every run the rows are read once, and not again the next time."""
        with connected(part.path for part in self._parts) as connection:
            register(connection, "runs", self.ask("SELECT * FROM runs"))
            self._add_newest(connection)
            yield Figures(connection, self.summaries)

    def _add_newest(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Adds the newest of the figures that are kept as such and those of all other runs."""
        runs = {summary.run for summary in self.summaries}
        runs &= frozenset().union(*(part.runs for part in self._parts))
        path = self._parts[0].path.with_name(_KEPT_NEWEST)
        known = _add_kept(connection, path)
        kept = connection.execute("SELECT DISTINCT run FROM kept").fetchall() if known else []
        # What a run that is gone had may have hidden an older figure.
        if not {run for (run,) in kept} <= runs:
            known = frozenset()
        unread = [part.path for part in self._parts if not (known and part.runs & runs <= known)]
        if not unread:
            connection.execute("ALTER TABLE kept RENAME TO figures")
            return
        register(connection, "known", Table({"run": TEXT}, {"run": sorted(known)}))
        source = f"SELECT * FROM {_read_parquet(unread)} ANTI JOIN known USING (run)"
        if known:
            source += " UNION ALL BY NAME SELECT * FROM kept"
        connection.execute(f"CREATE TABLE figures AS {_NEWEST.format(f'({source})')}")
        facts = {"runs": " ".join(sorted(runs))}
        rebuildable.write_bytes(
            path, database.parquet_of(connection, "SELECT * FROM figures", facts)
        )

    def ask(self, sql: str, parameters: Sequence[Any] = ()) -> Table:
        """The answer to a question in SQL."""
        return database.table_of(self._connection.execute(sql, list(parameters)))


@contextlib.contextmanager
def figures(
    root: Path, summaries: list[Summary], copies: Copies, say: Callable[[str], object]
) -> Iterator[Figures]:
    """The figures of those of these runs that are of one thread, up to date, for the block."""
    runs = [summary for summary in summaries if workload_of(summary.workload).sampled]
    with (
        files(root, [run.run for run in runs], copies, say) as parts,
        connected(part.path for part in parts) as connection,
    ):
        register(connection, "stored_runs", tables.SUMMARIES.table(runs))
        connection.execute("CREATE TEMP VIEW runs AS SELECT * FROM stored_runs")
        # Without those of runs that are gone.
        paths = [part.path for part in parts]
        try:
            connection.execute(
                "CREATE VIEW figures AS "
                f"SELECT * FROM {_read_parquet(paths)} SEMI JOIN runs USING (run)"
            )
            yield Figures(connection, summaries, parts)
        except duckdb.IOException as error:
            raise WorkError(
                f"the figures kept in {root / FOLDER} were removed while they were read: type the "
                "command again"
            ) from error
        except duckdb.OutOfMemoryException as error:
            most = database.BOUNDS["memory_limit"]
            raise WorkError(
                f"the figures of {len(runs)} runs take more than {most} of memory and the room for "
                "temporary files: name another folder with TMPDIR=DIR"
            ) from error


def _read_parquet(paths: Sequence[Path]) -> str:
    return f"read_parquet([{listed(paths)}])"


def _add_kept(connection: duckdb.DuckDBPyConnection, path: Path) -> frozenset[str]:
    """Makes a table `kept` of the newest figures of some runs, and returns these runs."""
    content = rebuildable.read_bytes(path)
    if content is None:
        return frozenset()
    with contextlib.suppress(duckdb.Error, KeyError, OSError):  # of another DuckDB
        with database.file_in_memory(content) as file:
            connection.execute(f"CREATE TABLE kept AS SELECT * FROM read_parquet('{file}')")
            return frozenset(parquet.metadata(connection, file)["runs"].split())
    return frozenset()


@contextlib.contextmanager
def files(
    root: Path, runs: Sequence[str], copies: Copies, say: Callable[[str], object]
) -> Iterator[list[_Part]]:
    """The files that have the figures of these runs, up to date, for the block.

    They may have those of others too. `say` is told of runs whose rows cannot be read, and of work
    that takes long.
    """
    with contextlib.ExitStack() as held:
        try:
            parts = _kept(root / FOLDER, held, runs, copies, say)
        except (OSError, duckdb.Error):  # nothing can be written there, or something is in the way
            held.close()
            parts = _made_for_once(held, runs, copies, say)
        yield parts


def _kept(
    folder: Path,
    held: contextlib.ExitStack,
    runs: Sequence[str],
    copies: Copies,
    say: Callable[[str], object],
) -> list[_Part]:
    """The files beside the runs. Raises `OSError` and `duckdb.Error`."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o644)
    held.callback(os.close, lock)
    with contextlib.suppress(OSError):  # a filesystem without locks: the files are whole ones
        fcntl.flock(lock, fcntl.LOCK_EX)
    _bring_up_to_date(folder, runs, copies, say)
    with contextlib.suppress(OSError):
        fcntl.flock(lock, fcntl.LOCK_SH)
    return _parts(folder)


def _made_for_once(
    held: contextlib.ExitStack, runs: Sequence[str], copies: Copies, say: Callable[[str], object]
) -> list[_Part]:
    """The same in a folder for temporary files. Raises `WorkError`."""
    try:
        folder = Path(held.enter_context(TemporaryDirectory(prefix="ciphermark-figures-")))
        _bring_up_to_date(folder, runs, copies, say)
        return _parts(folder)
    except (OSError, duckdb.Error) as error:
        raise WorkError(
            f"the figures of {len(runs)} runs could not be put together "
            f"({str(error).splitlines()[0]}); make room in the folder for temporary files, or name "
            "another with TMPDIR=DIR"
        ) from error


def _bring_up_to_date(
    folder: Path, runs: Sequence[str], copies: Copies, say: Callable[[str], object]
) -> None:
    remove_leftovers(folder)
    parts = _parts(folder)
    known = frozenset().union(*(part.runs for part in parts))
    missing = sorted(set(runs) - known)
    if not missing:
        if not parts:
            _write_rows(folder, {})  # so that questions always have something to be asked of
        return
    if len(missing) >= RUNS_AT_ONCE:
        say(f"reading the figures of {len(missing)} runs, once")
    for first in range(0, len(missing), RUNS_AT_ONCE):
        some = missing[first : first + RUNS_AT_ONCE]
        with copies(some) as place:
            _add(folder, some, place, say)
    _merge(folder, frozenset(runs))


def _add(folder: Path, runs: list[str], place: Path, say: Callable[[str], object]) -> None:
    """Writes the rows of some runs into a file of their own."""
    found = {run: table_file(place / run, "rows") for run in runs}
    files = {run: path for run, path in found.items() if path.is_file()}
    there = {run: path for run, path in files.items() if _holds(parquet.check_footer, path, say)}
    try:
        _write_rows(folder, there)
    except duckdb.Error:
        # One of them is damaged: each is looked at, and those that can be read are taken.
        _write_rows(
            folder, {run: path for run, path in there.items() if _holds(_check_rows, path, say)}
        )


def _holds(check: Callable[[Path], None], path: Path, say: Callable[[str], object]) -> bool:
    """Returns whether a file passes a check, and says why not."""
    try:
        check(path)
    except WorkError as error:
        say(str(error))
        return False
    return True


def _check_rows(path: Path) -> None:
    """Raises `WorkError` where a file is damaged or a column has another type."""
    rows = parquet.read(path, [*COLUMNS])
    with parquet.explained(path), database.shared() as connection:
        register(connection, "rows", rows)
        casts = (f'CAST("{name}" AS {COLUMNS[name]})' for name in rows.schema)
        connection.execute(f"SELECT {', '.join(casts)} FROM rows").fetchall()


def _write_rows(folder: Path, runs: dict[str, Path]) -> None:
    with TemporaryDirectory(prefix="ciphermark-columns-") as beside:
        # Has every column, which runs of older formats lack.
        empty = Path(beside) / "empty" / "rows.parquet"
        empty.parent.mkdir()
        parquet.write(Table.of_rows([], COLUMNS), empty)
        files = [empty, *runs.values()]
        _write(
            folder,
            runs,
            files,
            f"SELECT parse_path(filename)[-2] AS run, {_SELECTED} FROM "
            f"read_parquet([{listed(files)}], union_by_name = true, filename = true)",
        )


def _merge(folder: Path, stored: frozenset[str]) -> None:
    """Makes one file of all up to the largest that is not twice as large as those before it."""
    parts = sorted(_parts(folder), key=lambda part: part.rows)
    before = [0, *accumulate(part.rows for part in parts)]
    several = [n for n, part in enumerate(parts) if n and part.rows <= 2 * before[n]]
    if not several:
        return
    together = parts[: several[-1] + 1]
    files = [part.path for part in together]
    live = frozenset().union(*(part.runs for part in together)) & stored
    gone = frozenset().union(*(part.runs for part in together)) - stored
    # By those that are gone, which are few.
    kept = f" WHERE run NOT IN ({', '.join(map(quoted, sorted(gone)))})" if gone else ""
    written = _write(folder, live, files, f"SELECT * FROM {_read_parquet(files)}{kept}")
    for part in together:
        if part.path != written:  # which has the same name where it has the same in it
            part.path.unlink(missing_ok=True)


def _write(folder: Path, runs: Collection[str], files: Sequence[Path], selected: str) -> Path:
    """Writes a selection of some files into a new one, which appears whole or not at all."""
    partial = unfinished(folder / "rows")
    try:
        with connected([*files, partial], preserve_insertion_order=False) as connection:
            connection.execute(
                f"COPY ({selected} ORDER BY {_ORDER}) TO {quoted(str(partial))} "
                "(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 100000, USE_TMP_FILE false, "
                f"KV_METADATA {{runs: {quoted(' '.join(sorted(runs)))}}})"
            )
        return partial.replace(folder / _name(partial))
    finally:
        partial.unlink(missing_ok=True)


def _name(path: Path) -> str:
    """A file is named by what is in it: nothing in DuckDB's files tells of a changed byte."""
    with path.open("rb") as file:
        return f"rows-{VERSION}-{hashlib.file_digest(file, 'sha256').hexdigest()[:32]}.parquet"


def _parts(folder: Path) -> list[_Part]:
    found = []
    paths = sorted(folder.glob(f"rows-{VERSION}-*.parquet"))
    with connected(paths) as connection:
        for path in paths:
            try:
                if not path.is_file() or _name(path) != path.name:
                    raise rebuildable.NotWhole("its checksum does not fit")
                runs = frozenset(parquet.metadata(connection, str(path))["runs"].split())
                count = f"SELECT count(*) FROM {_read_parquet([path])}"
                [(rows,)] = connection.execute(count).fetchall()
            except (OSError, KeyError, ValueError, duckdb.Error) as error:
                rebuildable.throw_away(path, str(error))
                continue
            found.append(_Part(path, rows, runs))
    return found
