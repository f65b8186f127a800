"""Exports: the rows of a run as CSV, JSON, Parquet, Markdown and LaTeX.

To add a format, write a function and name it in `FORMATS`.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from ciphermark.messages import visible
from ciphermark.view import text_formats
from ciphermark.view.blocks import Table, tables
from ciphermark.view.machine import caption
from ciphermark.workload import rows_table, workload_of

if TYPE_CHECKING:
    from ciphermark.record.run import Context
    from ciphermark.workload import AnyRow, AnyRows

ORIGIN = ("run", "machine_name", "cpu_name")
"""Columns for the origin of figures."""

ERROR = ("error_kind", "error_message", "error_signal")
"""Columns of an error, empty where there is none."""


def _csv(context: Context, rows: AnyRows) -> bytes:
    """Returns a line for each row, all fields in the order of the headings."""
    columns = _columns(context)
    records = (_record(context, row) for row in rows)
    return written_csv([columns, *([record[name] for name in columns] for record in records)])


def written_csv(lines: Iterable[Iterable[Any]]) -> bytes:
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
    """Formats a value for CSV: words of a list side by side, other structures as JSON.

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


CONTEXT = "ciphermark.context"
"""Key of the context, as JSON, in the metadata of a Parquet file."""


def _json(context: Context, rows: AnyRows) -> bytes:
    """Returns `{"run", "rows", "context"}`, indented."""
    document = {"run": context.run, "rows": rows, "context": context}
    text = msgspec.json.format(msgspec.json.encode(document), indent=2).decode()
    return f"{visible(text)}\n".encode()


def _parquet(context: Context, rows: AnyRows) -> bytes:
    """Returns a file with one row group, led by a column with the run."""
    from ciphermark.record import parquet
    from ciphermark.record.table import TEXT
    from ciphermark.record.table import Table as Stored

    table = rows_table(rows, context.workload)
    columns = {name: table[name].values for name in table.schema}
    led = Stored({"run": TEXT} | table.schema, {"run": [context.run] * len(rows)} | columns)
    return parquet.encoded(led, {CONTEXT: msgspec.json.encode(context).decode()})


def table_of(context: Context, rows: AnyRows) -> Table[Any]:
    """Returns the table of a run's rows."""
    return next(tables(workload_of(context.workload).blocks(context, rows, None)))


def _markdown(context: Context, rows: AnyRows) -> bytes:
    table = table_of(context, rows)
    return text_formats.markdown(table, caption(context))


def _latex(context: Context, rows: AnyRows) -> bytes:
    table = table_of(context, rows)
    return text_formats.latex(table, caption(context), context.run)


@dataclass(frozen=True)
class Format:
    """Format of an export."""

    export: Callable[[Context, AnyRows], bytes]
    """Function that makes a whole file."""
    binary: bool = False
    """True if it is no text, and so not for a terminal."""


FORMATS: dict[str, Format] = {
    "csv": Format(_csv),
    "json": Format(_json),
    "latex": Format(_latex),
    "markdown": Format(_markdown),
    "parquet": Format(_parquet, binary=True),
}
"""Formats by the name that `--format` takes."""
