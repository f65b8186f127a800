"""The plots of a run of packets. To add one, write a file with a `plots` and name it here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.workloads.packets.plots import break_even, cores, over_batch, over_packets, shares

if TYPE_CHECKING:
    from ciphermark.show.plots.panel import Plot
    from ciphermark.workloads.packets.row import PacketRow


def plots(rows: list[PacketRow]) -> list[Plot]:
    """Those that have something to show."""
    measured = [row for row in rows if row.is_measured]
    return [
        over_packets.plot(measured),
        *cores.plots(measured),
        *over_batch.plots(measured),
        shares.plot(measured),
        *break_even.plots(measured),
    ]
