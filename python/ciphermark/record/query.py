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
import pyarrow as pa
import pyarrow.parquet as pq

from ciphermark.errors import UsageError, WorkError
from ciphermark.files import rebuildable
from ciphermark.files.atomic import remove_leftovers, unfinished
from ciphermark.record import parquet, tables
from ciphermark.record.layout import table_file
from ciphermark.record.run import Summary
from ciphermark.workload import workload_of

_FILE_VIEWS = ("rows", "samples")

_BOUNDS = {
    "memory_limit": "1GiB",
    "max_temp_directory_size": "8GiB",
    "autoload_known_extensions": False,
    "autoinstall_known_extensions": False,
    "allow_community_extensions": False,
    "python_enable_replacements": False,
}
"""Settings of every database. Sorting 5 million figures of 1,500 bytes takes 1 GiB and a folder."""


@contextlib.contextmanager
def _connected(files: Iterable[Path], **settings: Any) -> Iterator[duckdb.DuckDBPyConnection]:
    """Opens a database in memory that can open files in the folders of these alone.

    Its memory and its folder for temporary files are bounded; without such a folder it has none.
    """
    with contextlib.ExitStack() as held:
        beside = ""
        with contextlib.suppress(OSError):
            beside = held.enter_context(TemporaryDirectory(prefix="ciphermark-query-"))
        config = {**_BOUNDS, **settings, "temp_directory": beside}
        connection = held.enter_context(duckdb.connect(config=config))
        folders = _listed({file.parent for file in files})
        connection.execute(
            f"SET allowed_directories = [{folders}]; SET enable_external_access = false; "
            "SET lock_configuration = true"
        )
        yield connection


def query(
    place: str,
    runs: Sequence[Summary],
    folder: Callable[[str], Path],
    sql: str,
    parameters: Sequence[Any] = (),
) -> pa.Table:
    """Answers a question over `runs`, and over `rows` and `samples` with a column `run`.

    `folder` tells where the files of a run lie, which are stored in `place`. Raises `UsageError`
    for a question that is not valid, `WorkError` for a file that is damaged.
    """
    with _connected(
        table_file(folder(run.run), view) for run in runs for view in _FILE_VIEWS
    ) as connection:
        try:
            _add_views(connection, place, runs, folder, sql)
            answer = connection.sql(sql, params=list(parameters))
            if answer is None:
                raise UsageError("the query asks for nothing; begin it with SELECT")
            return answer.to_arrow_table()
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
    connection.register("runs", tables.SUMMARIES.table(runs))
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
        f"FROM read_parquet([{_listed(files)}], union_by_name = true, "
        "filename = true)"
    )


def quoted(text: str) -> str:
    """A text as SQL takes it."""
    return "'" + text.replace("'", "''") + "'"


def _listed(files: Iterable[Path]) -> str:
    return ", ".join(quoted(str(file)) for file in files)


def _is_of_files(error: duckdb.Error) -> bool:
    """Whether a file is wrong and not the question; of some damage DuckDB says no kind."""
    kinds = (duckdb.IOException, duckdb.InvalidInputException, duckdb.OutOfMemoryException)
    return isinstance(error, kinds) or type(error) is duckdb.Error


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]


FOLDER = ".figures"
VERSION = 5
"""Files of another version are not used; grows with every change of `COLUMNS`."""

_TEXT, _INTEGER, _NUMBER, _FLAG = pa.string(), pa.int64(), pa.float64(), pa.bool_()

COLUMNS = pa.schema(
    {
        "algorithm": _TEXT,
        "operation": _TEXT,
        "provider": _TEXT,
        "backend": _TEXT,
        "backend_asked": _TEXT,
        "pattern": _TEXT,
        "offload": _TEXT,
        "lanes": _INTEGER,
        "keys": _INTEGER,
        "buffers": _TEXT,
        "after": _TEXT,
        "switches": pa.map_(_TEXT, _TEXT),
        "message_bytes": _INTEGER,
        "profile": _TEXT,
        "cycles_per_message": _NUMBER,
        "cycles_per_byte": _NUMBER,
        "ci_low": _NUMBER,
        "ci_high": _NUMBER,
        "ns_per_message": _NUMBER,
        "mbytes_per_second": _NUMBER,
        "converged": _FLAG,
    }
)
"""The columns of rows that are kept, besides `run`; of `switches` only whether there were any, as
`switched`."""

RUNS_AT_ONCE = 1000
"""Whose rows are read before they are written."""

_SQL_TYPES = {_TEXT: "VARCHAR", _INTEGER: "BIGINT", _NUMBER: "DOUBLE", _FLAG: "BOOLEAN"}

_OTHERWISE = {
    "switches": "coalesce(cardinality(switches), 0) > 0 AS switched",
    # Rows of format 1.0 have none.
    "backend_asked": "coalesce(CAST(backend_asked AS VARCHAR), 'default') AS backend_asked",
}
# Cast, since one file whose column has another type would change the type of all.
_SELECTED = ", ".join(
    _OTHERWISE.get(field.name)
    or f'CAST("{field.name}" AS {_SQL_TYPES[field.type]}) AS "{field.name}"'
    for field in COLUMNS
)
_ORDER = "message_bytes, operation, algorithm, provider, run"
"""Questions are mostly of one size, and then find its rows side by side."""

_FIGURES = ("backend", "cycles_per_message", "cycles_per_byte", "ci_low", "ci_high",
            "ns_per_message", "mbytes_per_second", "converged")  # fmt: skip
"""Columns that may differ from run to run of the same case on the same machine."""

