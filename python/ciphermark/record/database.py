"""Databases of DuckDB in memory: bounded, without extensions, and closed to files of others."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import msgspec
import numpy as np
import numpy.typing as npt

from ciphermark.errors import Stopped
from ciphermark.record.table import ARRAYS, Column, Table, is_nested

BOUNDS: dict[str, Any] = {
    "memory_limit": "1GiB",
    "max_temp_directory_size": "8GiB",
    "autoload_known_extensions": False,
    "autoinstall_known_extensions": False,
    "allow_community_extensions": False,
    "python_enable_replacements": False,
}
"""Settings of every database. Sorting 5 million figures of 1,500 bytes takes 1 GiB and a folder."""


@contextlib.contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """Raises `Stopped`, in place of which DuckDB raises an error of its own."""
    try:
        yield
    except RuntimeError as error:
        if str(error) == "Query interrupted":
            raise Stopped("stopped") from None
        raise


@contextlib.contextmanager
def connected(files: Iterable[Path], **settings: Any) -> Iterator[duckdb.DuckDBPyConnection]:
    """Opens a database in memory that can open files in the folders of these alone.

    Its memory and its folder for temporary files are bounded; without such a folder it has none.
    """
    with _stopped_by_signals(), contextlib.ExitStack() as held:
        beside = ""
        with contextlib.suppress(OSError):
            beside = held.enter_context(TemporaryDirectory(prefix="ciphermark-query-"))
        config = {**BOUNDS, **settings, "temp_directory": beside}
        connection = held.enter_context(duckdb.connect(config=config))
        _close(connection, {file.parent for file in files})
        yield connection


_OPENED = Path("/proc/self/fd")
"""Folder of the files that this process has opened, by their descriptors."""

_NAME = "ciphermark"

_RESOLVED = f"/memfd:{_NAME} (deleted)"
"""Path of each file in memory where links are followed."""


def _close(connection: duckdb.DuckDBPyConnection, folders: Iterable[Path]) -> None:
    """Lets a database open files of these folders and those in memory alone."""
    connection.execute(
        f"SET allowed_directories = [{listed([_OPENED, *folders])}]; "
        f"SET allowed_paths = [{quoted(_RESOLVED)}]; SET enable_external_access = false; "
        "SET lock_configuration = true"
    )


@contextlib.contextmanager
def file_in_memory(content: bytes) -> Iterator[str]:
    """Makes a file that no disk has, for the block, and returns its path."""
    descriptor = os.memfd_create(_NAME)
    try:
        with open(descriptor, "wb", closefd=False) as file:
            file.write(content)
        yield str(_OPENED / str(descriptor))
    finally:
        os.close(descriptor)


def parquet_of(
    connection: duckdb.DuckDBPyConnection, selected: str, metadata: Mapping[str, str]
) -> bytes:
    """Returns the content of a Parquet file with the rows of a statement and texts of metadata.

    It comes through a pipe, so that neither a full disk nor a limit on files matters.
    """
    said = ", ".join(f"{quoted(key)}: {quoted(text)}" for key, text in metadata.items())
    parts: list[bytes] = []
    readable, writable = os.pipe()

    def read() -> None:
        with open(readable, "rb") as pipe:
            parts.append(pipe.read())

    reader = threading.Thread(target=read)
    reader.start()
    try:
        connection.execute(
            f"COPY ({selected}) TO '{_OPENED / str(writable)}' (FORMAT parquet, COMPRESSION zstd, "
            f"USE_TMP_FILE false, KV_METADATA {{{said}}})"
        )
    finally:
        os.close(writable)
        reader.join()
    return parts[0]


@contextlib.contextmanager
def shared() -> Iterator[duckdb.DuckDBPyConnection]:
    """Opens a connection to the database of this process, which opens files in memory alone."""
    try:
        with _stopped_by_signals(), _of_process(os.getpid()).cursor() as connection:
            yield connection
    except (duckdb.FatalException, duckdb.InternalException):
        _of_process.cache_clear()  # a damaged file has made it unusable
        raise


@cache
def _of_process(process: int) -> duckdb.DuckDBPyConnection:
    """Returns the database of a process: one that was forked cannot use that of its parent."""
    settings: dict[str, Any] = {
        "threads": 1,
        "temp_directory": "",
        "enable_external_file_cache": False,
    }
    connection = duckdb.connect(config={**BOUNDS, **settings})
    _close(connection, [])
    return connection


def quoted(text: str) -> str:
    """Returns a text as SQL takes it."""
    return "'" + text.replace("'", "''") + "'"


def named(column: str) -> str:
    """Returns the name of a column as SQL takes it."""
    return '"' + column.replace('"', '""') + '"'


def listed(files: Iterable[Path]) -> str:
    """Returns paths as a list of SQL has them."""
    return ", ".join(quoted(str(file)) for file in files)


def register(connection: duckdb.DuckDBPyConnection, name: str, table: Table) -> None:
    """Makes a view of a table."""
    selected = passed(connection, name, table)
    connection.execute(f"CREATE TEMP VIEW {named(name)} AS {selected}")


def passed(connection: duckdb.DuckDBPyConnection, name: str, table: Table) -> str:
    """Passes a table to a database, and returns the statement that selects it."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    selected = []
    for place, (column, kind) in enumerate(table.schema.items()):
        expression = _passed(arrays, f"c{place}", table[column])
        selected.append(f"CAST({expression} AS {kind}) AS {named(column)}")
    if not arrays:
        raise ValueError("a table has no columns")
    connection.register(f"passed_{name}", arrays)
    return f"SELECT {', '.join(selected)} FROM passed_{name}"


def _passed(arrays: dict[str, npt.NDArray[Any]], name: str, column: Column) -> str:
    """Adds the arrays that a column is passed by, and returns the expression that they make it by.

    Gaps in numbers are an array of their own, and nested values are text of JSON: so no type is
    guessed.
    """
    values, kind = column.values, column.kind
    if not isinstance(values, list):
        arrays[name] = np.ascontiguousarray(values)
        return name
    if kind in ARRAYS:
        gaps = np.array([it is None for it in values], np.bool_)
        arrays[name] = np.array([0 if it is None else it for it in values], ARRAYS[kind])
        if not gaps.any():
            return name
        arrays[f"{name}_gaps"] = gaps
        return f"CASE WHEN {name}_gaps THEN NULL ELSE {name} END"
    if is_nested(kind):
        empty = "[]" if kind.endswith("]") else "{}"  # of nearly all samples
        values = [
            None if it is None else msgspec.json.encode(it).decode() if it else empty
            for it in values
        ]
    texts = np.empty(len(values), object)
    texts[:] = values
    arrays[name] = texts
    return f"CAST({name} AS JSON)" if is_nested(kind) else f"CAST({name} AS VARCHAR)"


def table_of(cursor: duckdb.DuckDBPyConnection | duckdb.DuckDBPyRelation) -> Table:
    """Returns the result of the last statement."""
    schema = {name: str(kind) for name, kind, *_ in cursor.description or ()}
    rows = cursor.fetchall()
    columns = list(map(list, zip(*rows, strict=True))) or [[] for _ in schema]
    return Table(schema, dict(zip(schema, columns, strict=True)))
