"""What a packet costs, in time that passes and in CPU time, and which rows may be held together."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING

from ciphermark.record.case_row import key
from ciphermark.statistics.estimate import Estimate

if TYPE_CHECKING:
    from ciphermark.workloads.packets.row import Figure, PacketRow

LOAD = (
    *("algorithm", "operation", "pattern", "keys", "packets", "cpus", "submit_cpu", "batch"),
    *("flush_us", "delivery", "architecture", "waiting", "key_setup", "priorities", "groups"),
)
"""What a device and its rival on the CPU have in common, but for the size."""

DEVICE = ("provider", "backend", "offload", "offload_cpus", "device", "lanes", "in_flight")
"""What is a curve of its own besides."""

Cost = Callable[["PacketRow"], Estimate | None]


def key_of(row: object, fields: Sequence[str]) -> tuple[Hashable, ...]:
    """The values of these fields, as something that can be looked up."""
    return tuple(repr(it) if isinstance(it, list) else it for it in key(row, fields))


def is_cpu(row: PacketRow) -> bool:
    """Whether OpenCL ran on the CPU, by the backend or by what the device says of itself."""
    if row.offload != "opencl":
        return False
    return row.backend == "cpu" or (row.device or "").upper().startswith("CPU")


def wall_cycles(row: PacketRow) -> Estimate | None:
    """Of the whole pass, a packet."""
    return per_packet(row, "processing")


def cpu_cycles(row: PacketRow) -> Estimate | None:
    """CPU time that a packet burns, with that of cores that are the device."""
    own, beside = per_packet(row, "burnt"), _device_cycles(row)
    if own is None or beside is None:
        return None
    return own.mapped(lambda end: end + beside / row.packets)


def cheapest(rows: Sequence[PacketRow], cost: Cost) -> tuple[PacketRow, Estimate] | None:
    """The row of the least cost, with it; None where no row has it."""
    found = [(row, it) for row in rows if (it := cost(row)) is not None]
    return min(found, key=lambda it: it[1].value, default=None)


def _device_cycles(row: PacketRow) -> float | None:
    """CPU time of a pass that a device took from cores; nothing is known where it does not tell."""
    if row.offload != "cores":
        return 0.0
    times = row.device_times
    parts = (times.in_cycles, times.compute_cycles, times.out_cycles) if times else (None,)
    told = [part for part in parts if part is not None]
    return sum(told) if len(told) == len(parts) else None


def per_packet(row: PacketRow, name: Figure) -> Estimate | None:
    """These cycles of a packet."""
    cycles = row.cycles(name)
    return cycles and cycles.mapped(lambda end: end / row.packets)
