"""Rows of packets as a machine like the thesis's would give them, made up from its own tables."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

import flow_rows
from ciphermark.studies.kasumi.evidence import printed
from ciphermark.studies.kasumi.paper import ACCELERATOR, BOTH, ENCRYPT, HERTZ, UEA1, Load
from ciphermark.workloads.flows import Latencies
from ciphermark.workloads.packets.row import CoreShare, Interval, PacketRow

GPU = {
    "provider": "opencl",
    "backend": "gpu",
    "offload": "opencl",
    "device": "GPU: a graphics processor",
}
TABLE = {"provider": "kernels", "backend": "table"}
FAST = {"provider": "kernels", "backend": "bytesliced-avx512", "lanes": 64}
SPEED_UP = 30
"""Of the quickest kernel over that with tables."""
HALF_WIDTH = 0.001
"""Of the intervals, as a share of the figure."""
INTERVALS = ("transfer_interval", "processing_interval", "actual_interval")


class Ticks(NamedTuple):
    """Cycles of all packets together."""

    transfer: float
    processing: float
    actual: float


def packet_row(load: Load, ticks: Ticks, cores: int = 1, **changes: Any) -> PacketRow:
    """A case that converged, its figures consistent with each other."""
    packets, size = load.packets, load.packet_bytes
    bits = load.bits * (2 if load.operation == BOTH else 1)
    seconds = ticks.processing / HERTZ
    fields: dict[str, Any] = {
        "algorithm": UEA1,
        "operation": load.operation,
        "backend": "default",
        "message_bytes": size,
        "packets": packets,
        "bits": bits,
        "cpus": [*range(cores)],
        "submit_cpu": cores,
        "transfer_cycles": ticks.transfer,
        "transfer_interval": around(ticks.transfer),
        "processing_cycles": ticks.processing,
        "processing_interval": around(ticks.processing),
        "actual_cycles": ticks.actual,
        "actual_interval": around(ticks.actual),
        "transfer_cycles_per_packet": ticks.transfer / packets,
        "processing_cycles_per_packet": ticks.processing / packets,
        "actual_cycles_per_packet": ticks.actual / packets,
        "cycles_per_bit": ticks.actual / bits,
        "cpu_cycles": cores * ticks.processing,
        "cpu_cycles_per_packet": cores * ticks.processing / packets,
        "packets_per_second": packets / seconds,
        "bits_per_second": load.bits / seconds,
        "latency_ns": Latencies(p50=1000, p90=5000, p99=9000, p999=9900),
        "shares": [
            CoreShare(
                cpu=cpu,
                submits=False,
                packets=packets / cores,
                share=1 / cores,
                cpu_cycles=ticks.processing,
                useful_cycles=0.0,
            )
            for cpu in range(cores)
        ],
        "buffer_bytes": packets * (2 * size + 64),
        "core_hz": HERTZ,
        "pairs": 9,
        "converged": True,
    }
    return flow_rows.packet_row(**fields | changes)


def around(cycles: float, half_width: float = HALF_WIDTH) -> Interval:
    """The interval of a figure."""
    half = half_width * abs(cycles)
    return Interval(low=cycles - half, high=cycles + half)


def with_cycles(row: PacketRow, **figures: float) -> PacketRow:
    """The row with other figures, each with an interval of its own where it has one."""
    ends = {name.replace("_cycles", "_interval"): around(it) for name, it in figures.items()}
    known = {name: it for name, it in ends.items() if name in INTERVALS}
    return msgspec.structs.replace(row, **figures, **known)


def as_printed() -> list[PacketRow]:
    """The tables of the thesis, its accelerator as a device of its own."""
    found = printed()
    rows = [
        packet_row(load, Ticks(*(it.value for it in ticks)), **_means(load))
        for load, ticks in found.single.items()
    ]
    for load, by_cores in found.cores.items():
        for cores, cycles in by_cores.items():
            ticks = Ticks(cycles.value / 100, cycles.value, 0.99 * cycles.value)
            rows.append(packet_row(load, ticks, cores, **_means(load)))
    return rows


def software_only(cores: int = 2) -> list[PacketRow]:
    """The same without the accelerator on so many cores, with the quickest kernel."""
    software = [row for row in as_printed() if row.offload == "none" and row.cores <= cores]
    return software + [quick(row) for row in software]


def quick(row: PacketRow) -> PacketRow:
    """The same packets by the quickest kernel."""
    load = Load("", row.operation, row.packets, row.packet_bytes)
    actual = row.actual_cycles / SPEED_UP
    ticks = Ticks(row.transfer_cycles, row.transfer_cycles + actual, actual)
    return packet_row(load, ticks, row.cores, **FAST)


def passed(cycles: float, cores: int = 1, size: int = 40, **changes: Any) -> PacketRow:
    """5000 encrypted packets in so many cycles each, processing; a tenth of them is transfer."""
    operation = changes.pop("operation", ENCRYPT)
    load = Load("", operation, 5000, size)
    ticks = Ticks(500 * cycles, 5000 * cycles, 4500 * cycles)
    return packet_row(load, ticks, cores, **TABLE | changes)


def _means(load: Load) -> dict[str, Any]:
    return GPU if load.role == ACCELERATOR else TABLE
