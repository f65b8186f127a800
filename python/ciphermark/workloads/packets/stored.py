"""Rows of packets as a table, as they are stored and exported.

Where rows of another workload have a column of the same name and of another type, this one is
called otherwise, so that runs of all workloads can be asked together.
"""

from __future__ import annotations

import msgspec
import pyarrow as pa

from ciphermark.record.schemas import schema_of
from ciphermark.workloads.packets.row import PacketRow
from ciphermark.workloads.single.rows import table_of

COLUMNS = {"groups": "cpu_groups", "shares": "cpu_shares"}
"""Columns of fields whose names mean something else in rows of other workloads."""

PACKET_ROW_SCHEMA = schema_of(PacketRow, COLUMNS)
"""One column for each field of `PacketRow`, in its order."""


def packet_rows_table(rows: list[PacketRow]) -> pa.Table:
    """The rows as a table of `PACKET_ROW_SCHEMA`."""
    return table_of(rows, schema_of(PacketRow)).rename_columns(PACKET_ROW_SCHEMA.names)


def packet_rows_from_table(table: pa.Table) -> list[PacketRow]:
    """The rows that `packet_rows_table` made a table of."""
    fields = {column: name for name, column in COLUMNS.items()}
    named = table.rename_columns([fields.get(name, name) for name in table.column_names])
    return msgspec.convert(named.to_pylist(maps_as_pydicts="strict"), list[PacketRow])
