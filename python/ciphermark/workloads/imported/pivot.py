"""Figures of another program as a table for a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.show import figures
from ciphermark.show.export.pivot import Pivot, figure
from ciphermark.show.problems import REMARK
from ciphermark.workloads.single.sections import Line, sections, sizes

if TYPE_CHECKING:
    from ciphermark.record.run import Context
    from ciphermark.workloads.single.row import Row


def pivot(context: Context, rows: list[Row]) -> Pivot:
    """In MB/s, which every program tells, and with what the figures do not say."""
    arranged = sections(context, rows, [])
    measured = sizes(arranged)
    return Pivot(
        "MB/s by message size, as another program said",
        ["Algorithm", "Provider", "Backend", *map(figures.message_size, measured)],
        3,
        {section.title: [_cells(line, measured) for line in section.lines] for section in arranged},
        [(REMARK, note) for note in context.notes],
    )


def _cells(line: Line, measured: list[int | str]) -> list[str]:
    backend = " · ".join(filter(None, [line.backend, line.way]))
    found = [line.by_size.get(size) for size in measured]
    rates = [figure(row.mbytes_per_second if row else None) for row in found]
    return [line.algorithm.title, line.provider, backend, *rates]
