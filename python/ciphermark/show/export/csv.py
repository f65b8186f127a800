"""CSV: one line for each row, all fields, with the run and the machine in front."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from ciphermark.analyse.models.cost_card import CostCard
    from ciphermark.analyse.row import Row
    from ciphermark.record.run import Context

ERROR = ("error_kind", "error_message", "error_signal")
"""The columns of an error, empty where there is none."""


def export(context: Context, rows: list[Row], cards: list[CostCard]) -> bytes:
    """The rows as RFC 4180 has it, with plain line ends; absent figures are empty."""
    records = [_record(context, row) for row in rows]
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=_columns(), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue().encode()


def _columns() -> list[str]:
    from ciphermark.analyse.row import Row

    fields = [name for name in Row.__struct_fields__ if name != "error"]
    return ["run", "machine_name", "cpu_name", *fields, *ERROR]


def _record(context: Context, row: Row) -> dict[str, Any]:
    record = msgspec.to_builtins(row)
    error = record.pop("error") or {}
    record["switches"] = " ".join(f"{name}={value}" for name, value in row.switches.items())
    for name in ("agrees_with", "features"):
        record[name] = " ".join(record[name])
    for name, value in record.items():
        if isinstance(value, bool):
            record[name] = str(value).lower()
    origin = {name: getattr(context, name) for name in ("run", "machine_name", "cpu_name")}
    return origin | record | {name: error.get(name.removeprefix("error_")) for name in ERROR}
