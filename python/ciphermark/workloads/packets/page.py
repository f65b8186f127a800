"""What the report of packets says, in words and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ciphermark.command.surroundings import surroundings
from ciphermark.show import figures
from ciphermark.show.cells import Cell, Fact, count_cell, number_cell, share_cell
from ciphermark.show.column import page_cells, page_heads
from ciphermark.workloads.packets import remarks as packet_words
from ciphermark.workloads.packets.columns import columns
from ciphermark.workloads.packets.method import packet_method
from ciphermark.workloads.packets.row import PacketRow
from ciphermark.workloads.packets.scaling import PacketScaling, packet_scalings

if TYPE_CHECKING:
    from ciphermark.record.run import Context, Run
    from ciphermark.show.findings import Findings


def packet_page(run: Run, rows: list[PacketRow], findings: Findings | None) -> dict[str, Any]:
    """All that the template needs but the plots."""
    measured = [row for row in rows if row.is_measured]
    shown = list(columns(measured))
    return surroundings(run, rows, findings) | {
        "facts": _facts(run.context, rows),
        "remarks": list(packet_words.remarks(rows)),
        "summary_heads": page_heads(shown),
        "summary": [
            {"section": _section(row), "cells": page_cells(shown, row)} for row in measured
        ],
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


def _scaling_lines(it: PacketScaling) -> list[list[Cell]]:
    """Speed-up and efficiency at each number of cores."""
    row = it.rows[0]
    name = f"{packet_words.function(row)}, {packet_words.size(row)}"
    return [
        [
            Cell(name),
            count_cell(row.packets),
            count_cell(step.cores),
            number_cell(step.speed_up),
            share_cell(step.efficiency, 3),
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
            count_cell(share.cpu),
            Cell("submits" if share.submits else ""),
            count_cell(share.packets),
            share_cell(share.share, 3),
            number_cell(share.cpu_cycles / row.packets),
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
        count_cell(times.submissions),
        *(number_cell(None if part is None else part / row.packets) for part in parts),
        number_cell(None if useful is None else useful / row.packets),
    ]
