"""Parquet files: written whole, read with every byte checked, and what is wrong in one sentence.

Each file has a digest of itself in its metadata. Files of older versions have none, but a checksum
of each page.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import msgspec

from ciphermark.errors import WorkError, shortened
from ciphermark.files.atomic import write_synced
from ciphermark.record import database
from ciphermark.record.database import named, quoted
from ciphermark.record.table import INTEGER, NUMBER, Table

_UNREADABLE = (
    OSError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    MemoryError,
    duckdb.Error,
    msgspec.MsgspecError,
)
"""What decoding a file may end with whose columns or types are not those that were written."""

_OF_REASON = 300
"""Characters that are shown of what a reader says is wrong."""

DIGEST = "ciphermark.sha256"
"""Key of the digest in the metadata: SHA-256 of the file with zeros in its place."""

_BEFORE_DIGEST = DIGEST.encode() + b"\x18\x40"
"""Bytes before the digest: the key, and the header of a text of 64 bytes in Thrift's format."""

_NO_DIGEST = b"0" * 64


def write(table: Table, path: Path) -> None:
    """Writes a new file and waits until the disk has it. Raises `OSError`."""
    write_synced(path, encoded(table))


def encoded(table: Table, metadata: Mapping[str, str] | None = None) -> bytes:
    """Returns the content of a file, with texts of metadata by their keys.

    It is made in memory, so that a full disk is a plain `OSError`.
    """
    texts = {DIGEST: _NO_DIGEST.decode(), **(metadata or {})}
    with database.shared() as connection:
        selected = database.passed(connection, "written", table)
        content = bytearray(database.parquet_of(connection, selected, texts))
    place = _digest_at(content)
    content[place : place + len(_NO_DIGEST)] = _digest(content, place)
    return bytes(content)


def _digest_at(content: bytes | bytearray) -> int:
    """Returns where the digest of a file is, 0 of a file that has none."""
    found = content.rfind(_BEFORE_DIGEST)
    return 0 if found < 0 else found + len(_BEFORE_DIGEST)


def _digest(content: bytes | bytearray, place: int) -> bytes:
    found = hashlib.sha256(memoryview(content)[:place])
    found.update(_NO_DIGEST)
    found.update(memoryview(content)[place + len(_NO_DIGEST) :])
    return found.hexdigest().encode()


MOST_BYTES = 2**28
"""Bytes of a table in memory: ten times the largest of ours but samples."""

MOST_OF_SAMPLES = 2**30
"""Bytes of five million samples, which 50,000 cases may have."""

MOST_OF_CONTEXT = 2**26
"""Bytes of the facts of a run, of which its plan has 16 MiB at most."""


MOST_OF_FOOTER = 2**22
"""Bytes of the facts of all row groups and columns; ours have some ten thousand."""


def check_footer(path: Path) -> None:
    """Refuses a file whose footer takes seconds to read. Raises `WorkError`."""
    with explained(path), path.open("rb") as file:
        file.seek(-min(_END_BYTES, os.fstat(file.fileno()).st_size), os.SEEK_END)
        _check_footer(file.read(_END_BYTES))


def _check_footer(end: bytes) -> None:
    if int.from_bytes(end[-_END_BYTES:-4], "little") > MOST_OF_FOOTER:
        raise ValueError(f"its footer takes more than {MOST_OF_FOOTER // 2**20} MiB")


_END_BYTES = 8
"""Length of the footer, then the four letters that end a file."""


def read(
    path: Path,
    columns: Sequence[str] | None = None,
    most_bytes: int = MOST_BYTES,
    *,
    as_arrays: bool = False,
) -> Table:
    """Reads all columns, or those of the named ones that the file has.

    Numbers are arrays on request. Raises `WorkError` when the file is missing, cut short or
    damaged, or when its table would take more than `most_bytes`.
    """
    with explained(path):
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):  # opening a pipe would wait for its writer
            raise ValueError("it is no file")
        if found.st_size > most_bytes:
            raise _too_large(most_bytes)
        return decoded(path.read_bytes(), columns, most_bytes, as_arrays=as_arrays)


