"""Parquet: the rows with their types, and the context in the metadata of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from ciphermark.record.run import Context
    from ciphermark.workload import AnyRows

CONTEXT = "ciphermark.context"
"""Key of the context, as JSON, in the metadata."""


def export(context: Context, rows: AnyRows) -> bytes:
    """A file with one row group, of the schema of its workload, led by the run."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from ciphermark.workload import rows_table

    table = rows_table(rows, context.workload)
    runs = pa.array([context.run] * len(rows), pa.string())
    table = table.add_column(0, "run", runs)
    table = table.replace_schema_metadata({CONTEXT: msgspec.json.encode(context)})
    file = pa.BufferOutputStream()
    pq.write_table(table, file, compression="zstd")
    content: bytes = file.getvalue().to_pybytes()
    return content
