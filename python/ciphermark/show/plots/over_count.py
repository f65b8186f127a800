"""Lines over a number of CPUs or sessions: marks at what was measured, and a law with its band."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field

import altair as alt

from ciphermark.show import figures
from ciphermark.show.plots import theme
from ciphermark.show.plots.panel import Panel, Points, logarithmic
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
    law: list[Place] = field(default_factory=list)
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


def _panel(number: int, picture: Picture, y: alt.Y, unit: str) -> Panel:
    """One panel, its data told by its number from that of the others."""
    marks = [_point(it, place) for it in picture.series for place in it.measured]
    lines = [_point(it, place) for it in picture.series for place in it.law or it.measured]
    data = {f"marks_{number}": marks, f"lines_{number}": lines}
    of_marks, of_lines = map(alt.NamedData, data)
    x, colour = _x(marks, picture.counted), _colour([it.name for it in picture.series])
    layers = [
        *_curves(alt.Chart(of_lines).encode(x=x, color=colour), y),
        _marks(alt.Chart(of_marks).encode(x=x, y=y, color=colour), picture.counted, unit),
    ]
    if picture.crossing is not None:
        data[f"crossing_{number}"] = [asdict(picture.crossing)]
        base = alt.Chart(alt.NamedData(f"crossing_{number}"))
        layers = [*_crossing(base, x, _x(marks, picture.counted, "low")), *layers]
    chart = alt.layer(*layers).properties(
        title=picture.title, width=theme.PANEL_WIDTH, height=theme.PANEL_HEIGHT
    )
    return Panel(chart, AXIS_ROOM + EDGE_ROOM, data)


def _curves(base: alt.Chart, y: alt.Y) -> Iterator[alt.Chart]:
    band = base.mark_area(fillOpacity=0.2, clip=True).encode(y=alt.Y("low:Q"), y2=alt.Y2("high"))
    yield band.transform_filter("isValid(datum.low)")
    yield base.mark_line(strokeWidth=1.8, clip=True).encode(y=y)


def _crossing(base: alt.Chart, x: alt.X, low: alt.X) -> Iterator[alt.Chart]:
    """A band over its interval, a line, and what it says beside the line's upper end."""
    yield base.encode(x=low, x2=alt.X2("high")).mark_rect(fillOpacity=0.12, clip=True)
    line = base.encode(x=x)
    yield line.mark_rule(strokeDash=[4, 3], strokeWidth=1, clip=True)
    words = line.mark_text(align="left", baseline="top", dx=5)
    yield words.encode(y=alt.YValue(4), text=alt.Text("text:N"))


def _marks(base: alt.Chart, counted: str, unit: str) -> alt.Chart:
    said = {"name": "line", "number": counted, "shown": unit}
    tooltip = [alt.Tooltip(f"{name}:N", title=title) for name, title in said.items()]
    marks: alt.Chart = base.mark_point(filled=True, size=34, clip=True).encode(tooltip=tooltip)
    return marks


def _point(series: Series, place: Place) -> dict[str, object]:
    return {
        "name": series.name,
        "number": place.number,
        "value": place.value,
        "low": place.low,
        "high": place.high,
        "shown": figures.significant(place.value),
    }


def _x(marks: Points, title: str, field: str = "number") -> alt.X:
    """Logarithmic, with a tick at each number that was measured as long as there is room."""
    numbers = sorted({point["number"] for point in marks})
    return alt.X(
        f"{field}:Q",
        title=title,
        scale=alt.Scale(type="log", domain=[numbers[0] / EDGE, numbers[-1] * EDGE], nice=False),
        axis=alt.Axis(values=numbers, labelOverlap="greedy", format="d"),
    )


def _y(drawn: Sequence[Place], title: str) -> alt.Y:
    """Logarithmic, from one tick to another, so that two stand beside it at least."""
    low = _step_down(min(place.value for place in drawn) / EDGE)
    high = 1 / _step_down(1 / (max(place.value for place in drawn) * EDGE))
    return alt.Y(
        "value:Q",
        title=title,
        # A band may be wider than the picture, where nothing else cuts it.
        scale=alt.Scale(type="log", domain=[low, high], nice=False, clamp=True),
        axis=logarithmic(low, high),
    )


def _step_down(value: float) -> float:
    """The largest of 1, 2 and 5 with their tenfolds that is not above a value."""
    decade = 10.0 ** math.floor(math.log10(value))
    return max(step for digit in (1, 2, 5) if (step := digit * decade) <= value)


def _colour(names: Sequence[str]) -> alt.Color:
    hues = [theme.HUES[place % len(theme.HUES)] for place in range(len(names))]
    legend = alt.Legend(title=None, orient="top", columns=1, labelLimit=LEGEND_LABEL)
    return alt.Color("name:N", scale=alt.Scale(domain=list(names), range=hues), legend=legend)