def decoded(
    content: bytes,
    columns: Sequence[str] | None = None,
    most_bytes: int = MOST_BYTES,
    *,
    as_arrays: bool = False,
) -> Table:
    """Returns the table of a file's content; raises one of many errors where it is damaged."""
    _check_footer(content[-_END_BYTES:])
    place = _digest_at(content)
    if place and content[place : place + len(_NO_DIGEST)] != _digest(content, place):
        raise ValueError("its digest does not fit")
    with database.file_in_memory(content) as path, database.shared() as connection:
        if not place:
            _check_pages(content, connection, path)
        _check_size(connection, path, most_bytes)
        of_file = f"FROM read_parquet('{path}')"
        if as_arrays:
            return _arrays(connection, f"SELECT * {of_file}")
        wanted = "*" if columns is None else ", ".join(map(named, columns))
        try:
            connection.execute(f"SELECT {wanted} {of_file}")
        except duckdb.BinderException:  # a column is not there
            wanted = f"COLUMNS(lambda c: c IN ({', '.join(map(quoted, columns or ()))}))"
            connection.execute(f"SELECT {wanted} {of_file}")
        return database.table_of(connection)


def metadata(connection: duckdb.DuckDBPyConnection, path: str) -> dict[str, str]:
    """Returns the texts of a file's metadata by their keys."""
    found = connection.execute(f"SELECT key, value FROM parquet_kv_metadata({quoted(path)})")
    return {bytes(key).decode(): bytes(value).decode() for key, value in found.fetchall()}


def _arrays(connection: duckdb.DuckDBPyConnection, selected: str) -> Table:
    """Returns a table whose numbers are arrays, and whose lists of texts are lists."""
    described = connection.execute(f"{selected} LIMIT 0").description or ()
    schema = {name: str(kind) for name, kind, *_ in described}
    joined = [
        f"array_to_string({named(name)}, chr(31)) AS {named(name)}"
        if kind == "VARCHAR[]"
        else named(name)
        for name, kind in schema.items()
    ]
    found = connection.execute(f"SELECT {', '.join(joined)} FROM ({selected})").fetchnumpy()
    columns: dict[str, Any] = {}
    for name, kind in schema.items():
        values = found[name]
        if kind == "VARCHAR[]":
            texts = values.tolist()
            lists = {it: it.split("\x1f") if it else [] for it in {*texts} - {None}}
            columns[name] = [lists.get(it) for it in texts]
        elif kind in (INTEGER, NUMBER) and not hasattr(values, "mask"):
            columns[name] = values
        else:
            columns[name] = values.tolist()
    return Table(schema, columns)


def _check_size(connection: duckdb.DuckDBPyConnection, path: str, most_bytes: int) -> None:
    """Raises `ValueError` where a table takes more than so many bytes, before it is decoded.

    A text is stored once however many rows have it, so a column of texts may have in each row as
    many bytes as are stored for all; only where that would be too much they are added up.
    """
    texts = "FILTER (type = 'BYTE_ARRAY')"
    [(values, stored, repeated)] = connection.execute(
        f"SELECT sum(num_values), sum(total_uncompressed_size) {texts}, "
        f"sum(total_uncompressed_size * num_values) {texts} FROM parquet_metadata('{path}')"
    ).fetchall()
    if (values or 0) * 8 > most_bytes or (stored or 0) > most_bytes:
        raise _too_large(most_bytes)
    if (repeated or 0) <= most_bytes:
        return
    selected = f"SELECT * FROM read_parquet('{path}')"
    described = connection.execute(f"{selected} LIMIT 0").description or ()
    sums = ", ".join(f"sum({_bytes(named(name), kind)})" for name, kind, *_ in described)
    [found] = connection.execute(f"SELECT {sums} FROM ({selected})").fetchall()
    if sum(it or 0 for it in found) > most_bytes:
        raise _too_large(most_bytes)


