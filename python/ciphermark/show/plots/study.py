"""The charts of a study: figures of then and now over message size, sessions, packets or cores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ciphermark.show import figures
from ciphermark.show.plots import over_size, theme
from ciphermark.show.plots.coordinates import (
    Coordinates,
    CoreCoordinates,
    Measure,
    PacketCoordinates,
    SessionCoordinates,
)
from ciphermark.show.plots.panel import Panel, Plot, Points

if TYPE_CHECKING:
    from ciphermark.studies import study

AXES: dict[study.Over, type[Coordinates]] = {
    "message size": Coordinates,
    "session": SessionCoordinates,
    "packets": PacketCoordinates,
    "cores": CoreCoordinates,
}

SAID: dict[study.Over, tuple[str, str]] = {
    "message size": ("function", "message"),
    "session": ("figure", "session"),
    "packets": ("curve", "packets"),
    "cores": ("curve", "cores"),
}
"""What a curve and a place on the axis are called."""


def plots(charts: list[study.Chart]) -> list[Plot]:
    """A plot for each chart that has something to show."""
    return [_plot(chart) for chart in charts if any(panel.curves for panel in chart.panels)]


def _plot(chart: study.Chart) -> Plot:
    return Plot(
        name=chart.name,
        title=chart.title,
        explanation=chart.explanation,
        hint=over_size.HINT,
        panels=lambda context, rows, cards: _panels(chart),
        columns=2,
    )


def _panels(chart: study.Chart) -> list[Panel]:
    measure = Measure(
        title=chart.unit,
        value=lambda row: row.cycles_per_byte,
        interval=lambda row: (row.ci_low, row.ci_high),
        references={},
        said=_said(chart),
    )
    drawn = [(panel.title, _points(panel, chart.over)) for panel in chart.panels if panel.curves]
    coordinates = AXES[chart.over].around(
        measure, [point for _, points in drawn for point in points]
    )
    return [
        over_size.panel(number, title, points, coordinates, _hues(points))
        for number, (title, points) in enumerate(drawn)
    ]


def _said(chart: study.Chart) -> dict[str, str]:
    """What is said of a point under the pointer."""
    curve, place = SAID[chart.over]
    return {
        "algorithm": curve,
        "provider": chart.origin,
        "source": "from",
        "size": place,
        "shown": chart.unit,
    }


def _hues(points: Points) -> dict[str, str]:
    names = dict.fromkeys(point["algorithm"] for point in points)
    return {name: theme.HUES[place % len(theme.HUES)] for place, name in enumerate(names)}


def _points(panel: study.Panel, over: study.Over) -> Points:
    return [_point(curve, point, over) for curve in panel.curves for point in curve.points]


def _point(curve: study.Curve, point: study.Point, over: study.Over) -> dict[str, Any]:
    shown = figures.significant(point.value)
    if point.low is not None and point.high is not None:
        shown += f" {figures.half_width(point.value, point.low, point.high)}"
    return {
        "bytes": point.at,
        "size": figures.message_size(point.at) if over == "message size" else str(point.at),
        "value": point.value,
        "low": point.low,
        "high": point.high,
        "algorithm": curve.name,
        "provider": curve.origin,
        "line": curve.origin,
        "source": point.source,
        "shown": shown,
        "settled": point.converged,
    }
