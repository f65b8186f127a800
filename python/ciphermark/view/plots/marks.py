"""Marks on a logarithmic axis: a line for each named thing, a mark for each figure of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ciphermark.view import figures
from ciphermark.view.blocks import Chart
from ciphermark.view.plots import theme, vegalite
from ciphermark.view.plots.panel import Panel, logarithmic
from ciphermark.view.plots.vegalite import Spec, field, layer

if TYPE_CHECKING:
    from ciphermark.view.findings import Mark, MarkChart, MarkPanel

EDGE = 1.12
"""Factor between the outermost values and the ends of their axis, so that marks are whole."""
EDGE_ROOM = 24
CHARACTER = 6.2
"""Pixels beside the plotting area without the names of lines, and of a character of a name."""
LINE_HEIGHT = 20

Signs = dict[str, Any]
"""Hues or shapes by the names or origins of marks."""


def chart_of(chart: MarkChart) -> Chart:
    """Returns the picture, in which nothing moves."""
    return Chart.of(chart.name, chart.title, chart.explanation, panels(chart))


def panels(chart: MarkChart) -> list[Panel]:
    """Returns the panels of a chart, which share the axis of values, hues and shapes."""
    drawn = [panel for panel in chart.panels if panel.marks]
    every = [mark for panel in drawn for mark in panel.marks]
    values = [mark.value for mark in every]
    x = _x(chart.unit, min(values) / EDGE, max(values) * EDGE)
    hues, shapes = (
        _signs(theme.HUES, [mark.name for mark in every]),
        _signs(theme.SHAPES, [mark.origin for mark in every]),
    )
    return [_panel(number, panel, chart, x, hues, shapes) for number, panel in enumerate(drawn)]


def _panel(
    number: int, panel: MarkPanel, chart: MarkChart, x: Spec, hues: Signs, shapes: Signs
) -> Panel:
    """Returns a panel, whose number distinguishes its data from those of others."""
    reference = [] if chart.reference is None else [{"value": chart.reference}]
    data = {
        f"marks_{number}": [_point(mark) for mark in panel.marks],
        f"references_{number}": reference,
    }
    of_marks, of_references = data
    lines = list(dict.fromkeys(mark.line for mark in panel.marks))
    encoding = {
        "x": x,
        "y": field("line:N", title=None, sort=lines, axis={"grid": True, "labelLimit": 400}),
        "color": _colour(hues, panel),
        "shape": _shape(shapes, panel),
        "tooltip": vegalite.tooltip(_said(chart)),
    }
    rule: Spec = {"data": of_references, "strokeDash": [2, 3], "strokeWidth": 0.8}
    drawn = vegalite.layers(
        [
            layer("rule", {"x": field("value:Q")}, **rule),
            layer("point", encoding, data=of_marks, filled=True, size=52, opacity=0.85),
        ],
        title=panel.title,
        width=theme.PANEL_WIDTH,
        height=LINE_HEIGHT * len(lines),
    )
    room = EDGE_ROOM + math.ceil(CHARACTER * max(map(len, lines)))
    return Panel(drawn, room, data)


def _point(mark: Mark) -> dict[str, Any]:
    return {
        "line": mark.line,
        "name": mark.name,
        "origin": mark.origin,
        "value": mark.value,
        "shown": figures.significant(mark.value),
        "source": mark.source,
    }


def _said(chart: MarkChart) -> dict[str, str]:
    """Returns the titles in the tooltip of a mark, by field."""
    return {
        "line": "of",
        "name": chart.names,
        "origin": chart.origins,
        "shown": chart.unit,
        "source": "from",
    }


def _x(title: str, low: float, high: float) -> Spec:
    return field(
        "value:Q",
        title=title,
        scale={"type": "log", "domain": [low, high], "nice": False},
        axis=logarithmic(low, high, theme.PANEL_WIDTH),
    )


def _signs(signs: Sequence[Any], names: Iterable[str]) -> Signs:
    distinct = list(dict.fromkeys(names))
    return dict(zip(distinct, theme.each(signs, distinct), strict=True))


def _colour(hues: Signs, panel: MarkPanel) -> Spec:
    """Returns the hues; hue and shape share a legend if each origin has one name."""
    names = {mark.origin: mark.name for mark in panel.marks}
    if all(names[mark.origin] == mark.name for mark in panel.marks):
        scale = {"domain": list(names), "range": [hues[it] for it in names.values()]}
        return field("origin:N", scale=scale, legend=_legend(len(names)))
    present = list(dict.fromkeys(mark.name for mark in panel.marks))
    scale = {"domain": present, "range": [hues[it] for it in present]}
    return field("name:N", scale=scale, legend=_legend(len(present)))


def _shape(shapes: Signs, panel: MarkPanel) -> Spec:
    present = list(dict.fromkeys(mark.origin for mark in panel.marks))
    scale = {"domain": present, "range": [shapes[it] for it in present]}
    return field("origin:N", scale=scale, legend=_legend(len(present)))


def _legend(count: int) -> Spec | None:
    if count == 1:
        return None
    columns = theme.legend_columns(theme.PANEL_WIDTH)
    return {"title": None, "orient": "top", "columns": columns, "symbolSize": 52}