_CASE = ", ".join(
    "switched" if name == "switches" else name for name in COLUMNS.names if name not in _FIGURES
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
            listed = ", ".join(map(quoted, gone))
            self._connection.execute(
                "CREATE OR REPLACE TEMP VIEW runs AS "
                f"SELECT * FROM stored_runs WHERE run NOT IN ({listed})"
            )
        return Figures(self._connection, kept, self._parts)

    @contextlib.contextmanager
    def newest(self) -> Iterator[Figures]:
        """The same for the block, with only the newest figure of each case on each machine: of
        every run the rows are read once, and not again the next time."""
        with _connected(part.path for part in self._parts) as connection:
            connection.register("runs", self.ask("SELECT * FROM runs"))
            connection.register("figures", self._newest(connection))
            yield Figures(connection, self.summaries)

    def _newest(self, connection: duckdb.DuckDBPyConnection) -> pa.Table:
        """The newest of the figures that are kept as such and those of all other runs."""
        runs = {summary.run for summary in self.summaries}
        runs &= frozenset().union(*(part.runs for part in self._parts))
        path = self._parts[0].path.with_name(_KEPT_NEWEST)
        known, rows = _kept_newest(path)
        # What a run that is gone had may have hidden an older figure.
        if not set(rows["run"].unique().to_pylist()) <= runs:
            known, rows = frozenset(), rows.slice(0, 0)
        unread = [part.path for part in self._parts if not (known and part.runs & runs <= known)]
        if not unread:
            return rows
        connection.register("known", pa.table({"run": pa.array(sorted(known), pa.string())}))
        connection.register("kept", rows)
        source = f"SELECT * FROM {_read_parquet(unread)} ANTI JOIN known USING (run)"
        if rows.num_rows:
            source += " UNION ALL BY NAME SELECT * FROM kept"
        rows = connection.sql(_NEWEST.format(f"({source})")).to_arrow_table()
        rows = rows.replace_schema_metadata({"runs": " ".join(sorted(runs))})
        rebuildable.write_bytes(path, parquet.encoded(rows).to_pybytes())
        return rows

    def ask(self, sql: str, parameters: Sequence[Any] = ()) -> pa.Table:
        """The answer to a question in SQL."""
        return self._connection.sql(sql, params=list(parameters)).to_arrow_table()


@contextlib.contextmanager
def figures(
    root: Path, summaries: list[Summary], copies: Copies, say: Callable[[str], object]
) -> Iterator[Figures]:
    """The figures of those of these runs that are of one thread, up to date, for the block."""
    runs = [summary for summary in summaries if workload_of(summary.workload).sampled]
    with (
        files(root, [run.run for run in runs], copies, say) as parts,
        _connected(part.path for part in parts) as connection,
    ):
        connection.register("stored_runs", tables.SUMMARIES.table(runs))
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
            raise WorkError(
                f"the figures of {len(runs)} runs take more than {_BOUNDS['memory_limit']} of "
                "memory and the room for temporary files: name another folder with TMPDIR=DIR"
            ) from error


def _read_parquet(paths: Sequence[Path]) -> str:
    return f"read_parquet([{_listed(paths)}])"


def _kept_newest(path: Path) -> tuple[frozenset[str], pa.Table]:
    """The runs whose figures were looked at, and the newest of these."""
    content = rebuildable.read_bytes(path)
    if content is not None:
        with contextlib.suppress(pa.ArrowException, KeyError, TypeError):  # of another DuckDB
            rows = pq.read_table(pa.BufferReader(content))
            return frozenset(rows.schema.metadata[b"runs"].decode().split()), rows
    return frozenset(), pa.table({"run": pa.array([], pa.string())})


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
    there = {run: path for run, path in found.items() if path.is_file()}
    try:
        _write_rows(folder, there)
    except duckdb.Error:
        # One of them is damaged: each is looked at, and those that can be read are taken.
        _write_rows(folder, {run: path for run, path in there.items() if _is_sound(path, say)})


def _is_sound(path: Path, say: Callable[[str], object]) -> bool:
    try:
        rows = parquet.read(path)
        with parquet.explained(path):
            for column in set(COLUMNS.names) & set(rows.column_names):
                rows[column].cast(COLUMNS.field(column).type)
    except WorkError as error:
        say(str(error))
        return False
    return True


def _write_rows(folder: Path, runs: dict[str, Path]) -> None:
    with TemporaryDirectory(prefix="ciphermark-columns-") as beside:
        # Has every column, which runs of older formats lack.
        empty = Path(beside) / "empty" / "rows.parquet"
        empty.parent.mkdir()
        pq.write_table(COLUMNS.empty_table(), empty)
        files = [empty, *runs.values()]
        _write(
            folder,
            runs,
            files,
            f"SELECT parse_path(filename)[-2] AS run, {_SELECTED} FROM "
            f"read_parquet([{_listed(files)}], union_by_name = true, filename = true)",
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
        with _connected([*files, partial], preserve_insertion_order=False) as connection:
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
    for path in sorted(folder.glob(f"rows-{VERSION}-*.parquet")):
        try:
            if not path.is_file() or _name(path) != path.name:
                raise rebuildable.NotWhole("its checksum does not fit")
            facts = pq.read_metadata(path)
            runs = frozenset(facts.metadata[b"runs"].decode().split())
        except (OSError, KeyError, TypeError, ValueError, pa.ArrowException) as error:
            rebuildable.throw_away(path, str(error))
            continue
        found.append(_Part(path, facts.num_rows, runs))
    return found
