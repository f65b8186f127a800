"""Rows of many sessions as a table, as they are stored and exported."""

from __future__ import annotations

import msgspec
import pyarrow as pa

from ciphermark.record.schemas import schema_of
from ciphermark.workloads.sessions.row import SessionRow
from ciphermark.workloads.single.rows import table_of

SESSION_ROW_SCHEMA = schema_of(SessionRow)
"""One column for each field of `SessionRow`, in its order."""


def session_rows_table(rows: list[SessionRow]) -> pa.Table:
    """The rows as a table of `SESSION_ROW_SCHEMA`."""
    return table_of(rows, SESSION_ROW_SCHEMA)


def session_rows_from_table(table: pa.Table) -> list[SessionRow]:
    """The rows that `session_rows_table` made a table of."""
    return msgspec.convert(table.to_pylist(maps_as_pydicts="strict"), list[SessionRow])
