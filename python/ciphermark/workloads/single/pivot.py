"""A survey as a table for a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.show import figures
from ciphermark.show.export.pivot import Pivot, figure
from ciphermark.show.problems import UNSETTLED, unsettled
from ciphermark.workloads.single import show_cost_card as cost_card
from ciphermark.workloads.single.sections import Line, packet_bytes, sections, sizes
from ciphermark.workloads.single.upper_bounds import AT_MOST, MEANING, bound, has_bounds

if TYPE_CHECKING:
    from ciphermark.record.run import Context
    from ciphermark.workloads.single.cost_card import CostCard
    from ciphermark.workloads.single.row import Row


def pivot(context: Context, rows: list[Row], cards: list[CostCard]) -> Pivot:
    """In cycles per byte, with cost cards and throughput."""
    arranged = sections(context, rows, cards)
    measured = sizes(arranged)
    packet = packet_bytes(measured)
    headings = ["Algorithm", "Provider", "Backend", *map(figures.message_size, measured)]
    headings += ["cycles/message", "+ cycles/byte", "cycles/key setup"]
    if packet:
        headings.append(f"MB/s at {figures.message_size(packet)}")
    return Pivot(
        "Core cycles per byte by message size",
        headings,
        3,
        {
            section.title: [_cells(line, measured, packet) for line in section.lines]
            for section in arranged
        },
        _legend(context, rows, cards),
    )


def _legend(context: Context, rows: list[Row], cards: list[CostCard]) -> list[tuple[str, str]]:
    legend = []
    if unsettled(rows):
        legend.append((UNSETTLED, f"did not settle to ±{100 * context.precision:g} %"))
    if has_bounds(rows):
        legend.append((AT_MOST, MEANING))
    return [*legend, *cost_card.legend(cards)]


def _cells(line: Line, measured: list[int | str], packet: int | None) -> list[str]:
    found = [line.by_size.get(size) for size in measured]
    backend = " · ".join(filter(None, [line.backend, line.way]))
    cells = [line.algorithm.title, line.provider, backend]
    cells += [_figure_or_bound(row, row and row.cycles_per_byte) for row in found]
    cells += _card_cells(line.card)
    cells.append(_figure_or_bound(line.setup, line.setup and line.setup.cycles_per_message))
    if packet:
        row = line.by_size.get(packet)
        cells.append(_figure(row, row and row.mbytes_per_second))
    return cells


def _card_cells(card: CostCard | None) -> list[str]:
    if card is None:
        return ["", ""]
    above = cost_card.start(card)
    fixed = cost_card.fixed_cost(card.long, figures.NARROW_SPACE)
    slope = figure(card.long.b)
    return [cost_card.mark(card) + fixed, f"{slope} {cost_card.FROM} {above}" if above else slope]


def _figure(row: Row | None, value: float | None) -> str:
    mark = "" if row is None or value is None or row.converged else UNSETTLED
    return mark + figure(value)


def _figure_or_bound(row: Row | None, value: float | None) -> str:
    return _figure(row, value) if value is not None else bound(row, figures.NARROW_SPACE)
