"""UIA1, and what followed KASUMI, as the thesis has the cipher."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ciphermark.show.findings import Column, Table
from ciphermark.studies.kasumi.measured import Measured, name
from ciphermark.studies.kasumi.paper import (
    ENCRYPT,
    MAC,
    SIZES,
    SUCCESSORS,
    TYPICAL,
    UEA1,
    UIA1,
    VERIFY,
)

if TYPE_CHECKING:
    from ciphermark.workloads.packets.row import PacketRow


def integrity(measured: Measured) -> Table:
    """UIA1 on one core."""
    table = Table(
        title="UIA1 (f9), one core",
        columns=[
            *(Column(heading=it) for it in ("operation", "implementation", "bytes", "packets")),
            *(
                Column(heading=it, group="cycles", decimals=0)
                for it in ("transfer", "processing", "actual")
            ),
            Column(heading="cycles/bit"),
        ],
    )
    for operation in (MAC, VERIFY):
        for row in _by_load(measured.all(algorithm=UIA1, operation=operation, cores=1)):
            if measured.role(row):
                _mark(table, row)
                ticks = (row.transfer_cycles, row.processing_cycles, row.actual_cycles)
                names = [operation, name(row), row.packet_bytes, row.packets]
                table.rows.append([*names, *ticks, row.cycles_per_bit])
    return table


def successors(measured: Measured) -> Table:
    """KASUMI, SNOW 3G and ZUC by every library that has them."""
    table = Table(
        title=f"KASUMI and its successors SNOW 3G and ZUC, {TYPICAL} packets on one core",
        columns=[
            Column(heading="function"),
            Column(heading="implementation"),
            *(Column(heading=f"{size} bytes", group="actual cycles/bit") for size in SIZES),
            Column(heading="million/s", group=f"packets of {SIZES[-1]} bytes"),
            *(
                Column(heading=f"{it}, cycles/byte", group=f"packets of {SIZES[-1]} bytes")
                for it in ("hot", "cold")
            ),
        ],
        notes=["hot and cold: the function alone, from the nearest cache and from memory"],
    )
    for algorithm in (UEA1, UIA1, *SUCCESSORS):
        for shown, by_size in _by_implementation(measured, algorithm).items():
            large = by_size.get(SIZES[-1])
            rate = large and large.packets_per_second
            table.rows.append(
                [
                    algorithm,
                    shown,
                    *(by_size[it].cycles_per_bit if it in by_size else None for it in SIZES),
                    rate and rate / 1e6,
                    large and large.hot_cycles_per_byte,
                    large and large.cold_cycles_per_byte,
                ]
            )
    return table


def _by_implementation(measured: Measured, algorithm: str) -> dict[str, dict[int, PacketRow]]:
    """Rows by name and size; the first of several is the plan's main one."""
    found: dict[str, dict[int, PacketRow]] = defaultdict(dict)
    for operation in (ENCRYPT, MAC):
        rows = measured.all(algorithm=algorithm, operation=operation, packets=TYPICAL, cores=1)
        for row in rows:
            if row.offload == "none":
                found[name(row)].setdefault(row.packet_bytes, row)
    return found


def _by_load(rows: Iterable[PacketRow]) -> list[PacketRow]:
    return sorted(rows, key=lambda row: (name(row), row.packet_bytes, row.packets))


def _mark(table: Table, row: PacketRow) -> None:
    """Marks the row that comes next where its figures did not converge."""
    if not row.converged:
        table.unsettled.append(len(table.rows))
