"""Lines over the number of packets, of cores, and over the size of a batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Literal

import numpy as np

from ciphermark.show import figures
from ciphermark.show.plots import theme
from ciphermark.show.plots.over_count import Picture, Place, Series, panels
from ciphermark.show.plots.panel import Plot
from ciphermark.workloads import flows
from ciphermark.workloads.flows import together
from ciphermark.workloads.packets import remarks
from ciphermark.workloads.packets.row import PacketRow, per_packet
from ciphermark.workloads.packets.scaling import Curve, PacketScaling, curves, packet_scalings

MOST_PANELS = 12
"""Of a plot: a page of more is not looked at. The table has all figures."""

STEPS = 40
"""Places at which a law is drawn."""

WITH_LANES = (
    "A library that takes many packets in a call is given as many as a batch has, so that a larger "
    "batch gains what its lanes do."
)

Value = Callable[[float, float], float]
"""Of a speed-up at a number of cores."""


def plots(rows: Iterable[PacketRow]) -> Iterator[Plot]:
    """All of them."""
    measured = list(rows)
    yield _over_packets(curves(measured, "packets"))
    yield from _over_cores(packet_scalings(measured))
    yield from _over_batch(curves(measured, "batch"))


def _pictures(series: Iterable[tuple[str, Series]], counted: str) -> list[Picture]:
    """Pictures of series under their titles, as many lines in each as there are hues."""
    parts = [
        Picture(title, counted, [line for _, line in group[first : first + len(theme.HUES)]])
        for title, group in together(series, lambda it: it[0]).items()
        for first in range(0, len(group), len(theme.HUES))
    ]
    return parts[:MOST_PANELS]


def _over_packets(found: list[Curve]) -> Plot:
    return Plot.of(
        "transfer-and-processing",
        "Transfer and processing over the number of packets",
        "Lower is better; both axes are logarithmic. Cycles are core clock times wall time, over "
        "the packets. What lies between the lines is the cryptographic work; where lines rise to "
        "the left, what is spent once on all packets is shared by few. The bands are 95 % "
        "intervals.",
        lambda: panels(
            [_parts_of_cost(curve) for curve in found[:MOST_PANELS]], "core cycles per packet"
        ),
    )


def _parts_of_cost(curve: Curve) -> Picture:
    row = curve.rows[0]
    title = f"{remarks.messages(row)}; {flows.cpus(row.cpus)}, batches of {row.batch}"
    return Picture(title, "packets", [_cost(curve, "transfer"), _cost(curve, "processing")])


def _cost(curve: Curve, kind: Literal["transfer", "processing"]) -> Series:
    costs = [(row.packets, per_packet(row, kind)) for row in curve.rows]
    return Series(kind, [Place.of(packets, cost) for packets, cost in costs if cost is not None])


def _over_cores(found: list[PacketScaling]) -> Iterator[Plot]:
    """Speed-up and efficiency of all curves that begin with one core."""
    kinds: dict[str, tuple[str, Value]] = {
        "speed-up": (
            "How many times as many packets per second as on one core, which as many times as "
            "there are cores would be the best.",
            lambda speed_up, cores: speed_up,
        ),
        "efficiency": (
            "Speed-up over the number of cores: 1 where each does as much as one alone.",
            lambda speed_up, cores: speed_up / cores,
        ),
    }
    for kind, (explanation, value) in kinds.items():
        series = [(_at(scaling), _scaled(scaling, value)) for scaling in found]
        pictures = _pictures(series, "cores")
        yield Plot.of(
            f"packets-{kind}",
            f"{kind.capitalize()} over cores",
            f"{explanation} Higher is better; both axes are logarithmic. Marks are what was "
            "measured, the line is Amdahl's law.",
            partial(panels, pictures, kind),
        )


def _at(scaling: PacketScaling) -> str:
    row = scaling.rows[0]
    return f"{figures.counted(row.packets, 'packet')}, batches of {row.batch}"


def _scaled(scaling: PacketScaling, value: Value) -> Series:
    measured = [Place(step.cores, value(step.speed_up, step.cores)) for step in scaling.steps]
    return Series(remarks.messages(scaling.rows[0]), measured, _law(scaling, value))


def _law(scaling: PacketScaling, value: Value) -> list[Place]:
    """The law relative to what was measured of one core, which the marks are relative to too."""
    law = scaling.law
    if law is None:
        return []
    alone = scaling.rows[0].packets_per_second or 1.0
    numbers = np.geomspace(1, scaling.steps[-1].cores, STEPS).tolist()
    return [Place(at, value(law.throughput(at).value / alone, at)) for at in numbers]


def _over_batch(found: list[Curve]) -> Iterator[Plot]:
    """What lanes gain, and the delay they cost."""
    rates = [(remarks.where(curve.rows[0]), _rates(curve)) for curve in found]
    yield Plot.of(
        "throughput-over-batch",
        "Throughput over the size of a batch",
        f"Higher is better; both axes are logarithmic. {WITH_LANES}",
        lambda: panels(_pictures(rates, "batch"), "packets per second"),
    )
    yield Plot.of(
        "latency-over-batch",
        "Latency over the size of a batch",
        "Lower is better; both axes are logarithmic. From the submission of a packet to its "
        "delivery: the first of a batch waits for the others, and all wait in the queue, which is "
        "as full as it can be unless a rate is offered.",
        lambda: panels(
            [it for it in map(_latencies, found[:MOST_PANELS]) if it.series], "latency, µs"
        ),
    )


def _rates(curve: Curve) -> Series:
    places = [Place(row.batch, row.packets_per_second or 0.0) for row in curve.rows]
    return Series(remarks.messages(curve.rows[0]), places)


def _latencies(curve: Curve) -> Picture:
    first = curve.rows[0]
    series = [
        Series(
            f"{name[1:]} % within",
            [
                Place(row.batch, getattr(row.latency_ns, name) / 1e3)
                for row in curve.rows
                if row.latency_ns is not None
            ],
        )
        for name in ("p50", "p99")
    ]
    title = f"{remarks.messages(first)}; {remarks.where(first)}"
    return Picture(title, "batch", [line for line in series if line.measured])
