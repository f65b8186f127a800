"""Rows of packets as a table, as they are stored and exported.

Where rows of another workload have a column of the same name and of another type, this one is
called otherwise, so that runs of all workloads can be asked together.
"""

from __future__ import annotations

import msgspec
import pyarrow as pa

from ciphermark.analyse.packet_row import PacketRow
from ciphermark.analyse.rows import ROW_SCHEMA, table_of
from ciphermark.analyse.session_table import SESSION_ROW_SCHEMA

_INTEGER, _NUMBER, _TEXT = pa.int64(), pa.float64(), pa.string()
_INTERVAL = pa.struct({"low": _NUMBER, "high": _NUMBER})
_LATENCIES = SESSION_ROW_SCHEMA.field("latency_ns").type
_SHARES = pa.list_(
    pa.struct(
        {
            "cpu": _INTEGER,
            "submits": pa.bool_(),
            "packets": _NUMBER,
            "share": _NUMBER,
            "cpu_cycles": _NUMBER,
            "useful_cycles": _NUMBER,
        }
    )
)
_DEVICE = pa.struct(
    dict.fromkeys(
        ("submissions", "in_cycles", "compute_cycles", "out_cycles", "wall_cycles"), _NUMBER
    )
)

COLUMNS = {"groups": "cpu_groups", "shares": "cpu_shares"}
"""Columns of fields whose names mean something else in rows of other workloads."""

_OWN = {
    "packets": _INTEGER,
    "packet_bytes": _INTEGER,
    "bits": _NUMBER,
    "submit_cpu": _INTEGER,
    "offload_cpus": pa.list_(_INTEGER),
    "batch": _INTEGER,
    "flush_us": _NUMBER,
    "queue_batches": _INTEGER,
    "delivery": _TEXT,
    "architecture": _TEXT,
    "waiting": _TEXT,
    "key_setup": _TEXT,
    "priorities": _INTEGER,
    "cpu_groups": pa.list_(pa.list_(_INTEGER)),
    "in_flight": _INTEGER,
    "device": _TEXT,
    "transfer_cycles": _NUMBER,
    "transfer_interval": _INTERVAL,
    "processing_cycles": _NUMBER,
    "processing_interval": _INTERVAL,
    "actual_cycles": _NUMBER,
    "actual_interval": _INTERVAL,
    "transfer_cycles_per_packet": _NUMBER,
    "transfer_ns_per_packet": _NUMBER,
    "processing_cycles_per_packet": _NUMBER,
    "processing_cycles_per_byte": _NUMBER,
    "actual_cycles_per_packet": _NUMBER,
    "cycles_per_bit": _NUMBER,
    "cpu_cycles": _NUMBER,
    "transfer_cpu_cycles": _NUMBER,
    "cpu_cycles_per_packet": _NUMBER,
    "useful_cycles": _NUMBER,
    "burnt_cycles": _NUMBER,
    "burnt_interval": _INTERVAL,
    "packets_per_second": _NUMBER,
    "bits_per_second": _NUMBER,
    "transfer_latency_ns": _LATENCIES,
    "hot_cycles_per_byte": _NUMBER,
    "cold_cycles_per_byte": _NUMBER,
    "cpu_shares": _SHARES,
    "device_times": _DEVICE,
    "lost": _INTEGER,
    "duplicated": _INTEGER,
    "out_of_order": _INTEGER,
    "queue_full": _NUMBER,
    "flushed": _NUMBER,
    "buffer_bytes": _INTEGER,
    "pairs": _INTEGER,
    "checked_against": _TEXT,
}
"""The columns that no other rows have."""


def _field(name: str) -> pa.Field:
    """What several kinds of rows have is of one type."""
    if name in _OWN:
        return pa.field(name, _OWN[name])
    shared = ROW_SCHEMA if name in ROW_SCHEMA.names else SESSION_ROW_SCHEMA
    return shared.field(name)


PACKET_ROW_SCHEMA = pa.schema(
    [_field(COLUMNS.get(name, name)) for name in PacketRow.__struct_fields__]
)
"""One column for each field of `PacketRow`, in its order."""


def packet_rows_table(rows: list[PacketRow]) -> pa.Table:
    """The rows as a table of `PACKET_ROW_SCHEMA`."""
    types = zip(PacketRow.__struct_fields__, PACKET_ROW_SCHEMA.types, strict=True)
    return table_of(rows, pa.schema([*types])).rename_columns(PACKET_ROW_SCHEMA.names)


def packet_rows_from_table(table: pa.Table) -> list[PacketRow]:
    """The rows that `packet_rows_table` made a table of."""
    fields = {column: name for name, column in COLUMNS.items()}
    named = table.rename_columns([fields.get(name, name) for name in table.column_names])
    return msgspec.convert(named.to_pylist(maps_as_pydicts="strict"), list[PacketRow])
