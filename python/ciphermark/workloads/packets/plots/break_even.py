"""Where a device is cheaper than the CPU, in the report of packets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.workloads.packets import break_even
from ciphermark.workloads.packets.plots import break_even_curve as drawn

if TYPE_CHECKING:
    from ciphermark.show.plots.panel import Plot
    from ciphermark.workloads.packets.row import PacketRow


def plots(rows: list[PacketRow]) -> list[Plot]:
    """One where there are devices with a rival on the CPU."""
    found = break_even.break_even(rows)
    return [drawn.plot(found)] if found else []
