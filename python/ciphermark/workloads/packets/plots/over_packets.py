"""Transfer and processing over the number of packets."""

from __future__ import annotations

from collections.abc import Iterable

from ciphermark.show.plots.over_count import Picture, Place, Series, panels
from ciphermark.show.plots.panel import Plot
from ciphermark.workloads.packets import remarks as packet_words
from ciphermark.workloads.packets.costs import per_packet
from ciphermark.workloads.packets.curves import Curve, curves
from ciphermark.workloads.packets.plots.titles import MOST_PANELS, line
from ciphermark.workloads.packets.row import Figure, PacketRow


def plot(rows: Iterable[PacketRow]) -> Plot:
    """The plot of all cases that were measured with two numbers of packets or more."""
    found = curves(rows, "packets")
    return Plot(
        name="transfer-and-processing",
        title="Transfer and processing over the number of packets",
        explanation=(
            "Lower is better; both axes are logarithmic. Cycles are core clock times wall time, "
            "over the packets. What lies between the lines is the cryptographic work; where lines "
            "rise to the left, what is spent once on all packets is shared by few. The bands are "
            "95 % intervals."
        ),
        hint="",
        panels=lambda context, rows, cards: panels(
            [_picture(curve) for curve in found[:MOST_PANELS]], "core cycles per packet"
        ),
        columns=2,
    )


def _picture(curve: Curve) -> Picture:
    row = curve.rows[0]
    where = f"{line(row)}; {packet_words.cpus(row)}, batches of {row.batch}"
    return Picture(where, "packets", [_series(curve, kind) for kind in ("transfer", "processing")])


def _series(curve: Curve, kind: Figure) -> Series:
    return Series(kind, [Place(row.packets, *per_packet(row, kind)) for row in curve.rows])
