"""Where a device is cheaper than the CPU, in the report of packets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.analyse import break_even
from ciphermark.show.plots import break_even as drawn

if TYPE_CHECKING:
    from ciphermark.analyse.packet_row import PacketRow
    from ciphermark.show.plots.panel import Plot


def plots(rows: list[PacketRow]) -> list[Plot]:
    """One where there are devices with a rival on the CPU."""
    found = break_even.break_even(rows)
    return [drawn.plot(found)] if found else []
