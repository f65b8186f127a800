"""KASUMI by each accelerator, and where the time of a device goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.show.findings import Cell, Column, Table
from ciphermark.studies.kasumi.measured import Measured, is_of_cpu, name

if TYPE_CHECKING:
    from ciphermark.workloads.packets.row import PacketRow


def accelerators(measured: Measured) -> Table:
    """All that was offloaded from one core; of several, Table 15 has some."""
    table = Table(
        title="KASUMI by each accelerator",
        columns=[
            *(Column(heading=it) for it in ("operation", "accelerator", "bytes", "packets")),
            Column(heading="batches at once"),
            *(
                Column(heading=it, group="cycles", decimals=0)
                for it in ("transfer", "processing", "actual", "CPU", "useful")
            ),
            *(
                Column(heading=it, group="cycles of the device", decimals=0)
                for it in ("in", "compute", "out")
            ),
        ],
        notes=["useful: work done meanwhile on the CPU that has batches at the device"],
    )
    rows = [row for row in measured.with_figures if row.offload != "none" and row.cores == 1]
    table.rows += [_cells(row) for row in rows]
    if any(is_of_cpu(row) for row in rows):
        table.notes.append(
            "OpenCL's device is the CPU itself: nothing is said here of what an accelerator gains"
        )
    return table


def _cells(row: PacketRow) -> list[Cell]:
    times = row.device_times
    return [
        row.operation,
        name(row),
        row.packet_bytes,
        row.packets,
        row.in_flight,
        row.transfer_cycles,
        row.processing_cycles,
        row.actual_cycles,
        row.cpu_cycles,
        row.useful_cycles,
        *((times.in_cycles, times.compute_cycles, times.out_cycles) if times else (None,) * 3),
    ]
