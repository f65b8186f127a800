"""Absolute and apparent cycles per byte, over the size of the message and over CPUs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import altair as alt

from ciphermark.show import figures
from ciphermark.show.plots import theme
from ciphermark.show.plots.panel import Panel, Plot, Points, logarithmic
from ciphermark.workloads import flows
from ciphermark.workloads.sessions import remarks
from ciphermark.workloads.sessions.plots import groups
from ciphermark.workloads.sessions.row import SessionRow
from ciphermark.workloads.single.plots import over_size
from ciphermark.workloads.single.plots.coordinates import EDGE, Coordinates, Measure

SAID = {
    "algorithm": "function",
    "provider": "cycles",
    "source": "case",
    "shown": "cycles/byte",
    "state": "valid",
}
"""What is said of a point under the pointer."""

FIGURES: dict[str, Callable[[SessionRow], float | None]] = {
    "absolute": lambda row: row.absolute_cycles_per_byte,
    "apparent": lambda row: row.apparent_cycles_per_byte,
}
"""What is drawn of each row, each with a dash of its own."""

EXPLANATION = (
    "Lower is better; both axes are logarithmic. Absolute is the CPU time of all sessions over "
    "their bytes, apparent the time that passed. A hollow mark is not valid."
)


@dataclass(frozen=True)
class Axis:
    """What the plot is over."""

    name: str
    """Of the plot's files."""
    title: str
    coordinates: type[Coordinates]
    of: Callable[[SessionRow], int | None]
    panel: Callable[[SessionRow], str]
    """What the rows of a panel have in common."""


@dataclass(frozen=True)
class Counted(Coordinates):
    """Coordinates over a number of CPUs."""

    def x(self) -> alt.X:
        low, high = self.sizes[0] / EDGE, self.sizes[-1] * EDGE
        return alt.X(
            "bytes:Q",
            title="CPUs",
            scale=alt.Scale(type="log", domain=[low, high], nice=False),
            axis=logarithmic(low, high, theme.PANEL_WIDTH),
        )


AXES = (
    Axis(
        "cycles-over-size",
        "message size",
        Coordinates,
        lambda row: row.message_bytes,
        groups.where,
    ),
    Axis(
        "cycles-over-cpus",
        "CPUs",
        Counted,
        lambda row: row.cores,
        lambda row: _but(row, remarks.sessions(row)),
    ),
)


def plots(rows: list[SessionRow]) -> list[Plot]:
    """A plot over each quantity of which a case was measured at several values."""
    drawn = [row for row in rows if row.absolute_cycles_per_byte is not None]
    return [_plot(axis, drawn) for axis in AXES if any(_varied(drawn, axis))]


def _but(row: SessionRow, where: str) -> str:
    """Size and conditions of a row, and where it ran but for what the axis shows."""
    return flows.joined(flows.size(row), where, remarks.conditions(row))


def _varied(rows: list[SessionRow], axis: Axis) -> Iterator[tuple[str, list[SessionRow]]]:
    """The panels in which a function has a line."""
    for title, alike in groups.panels(rows, axis.panel).items():
        curves = flows.together(alike, groups.function).values()
        lines = [curve for curve in curves if len({axis.of(row) for row in curve} - {None}) > 1]
        if lines:
            yield title, [row for curve in lines for row in curve if axis.of(row)]


def _plot(axis: Axis, rows: list[SessionRow]) -> Plot:
    title = f"Cycles per byte over {axis.title}"
    return Plot.of(axis.name, title, EXPLANATION, lambda: _panels(axis, rows), over_size.HINT)


def _panels(axis: Axis, rows: list[SessionRow]) -> list[Panel]:
    measure = Measure(
        title="core cycles per byte",
        value=lambda row: row.cycles_per_byte,
        interval=lambda row: (None, None),
        references={},
        said=SAID,
    )
    varied = list(_varied(rows, axis))
    hues = groups.hues(row for _, alike in varied for row in alike)
    points = [(title, _points(axis, alike)) for title, alike in varied]
    every = [point for _, of_panel in points for point in of_panel]
    coordinates = axis.coordinates.around(measure, every)
    return [
        over_size.panel(number, title, of_panel, coordinates, hues)
        for number, (title, of_panel) in enumerate(points)
    ]


def _points(axis: Axis, rows: list[SessionRow]) -> Points:
    ascending = sorted(rows, key=lambda row: (groups.function(row), axis.of(row) or 0))
    return [
        _point(axis, row, kind, value)
        for kind, figure in FIGURES.items()
        for row in ascending
        if (value := figure(row))
    ]


def _point(axis: Axis, row: SessionRow, kind: str, value: float) -> dict[str, Any]:
    return {
        "bytes": axis.of(row),
        "value": value,
        "low": None,
        "high": None,
        "algorithm": groups.function(row),
        "provider": kind,
        "line": kind,
        "source": remarks.case(row),
        "shown": figures.significant(value),
        "settled": row.valid,
        "state": "yes" if row.valid else remarks.outcome(row),
    }
