"""The plots of a run of packets. To add one, write a function that makes it and name it here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.workloads.packets import break_even as against_cpu
from ciphermark.workloads.packets.plots import break_even, curves, shares

if TYPE_CHECKING:
    from ciphermark.show.plots.panel import Plot
    from ciphermark.workloads.packets.row import PacketRow


def plots(rows: list[PacketRow]) -> list[Plot]:
    """Those that have something to show."""
    measured = [row for row in rows if row.is_measured]
    comparisons = against_cpu.break_even(measured)
    return [
        *curves.plots(measured),
        shares.plot(measured),
        *([break_even.plot(comparisons)] if comparisons else []),
    ]
