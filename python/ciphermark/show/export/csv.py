"""CSV: one line for each row, all fields, with the run and the machine in front."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import msgspec

from ciphermark.workload import workload_of

if TYPE_CHECKING:
    from ciphermark.record.run import Context
    from ciphermark.workload import AnyRow, AnyRows

ORIGIN = ("run", "machine_name", "cpu_name")
"""The columns that say where the figures are from."""

ERROR = ("error_kind", "error_message", "error_signal")
"""The columns of an error, empty where there is none."""


def export(context: Context, rows: AnyRows) -> bytes:
    """The rows as RFC 4180 has it, with plain line ends; absent figures are empty."""
    records = [_record(context, row) for row in rows]
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=_columns(context), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue().encode()


def _columns(context: Context) -> list[str]:
    fields = [
        name
        for name in workload_of(context.workload).row_type().__struct_fields__
        if name != "error"
    ]
    return [*ORIGIN, *fields, *ERROR]


def _record(context: Context, row: AnyRow) -> dict[str, Any]:
    record = msgspec.to_builtins(row)
    error = record.pop("error") or {}
    if "switches" in record:
        switches = record["switches"].items()
        record["switches"] = " ".join(f"{name}={value}" for name, value in switches)
    cells = {name: _cell(value) for name, value in record.items()}
    origin = {name: getattr(context, name) for name in ORIGIN}
    return origin | cells | {name: error.get(name.removeprefix("error_")) for name in ERROR}


def _cell(value: Any) -> Any:
    """Words and numbers of a list beside each other; what has parts as JSON."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list) and not any(isinstance(it, dict | list) for it in value):
        return " ".join(map(str, value))
    return msgspec.json.encode(value).decode() if isinstance(value, list | dict) else value
