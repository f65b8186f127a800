"""Lines over a number of CPUs or sessions: marks at measured numbers, and a law with its band."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from ciphermark.statistics.estimate import Estimate
from ciphermark.view import figures
from ciphermark.view.plots import theme, vegalite
from ciphermark.view.plots.panel import Panel, Points, logarithmic
from ciphermark.view.plots.vegalite import Spec, field, layer

AXIS_ROOM = 62
EDGE_ROOM = 20
"""Pixels of the axis on the left, and of the rest beside the plotting area."""

LEGEND_LABEL = 360
"""Pixels that a name in the legend may take."""

EDGE = 1.12
"""Factor between the outermost values and the ends of their axis, so that marks are whole."""


@dataclass(frozen=True)
class Place:
    """Point on a line, with its interval if it has one."""

    number: float
    value: float
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, number: float, estimate: Estimate) -> Place:
        """Returns a point with the interval of an estimate."""
        return cls(number, estimate.value, estimate.low, estimate.high)


@dataclass(frozen=True)
class Series:
    """Line of a panel."""

    name: str
    measured: list[Place]
    law: Sequence[Place] = ()
    """Points of a line through the marks; if empty, the marks are joined."""

    @property
    def drawn(self) -> list[Place]:
        """Returns all points, which set the range of the axes."""
        return [*self.measured, *self.law]


@dataclass(frozen=True)
class Crossing:
    """Number at which lines cross, and its interval, cut off where the picture ends."""

    number: float
    low: float
    high: float
    text: str


@dataclass(frozen=True)
class Picture:
    """Content of a panel."""

    title: str
    counted: str
    """Title of the horizontal axis."""
    series: list[Series]
    crossing: Crossing | None = None


def panels(pictures: Sequence[Picture], unit: str) -> list[Panel]:
    """Returns the panels of a plot, which share the vertical axis."""
    drawn = [place for it in pictures for series in it.series for place in series.drawn]
    if not drawn:
        return []
    y = _y(drawn, unit)
    return [_panel(number, it, y, unit) for number, it in enumerate(pictures)]


def _panel(number: int, picture: Picture, y: Spec, unit: str) -> Panel:
    """Returns a panel, whose number distinguishes its data from those of others."""
    marks = [_point(it, place) for it in picture.series for place in it.measured]
    lines = [_point(it, place) for it in picture.series for place in it.law or it.measured]
    data = {f"marks_{number}": marks, f"lines_{number}": lines}
    of_marks, of_lines = data
    x, colour = _x(marks, picture.counted), _colour([it.name for it in picture.series])
    drawn = [
        *_curves(of_lines, {"x": x, "y": y, "color": colour}),
        _marks(of_marks, {"x": x, "y": y, "color": colour}, picture.counted, unit),
    ]
    if picture.crossing is not None:
        data[f"crossing_{number}"] = [asdict(picture.crossing)]
        low = _x(marks, picture.counted, "low")
        drawn = [*_crossing(f"crossing_{number}", x, low), *drawn]
    chart = vegalite.layers(
        drawn, title=picture.title, width=theme.PANEL_WIDTH, height=theme.PANEL_HEIGHT
    )
    return Panel(chart, AXIS_ROOM + EDGE_ROOM, data)


def _curves(data: str, line: Spec) -> Iterator[Spec]:
    band = line | {"y": field("low:Q"), "y2": {"field": "high"}}
    yield layer("area", band, data=data, where="isValid(datum.low)", fillOpacity=0.2, clip=True)
    yield layer("line", line, data=data, strokeWidth=1.8, clip=True)


def _crossing(data: str, x: Spec, low: Spec) -> Iterator[Spec]:
    """Yields a band over the interval, a line, and the text at its upper end."""
    band = {"x": low, "x2": {"field": "high"}}
    yield layer("rect", band, data=data, fillOpacity=0.12, clip=True)
    yield layer("rule", {"x": x}, data=data, strokeDash=[4, 3], strokeWidth=1, clip=True)
    words = {"x": x, "y": {"value": 4}, "text": field("text:N")}
    yield layer("text", words, data=data, align="left", baseline="top", dx=5)


def _marks(data: str, at: Spec, counted: str, unit: str) -> Spec:
    said = vegalite.tooltip({"name": "line", "number": counted, "shown": unit})
    return layer("point", at | {"tooltip": said}, data=data, filled=True, size=34, clip=True)


def _point(series: Series, place: Place) -> dict[str, object]:
    return {
        "name": series.name,
        "number": place.number,
        "value": place.value,
        "low": place.low,
        "high": place.high,
        "shown": figures.significant(place.value),
    }


def _x(marks: Points, title: str, shown: str = "number") -> Spec:
    """Returns a logarithmic axis with a tick at each measured number, if there is room."""
    numbers = sorted({point["number"] for point in marks})
    domain = [numbers[0] / EDGE, numbers[-1] * EDGE]
    return field(
        f"{shown}:Q",
        title=title,
        scale={"type": "log", "domain": domain, "nice": False},
        axis={"values": numbers, "labelOverlap": "greedy", "format": "d"},
    )


def _y(drawn: Sequence[Place], title: str) -> Spec:
    """Returns a logarithmic axis from one tick to another: it has at least two."""
    low = _step_down(min(place.value for place in drawn) / EDGE)
    high = 1 / _step_down(1 / (max(place.value for place in drawn) * EDGE))
    return field(
        "value:Q",
        title=title,
        # A band may be wider than the picture, where nothing else cuts it.
        scale={"type": "log", "domain": [low, high], "nice": False, "clamp": True},
        axis=logarithmic(low, high),
    )


def _step_down(value: float) -> float:
    """Rounds a value down to 1, 2 or 5 times a power of ten."""
    decade = 10.0 ** math.floor(math.log10(value))
    return max(step for digit in (1, 2, 5) if (step := digit * decade) <= value)


def _colour(names: Sequence[str]) -> Spec:
    hues = [theme.HUES[place % len(theme.HUES)] for place in range(len(names))]
    legend = {"title": None, "orient": "top", "columns": 1, "labelLimit": LEGEND_LABEL}
    return field("name:N", scale={"domain": list(names), "range": hues}, legend=legend)
