"""Parquet files: written whole, read with every page checked, and what is wrong in one sentence."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from ciphermark.errors import WorkError
from ciphermark.record.atomic import write_synced


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
    except (OSError, ValueError, pa.ArrowException, msgspec.MsgspecError) as error:
        raise WorkError(
            f"{path} cannot be read, it may be cut short or damaged ({_reason(error)}); copy the "
            f"run again from where it came, or remove {path.parent}"
        ) from error


def _reason(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__
