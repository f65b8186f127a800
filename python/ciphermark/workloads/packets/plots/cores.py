"""Speed-up and efficiency over the cores that process packets."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from ciphermark.show import figures
from ciphermark.show.plots.over_count import Place, Series, panels
from ciphermark.show.plots.panel import Plot
from ciphermark.workloads.packets.plots.titles import line, pictures
from ciphermark.workloads.packets.row import PacketRow
from ciphermark.workloads.packets.scaling import PacketScaling, packet_scalings

STEPS = 40
"""Places at which a law is drawn."""

Value = Callable[[float, float], float]
"""Of a speed-up at a number of cores."""


def plots(rows: Iterable[PacketRow]) -> list[Plot]:
    """Both plots of all curves that begin with one core."""
    found = packet_scalings(rows)
    return [
        _plot(
            found,
            "speed-up",
            "Speed-up over cores",
            "How many times as many packets per second as on one core, which as many times as "
            "there are cores would be the best.",
            lambda speed_up, cores: speed_up,
        ),
        _plot(
            found,
            "efficiency",
            "Efficiency over cores",
            "Speed-up over the number of cores: 1 where each does as much as one alone.",
            lambda speed_up, cores: speed_up / cores,
        ),
    ]


def _plot(
    found: list[PacketScaling], name: str, title: str, explanation: str, value: Value
) -> Plot:
    return Plot(
        name=f"packets-{name}",
        title=title,
        explanation=(
            f"{explanation} Higher is better; both axes are logarithmic. Marks are what was "
            "measured, the line is Amdahl's law."
        ),
        hint="",
        panels=lambda context, rows, cards: panels(
            pictures(((_at(it), _series(it, value)) for it in found), "cores"), name
        ),
        columns=2,
    )


def _at(it: PacketScaling) -> str:
    row = it.rows[0]
    return f"{figures.counted(row.packets, 'packet')}, batches of {row.batch}"


def _series(it: PacketScaling, value: Value) -> Series:
    measured = [Place(step.cores, value(step.speed_up, step.cores)) for step in it.steps]
    return Series(line(it.rows[0]), measured, _drawn(it, value))


def _drawn(it: PacketScaling, value: Value) -> list[Place]:
    """The law relative to what was measured of one core, which the marks are relative to too."""
    if it.law is None:
        return []
    alone = it.rows[0].packets_per_second or 1.0
    numbers = [float(number) for number in np.geomspace(1, it.steps[-1].cores, STEPS)]
    return [Place(at, value(it.law.throughput(at).value / alone, at)) for at in numbers]
