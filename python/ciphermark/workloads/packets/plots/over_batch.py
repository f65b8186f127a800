"""Throughput and latency over the size of a batch: what lanes gain, and the delay they cost."""

from __future__ import annotations

from collections.abc import Iterable

from ciphermark.show.plots.over_count import Picture, Place, Series, panels
from ciphermark.show.plots.panel import Plot
from ciphermark.workloads.packets import remarks as packet_words
from ciphermark.workloads.packets.curves import Curve, curves
from ciphermark.workloads.packets.plots.titles import MOST_PANELS, line, pictures
from ciphermark.workloads.packets.row import PacketRow

WITH_LANES = (
    "A library that takes many packets in a call is given as many as a batch has, so that a larger "
    "batch gains what its lanes do."
)


def plots(rows: Iterable[PacketRow]) -> list[Plot]:
    """Both plots of all cases that were measured with two sizes of a batch or more."""
    found = curves(rows, "batch")
    return [
        Plot(
            name="throughput-over-batch",
            title="Throughput over the size of a batch",
            explanation=f"Higher is better; both axes are logarithmic. {WITH_LANES}",
            hint="",
            panels=lambda context, rows, cards: panels(
                pictures(((packet_words.where(it.rows[0]), _rates(it)) for it in found), "batch"),
                "packets per second",
            ),
            columns=2,
        ),
        Plot(
            name="latency-over-batch",
            title="Latency over the size of a batch",
            explanation=(
                "Lower is better; both axes are logarithmic. From the submission of a packet to "
                "its delivery: the first of a batch waits for the others, and all wait in the "
                "queue, which is as full as it can be unless a rate is offered."
            ),
            hint="",
            panels=lambda context, rows, cards: panels(
                [it for it in map(_latencies, found[:MOST_PANELS]) if it.series], "latency, µs"
            ),
            columns=2,
        ),
    ]


def _rates(curve: Curve) -> Series:
    places = [Place(row.batch, row.packets_per_second or 0.0) for row in curve.rows]
    return Series(line(curve.rows[0]), places)


def _latencies(curve: Curve) -> Picture:
    row = curve.rows[0]
    series = [
        Series(
            f"{name[1:]} % within",
            [
                Place(it.batch, getattr(it.latency_ns, name) / 1e3)
                for it in curve.rows
                if it.latency_ns is not None
            ],
        )
        for name in ("p50", "p99")
    ]
    title = f"{line(row)}; {packet_words.where(row)}"
    return Picture(title, "batch", [it for it in series if it.measured])
