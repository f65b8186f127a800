"""Rows of many sessions as a table, as they are stored and exported."""

from __future__ import annotations

import msgspec
import pyarrow as pa

from ciphermark.analyse.rows import ROW_SCHEMA, table_of
from ciphermark.analyse.session_row import SessionRow

_INTEGER, _NUMBER, _TEXT, _FLAG = pa.int64(), pa.float64(), pa.string(), pa.bool_()
_SCHEDULED = pa.struct(
    {"session": _INTEGER, "cpu_ns": _INTEGER, "apparent_cycles_per_byte": _NUMBER}
)
_OBJECTIONS = pa.list_(pa.struct({"kind": _TEXT, "message": _TEXT}))
_ATTEMPTS = pa.list_(
    pa.struct(
        {
            "sessions": _INTEGER,
            "execution_ms": _NUMBER,
            "opens_ms": _NUMBER,
            "closes_ms": _NUMBER,
            "objections": _OBJECTIONS,
        }
    )
)

_OWN = {
    "sessions": _INTEGER,
    "cores": _INTEGER,
    "cpus": pa.list_(_INTEGER),
    "placement": _TEXT,
    "threads": _TEXT,
    "contexts": _TEXT,
    "policy": _TEXT,
    "nice": _INTEGER,
    "quota_cpus": _NUMBER,
    "neighbours": _INTEGER,
    "life": pa.struct({"shortest_ms": _NUMBER, "longest_ms": _NUMBER}),
    "offered_per_s": _NUMBER,
    "offload_cpus": pa.list_(_INTEGER),
    "device": _TEXT,
    "device_cpu_ns": _INTEGER,
    "absolute_cycles_per_byte": _NUMBER,
    "absolute_cycles_per_message": _NUMBER,
    "apparent_cycles_per_byte": _NUMBER,
    "apparent_cycles_per_message": _NUMBER,
    "wall_cycles_per_byte": _NUMBER,
    "estimated_cycles_per_byte": _NUMBER,
    "estimate_error": _NUMBER,
    "absolute_is_estimated": _FLAG,
    "parallelism": _NUMBER,
    "messages": _INTEGER,
    "messages_per_second": _NUMBER,
    "latency_ns": pa.struct(dict.fromkeys(("p50", "p90", "p99", "p999"), _INTEGER)),
    "fairness": _NUMBER,
    "cpu_fairness": _NUMBER,
    "cpu_spread": _NUMBER,
    "apparent_spread": _NUMBER,
    "most_scheduled": _SCHEDULED,
    "least_scheduled": _SCHEDULED,
    "never_ran": _INTEGER,
    "preemptions": _INTEGER,
    "waits": _INTEGER,
    "migrations": _INTEGER,
    "shares": pa.struct(dict.fromkeys(("busy", "workload", "steal", "idle"), _NUMBER)),
    "session_bytes": _INTEGER,
    "alone_hz": _NUMBER,
    "window_ms": _NUMBER,
    "attempts": _ATTEMPTS,
    "valid": _FLAG,
}
"""The columns that rows of one thread do not have."""

SESSION_ROW_SCHEMA = pa.schema(
    [
        # What both kinds of rows have is of one type, so that runs of both can be asked together.
        pa.field(name, _OWN[name]) if name in _OWN else ROW_SCHEMA.field(name)
        for name in SessionRow.__struct_fields__
    ]
)
"""One column for each field of `SessionRow`, in its order."""


def session_rows_table(rows: list[SessionRow]) -> pa.Table:
    """The rows as a table of `SESSION_ROW_SCHEMA`."""
    return table_of(rows, SESSION_ROW_SCHEMA)


def session_rows_from_table(table: pa.Table) -> list[SessionRow]:
    """The rows that `session_rows_table` made a table of."""
    return msgspec.convert(table.to_pylist(maps_as_pydicts="strict"), list[SessionRow])
