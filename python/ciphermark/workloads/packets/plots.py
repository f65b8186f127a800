"""The plots of a run of packets: lines over the number of packets, of cores, and over the size of a
batch; what share of the packets each core processed; cost over size on the CPU and on a device,
with the size at which they cross.

To add one, write a function that makes it and name it in `charts`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

import numpy as np

from ciphermark.statistics.estimate import Estimate
from ciphermark.view import figures
from ciphermark.view.blocks import Chart
from ciphermark.view.plots import theme, vegalite
from ciphermark.view.plots.over_count import Crossing, Picture, Place, Series, panels
from ciphermark.view.plots.panel import Panel, Points
from ciphermark.view.plots.vegalite import field, layer
from ciphermark.workloads import flows
from ciphermark.workloads.flows import together
from ciphermark.workloads.packets import break_even as against_cpu
from ciphermark.workloads.packets import break_even_table as words
from ciphermark.workloads.packets import remarks
from ciphermark.workloads.packets.break_even import BreakEven, Comparison
from ciphermark.workloads.packets.row import PacketRow, per_packet
from ciphermark.workloads.packets.scaling import Curve, PacketScaling, curves, packet_scalings

MOST_PANELS = 12
"""Most panels of a plot, as a longer page is not read. The table has all figures."""

STEPS = 40
"""Places at which a law is drawn."""

WITH_LANES = (
    "A library that takes many packets per call gets as many as a batch has, so a larger batch "
    "also gains from its lanes."
)

Value = Callable[[float, float], float]
"""Function of a speed-up and a number of cores."""


def curve_plots(rows: Iterable[PacketRow]) -> Iterator[Chart]:
    """Yields all plots of curves."""
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


def _over_packets(found: list[Curve]) -> Chart:
    return Chart.of(
        "transfer-and-processing",
        "Transfer and processing over the number of packets",
        "Lower is better; both axes are logarithmic. Cycles are core clock times wall time, "
        "divided by the number of packets. The distance between the lines is the cryptographic "
        "work; where lines rise to the left, few packets share the cost of starting. The bands "
        "are 95 % intervals.",
        panels([_parts_of_cost(curve) for curve in found[:MOST_PANELS]], "core cycles per packet"),
    )


def _parts_of_cost(curve: Curve) -> Picture:
    row = curve.rows[0]
    title = f"{remarks.messages(row)}; {flows.cpus(row.cpus)}, batches of {row.batch}"
    return Picture(title, "packets", [_cost(curve, "transfer"), _cost(curve, "processing")])


def _cost(curve: Curve, kind: Literal["transfer", "processing"]) -> Series:
    costs = [(row.packets, per_packet(row, kind)) for row in curve.rows]
    return Series(kind, [Place.of(packets, cost) for packets, cost in costs if cost is not None])


def _over_cores(found: list[PacketScaling]) -> Iterator[Chart]:
    """Yields speed-up and efficiency of all curves that begin with one core."""
    kinds: dict[str, tuple[str, Value]] = {
        "speed-up": (
            "Packets per second over those of one core; the best possible speed-up is the number "
            "of cores.",
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
        yield Chart.of(
            f"packets-{kind}",
            f"{kind.capitalize()} over cores",
            f"{explanation} Higher is better; both axes are logarithmic. Marks are what was "
            "measured, the line is Amdahl's law.",
            panels(pictures, kind),
        )


def _at(scaling: PacketScaling) -> str:
    row = scaling.rows[0]
    return f"{figures.counted(row.packets, 'packet')}, batches of {row.batch}"


def _scaled(scaling: PacketScaling, value: Value) -> Series:
    measured = [Place(step.cores, value(step.speed_up, step.cores)) for step in scaling.steps]
    return Series(remarks.messages(scaling.rows[0]), measured, _law(scaling, value))


def _law(scaling: PacketScaling, value: Value) -> list[Place]:
    """Returns the law relative to the measured rate of one core, as the marks are."""
    law = scaling.law
    if law is None:
        return []
    alone = scaling.rows[0].packets_per_second or 1.0
    numbers = np.geomspace(1, scaling.steps[-1].cores, STEPS).tolist()
    return [Place(at, value(law.throughput(at).value / alone, at)) for at in numbers]


def _over_batch(found: list[Curve]) -> Iterator[Chart]:
    """Yields the gain of lanes, and the delay that they cost."""
    rates = [(remarks.where(curve.rows[0]), _rates(curve)) for curve in found]
    yield Chart.of(
        "throughput-over-batch",
        "Throughput over the size of a batch",
        f"Higher is better; both axes are logarithmic. {WITH_LANES}",
        panels(_pictures(rates, "batch"), "packets per second"),
    )
    yield Chart.of(
        "latency-over-batch",
        "Latency over the size of a batch",
        "Lower is better; both axes are logarithmic. From the submission of a packet to its "
        "delivery: the first of a batch waits for the others, and all wait in the queue, which "
        "is full unless a rate is offered.",
        panels([it for it in map(_latencies, found[:MOST_PANELS]) if it.series], "latency, µs"),
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


BAR = 22
"""Pixels from one bar to the next."""

NAME_ROOM = 250
"""Pixels of a name beside its bar."""


def shares_plot(rows: Iterable[PacketRow]) -> Chart:
    """Returns the plot of all cases on several CPUs."""
    several = [row for row in rows if row.cores > 1]
    alike = together(several, lambda row: flows.cpus(row.cpus))
    return Chart.of(
        "core-shares",
        "Packets by the core that processed them",
        "Cores of equal speed process equal parts. A CPU that also submits packets has less "
        "time for them; groups and flows with more packets make the parts uneven.",
        [
            _shares_panel(number, cpus, group)
            for number, (cpus, group) in enumerate([*alike.items()][:MOST_PANELS])
        ],
    )


def _shares_panel(number: int, title: str, rows: list[PacketRow]) -> Panel:
    data = f"shares_{number}"
    points = [point for row in rows for point in _share_points(row)]
    cpus = sorted({point["cpu"] for point in points}, key=int)
    scale = {"domain": cpus, "range": theme.each(theme.HUES, cpus)}
    encoding = {
        "x": field("percent:Q", title="% of the packets", scale={"domain": [0, 100]}),
        "y": field("name:N", title=None, sort=None, axis={"labelLimit": NAME_ROOM}),
        "color": field("cpu:N", title="CPU", scale=scale, legend={"orient": "top"}),
        "order": field("place:Q"),
        "tooltip": vegalite.tooltip({"name": "case", "cpu": "CPU", "shown": "share"}),
    }
    height = BAR * len({point["name"] for point in points})
    chart = vegalite.layers(
        [layer("bar", encoding, clip=True)],
        title=title,
        width=theme.PANEL_WIDTH,
        height=height,
        data=data,
    )
    return Panel(chart, NAME_ROOM, {data: points})


def _share_points(row: PacketRow) -> Points:
    name = f"{remarks.messages(row)}, {figures.grouped(row.packets)}"
    return [
        {
            "name": name,
            "cpu": str(share.cpu),
            "place": place,
            "percent": 100 * share.share,
            "shown": figures.percent(share.share, 3),
        }
        for place, share in enumerate(it for it in row.shares if it.cpu in row.cpus)
    ]


UNIT = "core cycles per packet"
COUNTED = "packet size, bytes"

CROSSING_STEPS = 60
"""Places at which a line is drawn: a straight one is bent by logarithmic axes."""

MOST_COMPARISONS = 24
"""Most comparisons in a table."""


def break_even_plot(found: Sequence[Comparison]) -> Chart:
    """Returns the plot of comparisons: a panel for each that has several sizes.

    There are at most `MOST_PANELS`.
    """
    return Chart.of(
        "break-even",
        "From which packet size on a device beats the CPU",
        "Wall cycles of a packet, the queue included; lower is better, and both axes are "
        "logarithmic. The dashed line marks the size at which the costs are equal, the band its "
        "95 % interval. Between the marks the cost is a straight line.",
        _break_even_panels(found),
    )


def _break_even_panels(found: Sequence[Comparison]) -> list[Panel]:
    drawn = [it for it in found if len(it.points) > 1][:MOST_COMPARISONS]
    return panels([_comparison(it) for it in drawn], UNIT)


def _comparison(it: Comparison) -> Picture:
    sizes = [point.message_bytes for point in it.points]
    on_cpu = [point.cpu_wall_cycles for point in it.points]
    on_device = [point.device_wall_cycles for point in it.points]
    return Picture(
        f"{words.function(it)}, {flows.cpus(it.cpus)}, {words.arrangement(it)}",
        COUNTED,
        [
            _cost_over_size("the fastest on the CPU", sizes, on_cpu),
            _cost_over_size(words.device(it), sizes, on_device),
        ],
        None if it.throughput is None else _crossing(it.throughput, sizes),
    )


def _cost_over_size(name: str, sizes: Sequence[int], costs: Sequence[Estimate]) -> Series:
    measured = [Place.of(size, cost) for size, cost in zip(sizes, costs, strict=True)]
    drawn = np.geomspace(sizes[0], sizes[-1], CROSSING_STEPS)
    values = np.interp(drawn, sizes, [cost.value for cost in costs])
    line = [Place(*at) for at in zip(drawn.tolist(), values.tolist(), strict=True)]
    return Series(name, measured, line)


def _crossing(found: BreakEven, sizes: Sequence[int]) -> Crossing | None:
    """Returns the crossing within the measured sizes.

    An open end of its interval becomes the smallest or largest size.
    """
    where = found.message_bytes
    if where is None or found.outcome not in ("from", "up-to"):
        return None
    bounds = (found.low or sizes[0], found.high or sizes[-1])
    return Crossing(where, *(bounds if found.has_interval else (where, where)), words.size(where))


def charts(rows: list[PacketRow]) -> list[Chart]:
    """Returns the pictures of a report."""
    measured = [row for row in rows if row.is_measured]
    comparisons = against_cpu.break_even(measured)
    return [
        *curve_plots(measured),
        shares_plot(measured),
        *([break_even_plot(comparisons)] if comparisons else []),
    ]
