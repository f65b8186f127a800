"""The charts of a study: figures of then and now, over something or by name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ciphermark.show import figures
from ciphermark.show import findings as study
from ciphermark.show.plots import marks, theme
from ciphermark.show.plots.panel import Panel, Plot, Points
from ciphermark.workloads.single.plots import over_size
from ciphermark.workloads.single.plots.coordinates import (
    Coordinates,
    CountCoordinates,
    Measure,
)

if TYPE_CHECKING:
    from ciphermark.show.findings import AnyChart

AXES: dict[study.Over, tuple[type[Coordinates], str]] = {
    "message size": (Coordinates, "message size"),
    "length": (CountCoordinates, "message, bytes"),
    "session": (CountCoordinates, "session"),
    "packets": (CountCoordinates, "packets"),
    "cores": (CountCoordinates, "cores"),
}
"""The kind of a horizontal axis, and its title."""

SAID: dict[study.Over, tuple[str, str]] = {
    "message size": ("function", "message"),
    "length": ("function", "bytes"),
    "session": ("figure", "session"),
    "packets": ("curve", "packets"),
    "cores": ("curve", "cores"),
}
"""What a curve and a place on the axis are called."""


def plots(charts: list[AnyChart]) -> list[Plot]:
    """A plot for each chart that has something to show."""
    return [_plot(chart) for chart in charts if any(map(_has_figures, chart.panels))]


def _has_figures(panel: study.Panel | study.MarkPanel) -> bool:
    return bool(panel.marks if isinstance(panel, study.MarkPanel) else panel.curves)


def _plot(chart: AnyChart) -> Plot:
    if isinstance(chart, study.MarkChart):
        return marks.plot(chart)
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
    axes, title = AXES[chart.over]
    every = [point for _, points in drawn for point in points]
    coordinates = replace(axes.around(measure, every), over=title)
    return [
        over_size.panel(number, title, points, coordinates, hues)
        for number, ((title, points), hues) in enumerate(
            zip(drawn, _hues([points for _, points in drawn]), strict=True)
        )
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


def _hues(panels: list[Points]) -> list[dict[str, str]]:
    """The hues of each panel: of a name the same in all where there are enough for all names."""
    names = [list(dict.fromkeys(point["algorithm"] for point in points)) for points in panels]
    every = list(dict.fromkeys(name for of_panel in names for name in of_panel))
    if len(every) <= len(theme.HUES):
        names = [every] * len(panels)
    return [dict(zip(it, theme.each(theme.HUES, it), strict=True)) for it in names]


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
        "marked": curve.marked,
    }
