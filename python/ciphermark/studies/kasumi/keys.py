"""The two rows that the thesis's Table 3 leaves empty: key generation and cipher mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ciphermark.show.findings import Column, Table
from ciphermark.studies.kasumi.evidence import ROLES
from ciphermark.studies.kasumi.measured import Measured, name
from ciphermark.studies.kasumi.paper import BLOCKS, ENCRYPT, MAC, SIZES, TYPICAL, UEA1, UIA1

if TYPE_CHECKING:
    from ciphermark.workloads.packets.row import PacketRow

SETUPS = ("cached", "per-batch", "per-packet")
"""When a key schedule is made."""

FUNCTIONS = ((UEA1, ENCRYPT), (UIA1, MAC))
MODES = ((BLOCKS, ENCRYPT), *FUNCTIONS)
BLOCK_BYTES = 8


def key_generation(measured: Measured) -> Table:
    """What a schedule costs that is not kept."""
    table = Table(
        title=f"Key generation (an empty row of Table 3), {TYPICAL} packets on one core",
        columns=[
            *(Column(heading=it) for it in ("function", "implementation", "bytes")),
            *(Column(heading=it, group="actual cycles a packet", digits=4) for it in SETUPS),
            Column(heading="per-packet/cached"),
        ],
        notes=["cached: made once for each flow before the clock starts"],
    )
    for algorithm, operation in FUNCTIONS:
        for role in ROLES:
            for size in SIZES:
                found = [
                    _row(measured, role, algorithm, operation, size, key_setup=it) for it in SETUPS
                ]
                costs = [row and row.actual_cycles_per_packet for row in found]
                if found[0] and any(costs[1:]):
                    ratio = costs[-1] and costs[-1] / costs[0]
                    table.rows.append([algorithm, name(found[0]), size, *costs, ratio])
    return table


def modes(measured: Measured) -> Table:
    """What f8 and f9 cost beside the blocks that they are made of."""
    table = Table(
        title=f"Cipher mode (an empty row of Table 3), {TYPICAL} packets on one core",
        columns=[
            Column(heading="implementation"),
            Column(heading="bytes"),
            *(
                Column(heading=it, group="actual cycles per 8 bytes", digits=4)
                for it in ("blocks alone", "f8 (UEA1)", "f9 (UIA1)")
            ),
            *(Column(heading=it, group="against blocks alone") for it in ("f8", "f9")),
        ],
    )
    for role in ROLES:
        for size in SIZES:
            found = [_row(measured, role, *function, size) for function in MODES]
            if found[0]:
                costs = [row and BLOCK_BYTES * row.actual_cycles_per_packet / size for row in found]
                ratios = [cost and cost / costs[0] for cost in costs[1:]]
                table.rows.append([name(found[0]), size, *costs, *ratios])
    return table


def _row(
    measured: Measured, role: str, algorithm: str, operation: str, size: int, **fields: Any
) -> PacketRow | None:
    return measured.one(
        role,
        algorithm=algorithm,
        operation=operation,
        packets=TYPICAL,
        packet_bytes=size,
        cores=1,
        **fields,
    )
