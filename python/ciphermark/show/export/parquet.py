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
    from ciphermark.record import parquet
    from ciphermark.record.table import TEXT, Table
    from ciphermark.workload import rows_table

    table = rows_table(rows, context.workload)
    columns = {name: table[name].values for name in table.schema}
    led = Table({"run": TEXT} | table.schema, {"run": [context.run] * len(rows)} | columns)
    return parquet.encoded(led, {CONTEXT: msgspec.json.encode(context).decode()})
