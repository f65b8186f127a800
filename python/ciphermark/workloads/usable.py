"""Whether a run has figures, and why not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ciphermark.workloads.single.row import Row

if TYPE_CHECKING:
    from ciphermark.workload import AnyRow


def has_figure(row: AnyRow) -> bool:
    """Whether a row says what its case costs."""
    if isinstance(row, Row):
        figures = (row.cycles_per_message, row.ns_per_message, row.mbytes_per_second)
        return any(it is not None for it in figures)
    return row.is_measured


def why_without(rows: Sequence[AnyRow]) -> str:
    """Why these rows, of which there is one at least and none has a figure, have none."""
    if all(row.error for row in rows):
        return "every case failed"
    if not any(isinstance(row, Row) and row.samples for row in rows):
        return "it ended before anything was measured"
    failed = any(row.error for row in rows)
    return "every sample was disturbed" + (", or the case failed" if failed else "")
