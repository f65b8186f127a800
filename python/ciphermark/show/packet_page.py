"""What the report of packets says, in words and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ciphermark.analyse.packet_row import Interval, PacketRow
from ciphermark.analyse.packet_scaling import PacketScaling, packet_scalings
from ciphermark.plan.cpu_sets import listed
from ciphermark.show import figures, packet_words
from ciphermark.show.cells import Cell, Fact
from ciphermark.show.packet_method import packet_method
from ciphermark.show.problems import UNSETTLED
from ciphermark.show.surroundings import surroundings

if TYPE_CHECKING:
    from ciphermark.record.run import Context, Run
    from ciphermark.studies.study import Findings

HEADS = [
    ("", ["Algorithm", "Operation", "Implementation", "Called", "Packet", "Packets", "CPUs"]),
    ("", ["Batch"]),
    ("cycles/packet", ["transfer", "processing", "±", "actual", "±", "CPU"]),
    ("actual", ["cycles/bit"]),
    ("cycles/byte", ["processing", "alone, hot", "alone, cold"]),
    ("", ["Million/s", "MB/s"]),
    ("latency, µs", ["p50", "p90", "p99", "p99.9"]),
    ("packets", ["lost", "twice", "out of order"]),
    ("a pass", ["queue full", "flushed"]),
    ("", ["MiB", "GHz"]),
]
"""Columns in groups, in the order of `_cells`."""


def packet_page(run: Run, rows: list[PacketRow], findings: Findings | None) -> dict[str, Any]:
    """All that the template needs but the plots."""
    measured = [row for row in rows if row.is_measured]
    return surroundings(run, rows, findings) | {
        "facts": _facts(run.context, rows),
        "remarks": list(packet_words.remarks(rows)),
        "summary_heads": [
            {"name": name, "columns": columns, "numbers": place > 0}
            for place, (name, columns) in enumerate(HEADS)
        ],
        "summary": [{"section": _section(row), "cells": _cells(row)} for row in measured],
        "sections": list(dict.fromkeys(map(_section, measured))),
        "scalings": [line for scaling in packet_scalings(rows) for line in _scaling_lines(scaling)],
        "shares": [line for row in measured for line in _share_lines(row)],
        "devices": [_device(row) for row in measured if row.device_times is not None],
        "unsettled": [
            {"case": packet_words.case(row), "why": why}
            for row, why in packet_words.unsettled(rows)
        ],
        "method": packet_method(run.context),
    }


def _facts(context: Context, rows: list[PacketRow]) -> list[Fact]:
    measured = [row for row in rows if row.is_measured]
    settled = sum(row.converged for row in measured)
    failed = sum(row.error is not None for row in rows)
    answers = f"{figures.counted(failed, 'case')} failed" if failed else "every answer was right"
    passes = 2 * sum(row.pairs for row in measured)
    most = max((row.packets for row in measured), default=0)
    return [
        Fact("Packets", figures.grouped(most), "the most of any case"),
        Fact("CPUs", str(max((row.cores for row in measured), default=0)), "the most of any case"),
        Fact("Core cycles", context.cycle_source, figures.clock(context.core_hz)),
        Fact("Verified", figures.counted(len(rows) - failed, "case"), answers),
        Fact(
            f"Settled to ±{100 * context.precision:g} %",
            f"{settled} of {len(measured)}",
            f"{figures.grouped(passes)} passes",
        ),
        Fact("Took", f"{context.elapsed_s:.0f} s", figures.counted(len(rows), "case")),
    ]


def _section(row: PacketRow) -> str:
    return f"{row.algorithm} {row.operation}"


def _cells(row: PacketRow) -> list[Cell]:
    implementation = " · ".join(it for it in (row.provider, row.backend) if it != "default")
    called = packet_words.conditions(row)
    latency = row.latency_ns
    return [
        Cell(row.algorithm, row.algorithm, mark="name"),
        Cell(row.operation, row.operation),
        Cell(implementation, implementation),
        Cell(called, called),
        Cell(packet_words.size(row), row.message_bytes),
        Cell(figures.grouped(row.packets), row.packets),
        Cell(listed(row.cpus), row.cores),
        _count(row.batch),
        _number(row.transfer_cycles_per_packet),
        _doubted(row, row.processing_cycles_per_packet),
        _half(row.processing_interval, row.packets),
        _doubted(row, row.actual_cycles_per_packet),
        _half(row.actual_interval, row.packets),
        _number(row.cpu_cycles_per_packet),
        _doubted(row, row.cycles_per_bit),
        *map(
            _number,
            (row.processing_cycles_per_byte, row.hot_cycles_per_byte, row.cold_cycles_per_byte),
        ),
        _number(row.packets_per_second and row.packets_per_second / 1e6),
        _number(row.mbytes_per_second),
        *(
            _number(latency and getattr(latency, name) / 1e3)
            for name in ("p50", "p90", "p99", "p999")
        ),
        *map(_count, (row.lost, row.duplicated, row.out_of_order, row.queue_full, row.flushed)),
        _number(row.buffer_bytes and row.buffer_bytes / 2**20),
        _number(row.core_hz and row.core_hz / 1e9),
    ]


def _doubted(row: PacketRow, value: float | None) -> Cell:
    """A figure that is marked where it is less sure than wanted."""
    if row.converged or value is None:
        return _number(value)
    return Cell(UNSETTLED + _number(value).text, value, mark="number unsettled")


def _half(interval: Interval | None, packets: int) -> Cell:
    """Half of an interval, per packet."""
    if interval is None:
        return Cell("", mark="interval")
    half = (interval.high - interval.low) / 2 / packets
    return Cell(f"±{figures.significant(half, 2)}", half, mark="interval")


def _number(value: float | None) -> Cell:
    if value is None:
        return Cell("", mark="number")
    return Cell(figures.signed(value, figures.NARROW_SPACE), value, mark="number")


def _count(value: float | None) -> Cell:
    shown = "" if value is None else figures.grouped(value, separator=figures.NARROW_SPACE)
    return Cell(shown, value, mark="number")


def _scaling_lines(it: PacketScaling) -> list[list[Cell]]:
    """Speed-up and efficiency at each number of cores."""
    row = it.rows[0]
    name = f"{packet_words.function(row)}, {packet_words.size(row)}"
    return [
        [
            Cell(name),
            _count(row.packets),
            _count(step.cores),
            _number(step.speed_up),
            Cell(figures.percent(step.efficiency, 3), step.efficiency, mark="number"),
            Cell("one also submits" if step.submits_too else ""),
        ]
        for step in it.steps
    ]


def _share_lines(row: PacketRow) -> list[list[Cell]]:
    """What each CPU did, where there are several."""
    if len(row.shares) < 2:
        return []
    return [
        [
            Cell(packet_words.case(row)),
            _count(share.cpu),
            Cell("submits" if share.submits else ""),
            _count(share.packets),
            Cell(figures.percent(share.share, 3), share.share, mark="number"),
            _number(share.cpu_cycles / row.packets),
        ]
        for share in row.shares
    ]


def _device(row: PacketRow) -> list[Cell]:
    """Where the time of a device went, cycles per packet."""
    times = row.device_times
    assert times is not None
    parts = (times.in_cycles, times.compute_cycles, times.out_cycles, times.wall_cycles)
    useful = row.useful_cycles
    return [
        Cell(packet_words.case(row)),
        Cell(row.device or ""),
        _count(times.submissions),
        *(_number(None if part is None else part / row.packets) for part in parts),
        _number(None if useful is None else useful / row.packets),
    ]
