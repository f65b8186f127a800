"""The charts of a study: figures of then and now, over something or by name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ciphermark.view import figures
from ciphermark.view import findings as study
from ciphermark.view.blocks import Chart
from ciphermark.view.plots import marks, theme
from ciphermark.view.plots.panel import Panel, Points
from ciphermark.workloads.single.plots import over_size
from ciphermark.workloads.single.plots.coordinates import (
    Coordinates,
    CountCoordinates,
    Measure,
)

if TYPE_CHECKING:
    from ciphermark.view.findings import AnyChart

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
"""Names of a curve and of a place on the axis."""


def charts_of(charts: list[AnyChart]) -> list[Chart]:
    """Returns a picture of each chart that has something to show."""
    return [_drawn(chart) for chart in charts if any(map(_has_figures, chart.panels))]


def _has_figures(panel: study.Panel | study.MarkPanel) -> bool:
    return bool(panel.marks if isinstance(panel, study.MarkPanel) else panel.curves)


def _drawn(chart: AnyChart) -> Chart:
    if isinstance(chart, study.MarkChart):
        return marks.chart_of(chart)
    panels = _panels(chart)
    return Chart.of(chart.name, chart.title, chart.explanation, panels, over_size.HINT)


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
    """Returns the labels of a tooltip by field."""
    curve, place = SAID[chart.over]
    return {
        "algorithm": curve,
        "provider": chart.origin,
        "source": "from",
        "size": place,
        "shown": chart.unit,
    }


def _hues(panels: list[Points]) -> list[dict[str, str]]:
    """Returns the hues of each panel, the same for a name where there are enough."""
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