def _bytes(expression: str, kind: Any) -> str:  # noqa: ANN401  # of DuckDB
    """Returns the expression of the bytes of all texts in a value."""
    match kind.id:
        case "varchar":
            return f"coalesce(strlen(CAST({expression} AS VARCHAR)), 0)"
        case "blob":
            return f"coalesce(octet_length({expression}), 0)"
        case "list":
            [(_, inner)] = kind.children
            each = f"list_transform({expression}, lambda x: {_bytes('x', inner)})"
            return f"coalesce(list_sum({each}), 0)"
        case "map":
            return " + ".join(
                f"coalesce(list_sum(list_transform(map_{part}s({expression}), "
                f"lambda x: {_bytes('x', inner)})), 0)"
                for part, inner in kind.children
            )
        case "struct":
            inner = [_bytes(f"{expression}.{named(name)}", it) for name, it in kind.children]
            return " + ".join(inner)
    return "8"


def _too_large(most_bytes: int) -> ValueError:
    return ValueError(f"its table takes more than {most_bytes // 2**20} MiB of memory")


def _check_pages(content: bytes, connection: duckdb.DuckDBPyConnection, path: str) -> None:
    """Raises `ValueError` where a page has a checksum that does not fit."""
    places = connection.execute(
        "SELECT least(dictionary_page_offset, data_page_offset), total_compressed_size "
        f"FROM parquet_metadata('{path}')"
    )
    for start, length in places.fetchall():
        at, end = start or 0, (start or 0) + (length or 0)
        while at < end:
            header = _Header(content, at)
            page = content[header.at : header.at + header.size]
            if header.checksum is not None and zlib.crc32(page) != header.checksum % 2**32:
                raise ValueError("the checksum of a page does not fit")
            at = header.at + header.size


class _Header:
    """The header of a page, in Thrift's compact format: its size and its checksum.

    By apache/parquet-format, PageHeader: field 3 is the size of the page as it is stored, field 4
    its CRC-32.
    """

    def __init__(self, content: bytes, at: int) -> None:
        self._content, self.at = content, at
        fields = self._struct()
        self.size: int = fields[3]
        self.checksum: int | None = fields.get(4)
        if self.size < 0:
            raise ValueError("a page has a negative size")

    def _struct(self, depth: int = 0) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        number = 0
        while kind := self._byte():
            step = kind >> 4
            number = number + step if step else self._integer()
            fields[number] = self._value(kind & 15, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:  # noqa: ANN401
        match kind:
            case 1 | 2:
                return kind == 1
            case 3:
                return self._byte()
            case 4 | 5 | 6:
                return self._integer()
            case 7:
                self.at += 8
                return None
            case 8:
                length = self._unsigned()
                self.at += length
                return None
            case 12 if depth < 4:
                return self._struct(depth + 1)
        raise ValueError("the header of a page cannot be read")

    def _byte(self) -> int:
        self.at += 1
        return self._content[self.at - 1]

    def _unsigned(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 128:
            value |= (byte & 127) << shift
            shift += 7
        return value | byte << shift

    def _integer(self) -> int:
        value = self._unsigned()
        return value >> 1 ^ -(value & 1)


@contextlib.contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turns what goes wrong in reading and decoding a file into a sentence that names it."""
    try:
        yield
    except FileNotFoundError as error:
        raise WorkError(
            f"{path} is missing; copy the run again from where it came, or remove {path.parent}"
        ) from error
    except _UNREADABLE as error:
        raise damaged(path, _reason(error)) from error


def damaged(path: Path, reason: str) -> WorkError:
    """The sentence about a file that is not what was written."""
    return WorkError(
        f"{path} cannot be read, it may be cut short or damaged ({reason}); copy the run again "
        f"from where it came, or remove {path.parent}"
    )


def _reason(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    said = shortened(lines[0].rstrip("."), _OF_REASON) if lines else ""
    if isinstance(error, (LookupError, TypeError, AttributeError)):  # which say but a name
        return f"{type(error).__name__}: {said}"
    return said or type(error).__name__
