"""Lines over a number of CPUs or sessions: marks at what was measured, and a law with its band."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from ciphermark.show import figures
from ciphermark.show.plots import theme, vegalite
from ciphermark.show.plots.panel import Panel, Points, logarithmic
from ciphermark.show.plots.vegalite import Spec, field, layer
from ciphermark.statistics.estimate import Estimate

AXIS_ROOM = 62
EDGE_ROOM = 20
"""Pixels: the axis on the left, and what else is beside the plotting area."""

LEGEND_LABEL = 360
"""Pixels that a name in the legend may take."""

EDGE = 1.12
"""Factor between the outermost values and the ends of their axis, so that marks are whole."""


@dataclass(frozen=True)
class Place:
    """Somewhere on a line, with its interval where it has one."""

    number: float
    value: float
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, number: float, estimate: Estimate) -> Place:
        """At a number, with the interval of what is known."""
        return cls(number, estimate.value, estimate.low, estimate.high)


@dataclass(frozen=True)
class Series:
    """One line of a panel."""

    name: str
    measured: list[Place]
    law: Sequence[Place] = ()
    """Drawn through the marks; without one they are joined."""

    @property
    def drawn(self) -> list[Place]:
        """All that needs room."""
        return [*self.measured, *self.law]


@dataclass(frozen=True)
class Crossing:
    """A number at which lines cross, and its interval, cut off where the picture ends."""

    number: float
    low: float
    high: float
    text: str


@dataclass(frozen=True)
class Picture:
    """What one panel shows."""

    title: str
    counted: str
    """The title of the horizontal axis."""
    series: list[Series]
    crossing: Crossing | None = None


def panels(pictures: Sequence[Picture], unit: str) -> list[Panel]:
    """The panels of a plot; they share the vertical axis, so that they can be compared."""
    drawn = [place for it in pictures for series in it.series for place in series.drawn]
    if not drawn:
        return []
    y = _y(drawn, unit)
    return [_panel(number, it, y, unit) for number, it in enumerate(pictures)]


def _panel(number: int, picture: Picture, y: Spec, unit: str) -> Panel:
    """One panel, its data told by its number from that of the others."""
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
    """A band over its interval, a line, and what it says beside the line's upper end."""
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
    """Logarithmic, with a tick at each number that was measured as long as there is room."""
    numbers = sorted({point["number"] for point in marks})
    domain = [numbers[0] / EDGE, numbers[-1] * EDGE]
    return field(
        f"{shown}:Q",
        title=title,
        scale={"type": "log", "domain": domain, "nice": False},
        axis={"values": numbers, "labelOverlap": "greedy", "format": "d"},
    )


def _y(drawn: Sequence[Place], title: str) -> Spec:
    """Logarithmic, from one tick to another, so that two stand beside it at least."""
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
    """The largest of 1, 2 and 5 with their tenfolds that is not above a value."""
    decade = 10.0 ** math.floor(math.log10(value))
    return max(step for digit in (1, 2, 5) if (step := digit * decade) <= value)


def _colour(names: Sequence[str]) -> Spec:
    hues = [theme.HUES[place % len(theme.HUES)] for place in range(len(names))]
    legend = {"title": None, "orient": "top", "columns": 1, "labelLimit": LEGEND_LABEL}
    return field("name:N", scale={"domain": list(names), "range": hues}, legend=legend)
