"""What the report of packets says, in words and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ciphermark.record.case_row import settled
from ciphermark.show import figures
from ciphermark.show.column import Cell, Fact, count_cell, number_cell, share_cell
from ciphermark.statistics.quantiles import FEWEST_GROUPS
from ciphermark.workloads import flows
from ciphermark.workloads.packets import remarks
from ciphermark.workloads.packets.columns import columns
from ciphermark.workloads.packets.figures import MOST_AWAY, MOST_CLOCK_MOVE
from ciphermark.workloads.packets.row import DeviceShare, PacketRow
from ciphermark.workloads.packets.scaling import PacketScaling, packet_scalings
from ciphermark.workloads.single.method import ANSWERS, cycles
from ciphermark.workloads.surroundings import surroundings

if TYPE_CHECKING:
    from ciphermark.record.run import Context, Run


def packet_page(run: Run, rows: list[PacketRow]) -> dict[str, Any]:
    """All that the template needs but the plots."""
    measured = [row for row in rows if row.is_measured]
    return surroundings(run, rows) | {
        "facts": _facts(run.context, rows),
        "remarks": list(remarks.remarks(rows)),
        **flows.summary(list(columns(measured)), measured),
        "scalings": [line for scaling in packet_scalings(rows) for line in _scaling_lines(scaling)],
        "shares": [line for row in measured for line in _share_lines(row)],
        "devices": [
            _device(row, times) for row in measured if (times := row.device_times) is not None
        ],
        "unsettled": [
            {"case": remarks.case(row), "why": why} for row, why in remarks.unsettled(rows)
        ],
        "method": _method(run.context),
    }


def _facts(context: Context, rows: list[PacketRow]) -> list[Fact]:
    count = settled(rows)
    counted = Fact(
        f"Settled to ±{100 * context.precision:g} %",
        f"{count.settled} of {count.cases}",
        f"{figures.grouped(2 * sum(row.pairs for row in rows))} passes",
    )
    most = figures.grouped(flows.most_of(rows, "packets"))
    return flows.facts(context, rows, ("Packets", most), counted)


def _scaling_lines(scaling: PacketScaling) -> list[list[Cell]]:
    """Speed-up and efficiency at each number of cores."""
    row = scaling.rows[0]
    return [
        [
            Cell(remarks.messages(row)),
            count_cell(row.packets),
            count_cell(step.cores),
            number_cell(step.speed_up),
            share_cell(step.efficiency, 3),
            Cell("one also submits" if step.submits_too else ""),
        ]
        for step in scaling.steps
    ]


def _share_lines(row: PacketRow) -> list[list[Cell]]:
    """What each CPU did, where there are several."""
    if len(row.shares) < 2:
        return []
    return [
        [
            Cell(remarks.case(row)),
            count_cell(share.cpu),
            Cell("submits" if share.submits else ""),
            count_cell(share.packets),
            share_cell(share.share, 3),
            number_cell(share.cpu_cycles / row.packets),
        ]
        for share in row.shares
    ]


def _device(row: PacketRow, times: DeviceShare) -> list[Cell]:
    """Where the time of a device went, cycles per packet."""
    parts = (times.in_cycles, times.compute_cycles, times.out_cycles, times.wall_cycles)
    useful = row.useful_cycles
    return [
        Cell(remarks.case(row)),
        Cell(row.device or ""),
        count_cell(times.submissions),
        *(number_cell(None if part is None else part / row.packets) for part in parts),
        number_cell(None if useful is None else useful / row.packets),
    ]


def _method(context: Context) -> dict[str, str]:
    """Heading and paragraph of each rule."""
    return {
        "Packets": (
            "All packets and the room for their answers are in memory before the clock starts. "
            "One CPU submits them in batches through a bounded queue; other CPUs take them out "
            "and process them. A pass lasts from the first submission to the last delivery. "
            "Packet n belongs to flow n modulo the number of flows, and each flow has a key."
        ),
        "Transfer, processing, actual": (
            "Passes are made in pairs: one without the cryptographic work, which is the "
            "transfer, and one with it, which is the processing; the order within a pair "
            "alternates. Actual is the median of the differences. On several cores it is the "
            "time that the work adds, and not the time of each core."
        ),
        "Alone": (
            "Beside it one thread does the same work without a queue: hot on a few packets that "
            "stay in the nearest cache, cold on all of them one after the other from memory."
        ),
        "Cycles": (
            f"{cycles(context.engine_hello.environment.clocks)} Cycles of a pass are core clock "
            "times wall time; CPU cycles are the CPU time of all its threads. Cycles per bit are "
            "the actual cycles over the bits that cross the function, once for each operation."
        ),
        "Latency": (
            "From the submission of a packet to its delivery, for the first and the last packet "
            "of each batch. Without an offered rate the queue is full, and most of the latency "
            "is waiting in it."
        ),
        "Interval": (
            "A figure is the median of the undisturbed pairs; its 95 % interval comes from order "
            "statistics. A case has settled with at least "
            f"{FEWEST_GROUPS} such pairs and half of the interval of the processing within "
            f"{figures.percent(context.precision, 1)}. A pair is disturbed when a thread that "
            "processes and never sleeps was away from its CPU for over "
            f"{figures.percent(MOST_AWAY, 1)} of a pass, another was preempted more often than the "
            "kernel's own threads explain, or the clock was over "
            f"{figures.percent(MOST_CLOCK_MOVE, 1)} from its usual rate."
        ),
        "Answers": (
            f"{ANSWERS} After each pass it is counted whether every packet arrived once and in "
            "order; after each processing its answer is compared."
        ),
    }
