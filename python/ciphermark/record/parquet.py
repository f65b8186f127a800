"""Parquet files: written whole, read with every page checked, and what is wrong in one sentence."""

from __future__ import annotations

import contextlib
import os
import stat
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
    MemoryError,
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


MOST_BYTES = 2**28
"""Bytes of a table in memory: ten times the largest of ours but samples."""

MOST_OF_SAMPLES = 2**30
"""Bytes of five million samples, which 50,000 cases may have."""

MOST_OF_CONTEXT = 2**26
"""Bytes of the facts of a run, of which its plan has 16 MiB at most."""


def read(
    path: Path, columns: Sequence[str] | None = None, most_bytes: int = MOST_BYTES
) -> pa.Table:
    """Reads all columns, or those of the named ones that the file has.

    Raises `WorkError` when the file is missing, cut short or damaged, or when its table would take
    more than `most_bytes`.
    """
    with explained(path):
        if not stat.S_ISREG(os.stat(path).st_mode):  # opening a pipe would wait for its writer
            raise ValueError("it is no file")
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            wanted = None if columns is None else list(columns)
            rows = _rows_at_once(file.metadata, most_bytes)
            if rows is None:
                return file.read(columns=wanted, use_threads=False)
            batches, size = [], 0
            for batch in file.iter_batches(batch_size=rows, columns=wanted, use_threads=False):
                size += batch.nbytes
                if size > most_bytes:
                    raise _too_large(most_bytes)
                batches.append(batch)
            return pa.Table.from_batches(batches, file.schema_arrow if columns is None else None)


_BATCHES = 8
"""Into which a table of the largest size is cut that may exceed it."""


def _rows_at_once(facts: pq.FileMetaData, most_bytes: int) -> int | None:
    """Returns how many rows are decoded at once; None where all cannot exceed the bound.

    A text is stored once however many rows have it, so a column of texts may have in each row as
    many bytes as are stored for all. Raises `ValueError` where numbers alone are too many.
    """
    groups = [facts.row_group(number) for number in range(facts.num_row_groups)]
    chunks = [group.column(place) for group in groups for place in range(group.num_columns)]
    texts = [it for it in chunks if it.physical_type == "BYTE_ARRAY"]
    if sum(it.num_values for it in chunks) * 8 > most_bytes:
        raise _too_large(most_bytes)
    in_a_row: int = sum(it.total_uncompressed_size for it in texts)
    if in_a_row > most_bytes:
        raise _too_large(most_bytes)
    if in_a_row * max((it.num_values for it in texts), default=0) <= most_bytes:
        return None
    return max(1, most_bytes // _BATCHES // in_a_row)


def _too_large(most_bytes: int) -> ValueError:
    return ValueError(f"its table takes more than {most_bytes // 2**20} MiB of memory")


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
