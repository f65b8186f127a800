"""Figures of a run whose report is not in the site, from which a script makes its page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ciphermark.record.case_row import way
from ciphermark.workloads.single.row import Row

COPIED = ("algorithm", "operation", "provider", "backend", "profile", "message_bytes", "converged")
"""Fields of rows that the page shows as they are."""

FIGURES = {
    "cycles": "cycles_per_message",
    "low": "cycles_per_message_low",
    "high": "cycles_per_message_high",
    "mbytes": "mbytes_per_second",
}
DIGITS = 10
"""Significant digits of a figure: far more than the page shows."""


def figures(rows: Sequence[Row]) -> dict[str, Any]:
    """Returns the figures by column; a column of one value everywhere has it once."""
    columns: dict[str, list[Any]] = {
        name: [getattr(row, name) for row in rows] for name in COPIED
    } | {name: [_rounded(getattr(row, field)) for row in rows] for name, field in FIGURES.items()}
    columns["way"] = [way(row) for row in rows]
    columns["remark"] = [
        row.error.message if row.error else row.not_converged_reason for row in rows
    ]
    return {"rows": len(rows), "columns": {name: _once(it) for name, it in columns.items()}}


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{DIGITS}g}")


def _once(values: list[Any]) -> list[Any]:
    return values[:1] if values.count(values[0] if values else None) == len(values) else values
