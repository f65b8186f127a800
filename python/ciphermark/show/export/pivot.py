"""The table that people read, with one line for each implementation and one column for each size.

Markdown and LaTeX write the same table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ciphermark.analyse.row import Row
from ciphermark.show import figures
from ciphermark.show.problems import CURVED, UNSETTLED, is_curved, unsettled
from ciphermark.show.sections import Line, packet_bytes, sections, sizes

if TYPE_CHECKING:
    from ciphermark.analyse.models.cost_card import CostCard
    from ciphermark.record.run import Context

WORDS = ("Algorithm", "Provider", "Backend")
"""The columns that hold words; the others hold numbers."""


@dataclass(frozen=True)
class Pivot:
    """Headings, and the lines of each section under its title."""

    headings: list[str]
    sections: dict[str, list[list[str]]]
    legend: dict[str, str]
    """The marks that occur, and what they mean."""


def pivot(context: Context, rows: list[Row], cards: list[CostCard]) -> Pivot:
    """The rows without errors, in cycles per byte, with cost cards and throughput."""
    arranged = sections(context, rows, cards)
    measured = sizes(arranged)
    packet = packet_bytes(measured)
    headings = [*WORDS, *map(figures.message_size, measured)]
    headings += ["cycles/message", "+ cycles/byte", "cycles/key setup"]
    if packet:
        headings.append(f"MB/s at {figures.message_size(packet)}")
    return Pivot(
        headings,
        {
            section.title: [_cells(line, measured, packet) for line in section.lines]
            for section in arranged
        },
        _legend(context, rows, cards),
    )


def _legend(context: Context, rows: list[Row], cards: list[CostCard]) -> dict[str, str]:
    legend = {}
    if unsettled(rows):
        legend[UNSETTLED] = f"did not settle to ±{100 * context.precision:g} %"
    if any(map(is_curved, cards)):
        legend[CURVED] = "is no straight line over size"
    return legend


def _cells(line: Line, measured: list[int | str], packet: int | None) -> list[str]:
    found = [line.by_size.get(size) for size in measured]
    backend = " · ".join(filter(None, [line.backend, line.way]))
    cells = [line.algorithm.title, line.provider, backend]
    cells += [_figure(row, row and row.cycles_per_byte) for row in found]
    mark = CURVED if is_curved(line.card) else ""
    cells += [mark + _number(line.card and line.card.a), _number(line.card and line.card.b)]
    cells.append(_figure(line.setup, line.setup and line.setup.cycles_per_message))
    if packet:
        row = line.by_size.get(packet)
        cells.append(_figure(row, row and row.mbytes_per_second))
    return cells


def _figure(row: Row | None, value: float | None) -> str:
    mark = "" if row is None or value is None or row.converged else UNSETTLED
    return mark + _number(value)


def _number(value: float | None) -> str:
    return "" if value is None else figures.significant(value, separator=figures.NARROW_SPACE)
