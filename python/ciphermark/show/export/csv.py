"""CSV: one line for each row, all fields, with the run and the machine in front."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec

from ciphermark.messages import visible
from ciphermark.workload import workload_of

if TYPE_CHECKING:
    from ciphermark.record.run import Context
    from ciphermark.workload import AnyRow, AnyRows

ORIGIN = ("run", "machine_name", "cpu_name")
"""The columns that say where the figures are from."""

ERROR = ("error_kind", "error_message", "error_signal")
"""The columns of an error, empty where there is none."""


def export(context: Context, rows: AnyRows) -> bytes:
    """Returns a line for each row, all fields in the order of the headings."""
    columns = _columns(context)
    records = (_record(context, row) for row in rows)
    return written([columns, *([record[name] for name in columns] for record in records)])


def written(lines: Iterable[Iterable[Any]]) -> bytes:
    """Returns a file as RFC 4180 has it, with plain line ends; absent values are empty."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(map(_cell, line) for line in lines)
    return text.getvalue().encode()


def _columns(context: Context) -> list[str]:
    fields = [
        name
        for name in workload_of(context.workload).row_type().__struct_fields__
        if name != "error"
    ]
    return [*ORIGIN, *fields, *ERROR]


def _record(context: Context, row: AnyRow) -> dict[str, Any]:
    record: dict[str, Any] = msgspec.to_builtins(row)
    error = record.pop("error") or {}
    if "switches" in record:
        switches = record["switches"].items()
        record["switches"] = " ".join(f"{name}={value}" for name, value in switches)
    origin = {name: getattr(context, name) for name in ORIGIN}
    return origin | record | {name: error.get(name.removeprefix("error_")) for name in ERROR}


def _cell(value: Any) -> Any:
    """Returns a number as it is, words of a list beside each other, and what has parts as JSON.

    An apostrophe precedes a text that a spreadsheet would take for a formula.
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list) and not any(isinstance(it, dict | list) for it in value):
        value = " ".join(map(str, value))
    if isinstance(value, list | dict):
        value = msgspec.json.encode(value).decode()
    if not isinstance(value, str):
        return value
    return ("'" if _FORMULA.match(value) else "") + visible(value)


_FORMULA = re.compile(
    r"\s*([=@\uff1d\uff20]|[+\uff0b\uff0d-](?!(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z))"
)
"""Beginning of a formula, in wide signs too; a number with its sign is none."""
