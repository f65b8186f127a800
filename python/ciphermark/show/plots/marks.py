"""Marks on a logarithmic axis: a line for each named thing, a mark for each figure of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ciphermark.show import figures
from ciphermark.show.plots import theme, vegalite
from ciphermark.show.plots.panel import Panel, Plot, logarithmic
from ciphermark.show.plots.vegalite import Spec, field, layer

if TYPE_CHECKING:
    from ciphermark.show.findings import Mark, MarkChart, MarkPanel

EDGE = 1.12
"""Factor between the outermost values and the ends of their axis, so that marks are whole."""
EDGE_ROOM = 24
CHARACTER = 6.2
"""Pixels: what else is beside the plotting area, a character of a line's name."""
LINE_HEIGHT = 20

Signs = dict[str, Any]
"""A hue or a shape by what has it."""


def plot(chart: MarkChart) -> Plot:
    """The plot of a chart, in which nothing moves."""
    return Plot(
        name=chart.name,
        title=chart.title,
        explanation=chart.explanation,
        hint="",
        panels=lambda context, rows, cards: panels(chart),
        columns=2,
    )


def panels(chart: MarkChart) -> list[Panel]:
    """The panels of a chart. They share the axis of values, hues and shapes."""
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
    """One panel, its data told by its number from that of the others."""
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
    """What is said of a mark under the pointer."""
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
    found = list(dict.fromkeys(names))
    return dict(zip(found, theme.each(signs, found), strict=True))


def _colour(hues: Signs, panel: MarkPanel) -> Spec:
    """Where each origin has one name, hue and shape of both are explained together."""
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
