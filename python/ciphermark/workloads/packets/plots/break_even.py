"""Cost of a packet over its size, on the CPU and on a device, with the size at which they cross."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ciphermark.show.plots.over_count import Crossing, Picture, Place, Series, panels
from ciphermark.show.plots.panel import Panel, Plot
from ciphermark.statistics.estimate import Estimate
from ciphermark.workloads import flows
from ciphermark.workloads.packets import break_even_table as words
from ciphermark.workloads.packets.break_even import BreakEven, Comparison

UNIT = "core cycles per packet"
COUNTED = "packet size, bytes"

STEPS = 60
"""Places at which a line is drawn: a straight one is bent by logarithmic axes."""

MOST_PANELS = 24
"""More are not looked at one by one."""


def plot(found: Sequence[Comparison]) -> Plot:
    """The plot of comparisons: a panel for each that has several sizes, up to `MOST_PANELS`."""
    return Plot.of(
        "break-even",
        "From which packet size on a device beats the CPU",
        "Wall cycles of a packet, the queue included; lower is better, and both axes are "
        "logarithmic. The dashed line is where the costs cross, the band its 95 % interval. "
        "Between the marks costs are taken to be straight.",
        lambda: _panels(found),
    )


def _panels(found: Sequence[Comparison]) -> list[Panel]:
    drawn = [it for it in found if len(it.points) > 1][:MOST_PANELS]
    return panels([_picture(it) for it in drawn], UNIT)


def _picture(it: Comparison) -> Picture:
    sizes = [point.message_bytes for point in it.points]
    on_cpu = [point.cpu_wall_cycles for point in it.points]
    on_device = [point.device_wall_cycles for point in it.points]
    return Picture(
        f"{words.function(it)}, {flows.cpus(it.cpus)}, {words.arrangement(it)}",
        COUNTED,
        [
            _series("the fastest on the CPU", sizes, on_cpu),
            _series(words.device(it), sizes, on_device),
        ],
        None if it.throughput is None else _crossing(it.throughput, sizes),
    )


def _series(name: str, sizes: Sequence[int], costs: Sequence[Estimate]) -> Series:
    measured = [Place.of(size, cost) for size, cost in zip(sizes, costs, strict=True)]
    drawn = np.geomspace(sizes[0], sizes[-1], STEPS)
    values = np.interp(drawn, sizes, [cost.value for cost in costs])
    line = [Place(*at) for at in zip(drawn.tolist(), values.tolist(), strict=True)]
    return Series(name, measured, line)


def _crossing(found: BreakEven, sizes: Sequence[int]) -> Crossing | None:
    """The one within the measured sizes; an open end of its interval is that of the sizes."""
    where = found.message_bytes
    if where is None or found.outcome not in ("from", "up-to"):
        return None
    ends = (found.low or sizes[0], found.high or sizes[-1])
    return Crossing(where, *(ends if found.has_interval else (where, where)), words.size(where))
