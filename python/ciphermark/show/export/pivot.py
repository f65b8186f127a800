"""The table that people read: of a survey and of simulated processors a line for each
implementation and a column for each size, of many sessions and of packets a line for each case.

Markdown and LaTeX write the same table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ciphermark.analyse.row import Row
from ciphermark.plan.cpu_sets import listed
from ciphermark.show import (
    figures,
    packet_words,
    session_words,
    simulation_lines,
    simulation_words,
    tuning_words,
)
from ciphermark.show.problems import CURVED, UNSETTLED, is_curved, unsettled
from ciphermark.show.sections import Line, packet_bytes, sections, sizes

if TYPE_CHECKING:
    from ciphermark.analyse.by_workload import AnyRows
    from ciphermark.analyse.models.cost_card import CostCard
    from ciphermark.analyse.packet_row import PacketRow
    from ciphermark.analyse.session_row import SessionRow
    from ciphermark.analyse.simulation_row import SimulationRow
    from ciphermark.analyse.tuning_row import TuningRow
    from ciphermark.record.run import Context

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

MEMORY = ("code", "context", "stack")
"""What an implementation takes of a processor's memory, in the order of its columns."""


@dataclass(frozen=True)
class Pivot:
    """Headings, and the lines of each section under its title."""

    title: str
    headings: list[str]
    sections: dict[str, list[list[str]]]
    legend: list[tuple[str, str]]
    """The marks that occur, and what they mean."""


def pivot(context: Context, rows: AnyRows, cards: list[CostCard]) -> Pivot:
    """The rows without errors."""
    if context.workload == "sessions":
        return _of_sessions(rows)
    if context.workload == "packets":
        return _of_packets(rows)
    if context.workload == "simulation":
        return _of_simulations(rows)
    if context.workload == "tuning":
        return _of_tuning(rows)
    if context.workload == "imported":
        return _of_imported(context, rows)
    return _of_survey(context, rows, cards)


def _of_sessions(rows: list[SessionRow]) -> Pivot:
    """A line for each case; what can be said of a line alone is in its cells."""
    measured = [row for row in rows if row.is_measured]
    headings = ["Provider", "Backend", "Called", "Message", "CPUs", "Sessions"]
    headings += [f"{kind} cycles/byte" for kind in ("absolute", "apparent", "session's")]
    headings += ["MB/s", "p50 µs", "p99 µs", "p99.9 µs", "fairness"]
    sections: dict[str, list[list[str]]] = {}
    for row in measured:
        sections.setdefault(f"{row.algorithm} · {row.operation}", []).append(_session_cells(row))
    legend = [] if all(row.valid for row in measured) else [(UNSETTLED, "is not valid")]
    legend += session_words.remarks(rows)
    return Pivot("Core cycles per byte of many sessions at once", headings, sections, legend)


def _session_cells(row: SessionRow) -> list[str]:
    mark = "" if row.valid else UNSETTLED
    absolute = mark + session_words.ESTIMATED * row.absolute_is_estimated
    turns = session_words.TURNS if row.threads == "per-cpu" else ""
    latency = row.latency_ns
    return [
        row.provider,
        row.backend,
        session_words.conditions(row),
        "" if row.size is None else figures.message_size(row.size),
        listed(row.cpus),
        turns + figures.grouped(row.sessions, separator=figures.NARROW_SPACE),
        absolute + _number(row.absolute_cycles_per_byte),
        mark + _number(row.apparent_cycles_per_byte),
        _number(row.wall_cycles_per_byte),
        _number(row.mbytes_per_second),
        *(_number(latency and getattr(latency, it) / 1e3) for it in ("p50", "p99", "p999")),
        "" if row.fairness is None else f"{row.fairness:.3f}",
    ]


def _of_packets(rows: list[PacketRow]) -> Pivot:
    """A line for each case, in cycles per packet."""
    measured = [row for row in rows if row.is_measured]
    headings = ["Provider", "Backend", "Called", "Packet", "CPUs", "Packets", "Batch"]
    headings += ["transfer", "processing", "actual", "actual cycles/bit", "million/s", "MB/s"]
    headings += ["p50 µs", "p99 µs", "lost", "twice"]
    sections: dict[str, list[list[str]]] = {}
    for row in measured:
        sections.setdefault(f"{row.algorithm} · {row.operation}", []).append(_packet_cells(row))
    legend = [] if all(row.converged for row in measured) else [(UNSETTLED, "did not settle")]
    legend += [(session_words.PLAIN, remark) for remark in packet_words.remarks(rows)]
    return Pivot("Core cycles per packet", headings, sections, legend)


def _packet_cells(row: PacketRow) -> list[str]:
    mark = "" if row.converged else UNSETTLED
    latency = row.latency_ns
    return [
        row.provider,
        row.backend,
        packet_words.conditions(row),
        packet_words.size(row),
        listed(row.cpus),
        figures.grouped(row.packets, separator=figures.NARROW_SPACE),
        figures.grouped(row.batch, separator=figures.NARROW_SPACE),
        _number(row.transfer_cycles_per_packet),
        mark + _number(row.processing_cycles_per_packet),
        mark + _number(row.actual_cycles_per_packet),
        mark + _number(row.cycles_per_bit),
        _number(row.packets_per_second and row.packets_per_second / 1e6),
        _number(row.mbytes_per_second),
        *(_number(latency and getattr(latency, it) / 1e3) for it in ("p50", "p99")),
        str(row.lost),
        str(row.duplicated),
    ]


def _of_simulations(rows: list[SimulationRow]) -> Pivot:
    """A section for each target, whose title says what its figures are."""
    lines = simulation_lines.lines(rows)
    sizes = simulation_lines.sizes(lines)
    headings = ["Algorithm", "Operation", "Backend", "key setup"]
    headings += [*map(figures.message_size, sizes), *(f"{it} bytes" for it in MEMORY)]
    sections: dict[str, list[list[str]]] = {}
    for line in lines:
        title = simulation_words.target_title(line.first)
        sections.setdefault(title, []).append(_simulation_cells(line, sizes))
    legend = [(session_words.PLAIN, remark) for remark in simulation_words.remarks(rows)]
    title = "Cycles or instructions of one call on simulated processors"
    return Pivot(title, headings, sections, legend)


def _simulation_cells(line: simulation_lines.Line, sizes: list[int]) -> list[str]:
    values = [line.of_setup(), *map(line.at, sizes), *(line.most(f"{it}_bytes") for it in MEMORY)]
    words = [line.first.algorithm, line.operation, line.first.backend]
    return words + [_whole(value) for value in values]


def _of_tuning(rows: list[TuningRow]) -> Pivot:
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


def _of_imported(context: Context, rows: list[Row]) -> Pivot:
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


def _of_survey(context: Context, rows: list[Row], cards: list[CostCard]) -> Pivot:
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
    if any(map(is_curved, cards)):
        legend.append((CURVED, "is no straight line over size"))
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
    return "" if value is None else figures.signed(value, figures.NARROW_SPACE)
