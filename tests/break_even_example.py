"""Rows of packets made up from costs of a packet and of each of its bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

import flow_rows
from ciphermark.workloads.packets.row import Interval, PacketRow

PACKETS = 1000
SIZES = (64, 256, 512, 1024, 1500)
CORE_HZ = 3e9

CPU = (200.0, 10.0)
DEVICE = (2000.0, 2.0)
"""Cycles of a packet and of each of its bytes: they cross at 225 bytes."""

CROSSING = 225.0

GPU = dict(offload="opencl", provider="opencl", backend="gpu", device="GPU: Example (driver 1)")
POCL = dict(offload="opencl", provider="opencl", backend="cpu", device="CPU: Example (PoCL 3.1)")


def packet_row(message_bytes: int, cycles: float, half: float = 0.01, **fields: Any) -> PacketRow:
    """A row whose packets take so many wall cycles each, known to such a share."""
    total = cycles * PACKETS
    burnt = fields.pop("burnt_cycles_per_packet", cycles) * PACKETS
    usual: dict[str, Any] = {
        "waiting": "block",
        "processing_cycles": total,
        "processing_interval": Interval(low=total * (1 - half), high=total * (1 + half)),
        "burnt_cycles": burnt,
        "burnt_interval": Interval(low=burnt * (1 - half), high=burnt * (1 + half)),
        "packets_per_second": CORE_HZ / cycles,
        "core_hz": CORE_HZ,
        "pairs": 10,
        "converged": True,
    }
    return flow_rows.packet_row(message_bytes=message_bytes, **usual | fields)


def over_sizes(
    cost: tuple[float, float],
    *,
    sizes: tuple[int, ...] = SIZES,
    noise: float = 0.0,
    random: np.random.Generator | None = None,
    **fields: Any,
) -> list[PacketRow]:
    """A row for each size, each cost off by a share."""
    random = random or np.random.default_rng(0)
    fixed, each = cost
    return [
        packet_row(
            size, (fixed + each * size) * float(np.exp(noise * random.standard_normal())), **fields
        )
        for size in sizes
    ]
