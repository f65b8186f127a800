"""The table that people read: of a survey and of simulated processors a line for each
implementation and a column for each size, of many sessions and of packets a line for each case.

Markdown and LaTeX write the same table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ciphermark.record.case_row import CaseRow
from ciphermark.show import figures
from ciphermark.show.column import Column, exported
from ciphermark.show.problems import UNSETTLED, unsettled
from ciphermark.workloads.packets import columns as packet_columns
from ciphermark.workloads.packets import remarks as packet_words
from ciphermark.workloads.sessions import columns as session_columns
from ciphermark.workloads.sessions import remarks as session_words
from ciphermark.workloads.simulation import columns as simulation_columns
from ciphermark.workloads.simulation import lines as simulation_lines
from ciphermark.workloads.simulation import remarks as simulation_words
from ciphermark.workloads.single import show_cost_card as cost_card
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.sections import Line, packet_bytes, sections, sizes
from ciphermark.workloads.single.upper_bounds import AT_MOST, MEANING, bound, has_bounds
from ciphermark.workloads.tuning import remarks as tuning_words

if TYPE_CHECKING:
    from ciphermark.record.run import Context
    from ciphermark.workloads.packets.row import PacketRow
    from ciphermark.workloads.sessions.row import SessionRow
    from ciphermark.workloads.simulation.row import SimulationRow
    from ciphermark.workloads.single.cost_card import CostCard
    from ciphermark.workloads.tuning.row import TuningRow

WORDS = (
    "Algorithm",
    "Operation",
    "Provider",
    "Backend",
    "Called",
    "Message",
    "Packet",
    "CPUs",
    "Compiler",
    "Flags",
)
"""The columns that hold words; the others hold numbers."""


@dataclass(frozen=True)
class Pivot:
    """Headings, and the lines of each section under its title."""

    title: str
    headings: list[str]
    sections: dict[str, list[list[str]]]
    legend: list[tuple[str, str]]
    """The marks that occur, and what they mean."""


def of_sessions(rows: list[SessionRow]) -> Pivot:
    """A line for each case; what can be said of a line alone is in its cells."""
    measured = [row for row in rows if row.is_measured]
    legend = [] if all(row.valid for row in measured) else [(UNSETTLED, "is not valid")]
    legend += session_words.remarks(rows)
    title = "Core cycles per byte of many sessions at once"
    return _of_columns(title, exported(session_columns.columns(measured)), measured, legend)


def of_packets(rows: list[PacketRow]) -> Pivot:
    """A line for each case, in cycles per packet."""
    measured = [row for row in rows if row.is_measured]
    legend = [] if all(row.converged for row in measured) else [(UNSETTLED, "did not settle")]
    legend += [(session_words.PLAIN, remark) for remark in packet_words.remarks(rows)]
    columns = packet_columns.columns(measured)
    return _of_columns("Core cycles per packet", exported(columns), measured, legend)


def _function(row: CaseRow) -> str:
    return f"{row.algorithm} · {row.operation}"


def _of_columns(
    title: str,
    columns: list[Column[Any]],
    rows: Sequence[Any],
    legend: list[tuple[str, str]],
    section: Callable[[Any], str] = _function,
) -> Pivot:
    """A line for each row, in sections."""
    found: dict[str, list[list[str]]] = {}
    for row in rows:
        cells = [column.text(row, figures.NARROW_SPACE) for column in columns]
        found.setdefault(section(row), []).append(cells)
    return Pivot(title, [column.name for column in columns], found, legend)


def of_simulations(rows: list[SimulationRow]) -> Pivot:
    """A section for each target, whose title says what its figures are."""
    lines = simulation_lines.lines(rows)
    legend = [(session_words.PLAIN, remark) for remark in simulation_words.remarks(rows)]
    title = "Cycles or instructions of one call on simulated processors"
    columns = exported(simulation_columns.columns(lines))
    return _of_columns(title, columns, lines, legend, _target)


def _target(line: simulation_lines.Line) -> str:
    return simulation_words.target_title(line.first)


def of_tuning(rows: list[TuningRow]) -> Pivot:
    """A section for each kernel on each target, with all variants that have figures."""
    headings = ["Compiler", "Flags", "front", "cycles/byte", "a call", "by the default's"]
    headings += ["code bytes", "stack bytes"]
    sections = {
        group.title: [_tuning_cells(row) for row in group.measured]
        for group in tuning_words.groups(rows)
        if group.measured
    }
    title = "Kernels under compilers and flags"
    gains = [it.sentence.rstrip(".") for it in tuning_words.sentences(rows, "speed")]
    return Pivot(title, headings, sections, [(session_words.PLAIN, gain) for gain in gains])


def _tuning_cells(row: TuningRow) -> list[str]:
    return [
        row.compiler,
        f"{row.flags} (default)" if row.is_default else row.flags,
        "yes" if row.on_front else "",
        _number(row.cycles_per_byte),
        _number(row.value),
        _number(row.ratio),
        _whole(row.code_bytes),
        _whole(row.stack_bytes),
    ]


def _whole(value: int | None) -> str:
    return "" if value is None else figures.grouped(value, separator=figures.NARROW_SPACE)


def of_imported(context: Context, rows: list[Row]) -> Pivot:
    """In MB/s, which every program tells, and with what the figures do not say."""
    arranged = sections(context, rows, [])
    measured = sizes(arranged)
    return Pivot(
        "MB/s by message size, as another program said",
        ["Algorithm", "Provider", "Backend", *map(figures.message_size, measured)],
        {
            section.title: [_imported_cells(line, measured) for line in section.lines]
            for section in arranged
        },
        [(session_words.PLAIN, note) for note in context.notes],
    )


def _imported_cells(line: Line, measured: list[int | str]) -> list[str]:
    backend = " · ".join(filter(None, [line.backend, line.way]))
    found = [line.by_size.get(size) for size in measured]
    rates = [_number(row and row.mbytes_per_second) for row in found]
    return [line.algorithm.title, line.provider, backend, *rates]


def of_survey(context: Context, rows: list[Row], cards: list[CostCard]) -> Pivot:
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
    slope = _number(card.long.b)
    return [cost_card.mark(card) + fixed, f"{slope} {cost_card.FROM} {above}" if above else slope]


def _figure(row: Row | None, value: float | None) -> str:
    mark = "" if row is None or value is None or row.converged else UNSETTLED
    return mark + _number(value)


def _figure_or_bound(row: Row | None, value: float | None) -> str:
    return _figure(row, value) if value is not None else bound(row, figures.NARROW_SPACE)


def _number(value: float | None) -> str:
    return "" if value is None else figures.signed(value, figures.NARROW_SPACE)
