"""Parquet files: written whole, read with every page checked, and what is wrong in one sentence."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from ciphermark.errors import WorkError, shortened
from ciphermark.files.atomic import write_synced

_UNREADABLE = (
    OSError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    pa.ArrowException,
    msgspec.MsgspecError,
)
"""What decoding a file may end with whose columns or types are not those that were written."""

_OF_REASON = 300
"""Characters that are shown of what a reader says is wrong."""


def write(table: pa.Table, path: Path) -> None:
    """Writes a new file and waits until the disk has it. Raises `OSError`."""
    write_synced(path, encoded(table))


def encoded(table: pa.Table) -> pa.Buffer:
    """What the file holds. It is made in memory, so that a full disk is a plain `OSError`."""
    sink = pa.BufferOutputStream()
    # Statistics and dictionaries are for selecting among many rows; of one long JSON text they
    # would store copies in the footer, which is read for every run when the index is rebuilt.
    several = table.num_rows > 1
    pq.write_table(
        table,
        sink,
        compression="zstd",
        write_page_checksum=True,
        write_statistics=several,
        use_dictionary=several,
    )
    return sink.getvalue()


def read(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Reads all columns, or those of the named ones that the file has.

    Raises `WorkError` when the file is missing, cut short or damaged.
    """
    with explained(path), pq.ParquetFile(path, page_checksum_verification=True) as file:
        return file.read(columns=None if columns is None else list(columns), use_threads=False)


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
