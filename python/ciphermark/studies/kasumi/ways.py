"""How packets pass from core to core (4.2.4): each way beside the plain one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.show import figures
from ciphermark.show.findings import Cell, Column, Table
from ciphermark.studies.kasumi.measured import PLAIN, Measured, name

if TYPE_CHECKING:
    from ciphermark.workloads.packets.row import PacketRow

NAMED = ("delivery", "architecture", "waiting")
"""Fields whose values are words."""


def ways(measured: Measured) -> Table:
    """Whatever passes in another way, and the same packets in the plain way."""
    each = "cycles a packet"
    table = Table(
        title="How packets pass (4.2.4)",
        columns=[
            *(
                Column(heading=it)
                for it in ("operation", "implementation", "bytes", "CPUs", "flows")
            ),
            Column(heading="way"),
            *(Column(heading=it, group=each, digits=4) for it in ("transfer", "processing", "CPU")),
            *(Column(heading=it, group="latency, µs") for it in ("p50", "p99")),
            Column(heading="largest share, %", decimals=1),
        ],
        notes=["plain: unordered, run to completion, polling, one priority, no groups"],
    )
    rows = [row for row in measured.with_figures if measured.role(row)]
    loads = {_load(row) for row in rows if way(row)}
    for row in sorted((row for row in rows if _load(row) in loads), key=_load):
        if not row.converged:
            table.unsettled.append(len(table.rows))
        table.rows.append(_cells(row))
    return table


def way(row: PacketRow) -> str:
    """What is not plain: `block`, `4 priorities`; empty where all is."""
    found = [getattr(row, it) for it in NAMED if getattr(row, it) != PLAIN[it]]
    if row.priorities > 1:
        found.append(f"{row.priorities} priorities")
    if row.groups:
        found.append(figures.counted(len(row.groups), "group"))
    return ", ".join(found)


def _load(row: PacketRow) -> tuple[str, str, str, int, int, int, int]:
    facts = (row.algorithm, row.operation, name(row))
    return (*facts, row.packet_bytes or 0, row.packets, row.cores, row.keys)


def _cells(row: PacketRow) -> list[Cell]:
    latency = row.latency_ns
    return [
        row.operation,
        name(row),
        row.packet_bytes,
        row.cores,
        row.keys,
        way(row) or "plain",
        row.transfer_cycles_per_packet,
        row.processing_cycles_per_packet,
        row.cpu_cycles_per_packet,
        latency and latency.p50 / 1e3,
        latency and latency.p99 / 1e3,
        100 * max((it.share for it in row.shares), default=1.0),
    ]
