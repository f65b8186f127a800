"""Bars of a single message size: a panel for each algorithm and operation, a bar for each line."""

from __future__ import annotations

import math

import altair as alt

from ciphermark.show import figures
from ciphermark.show.plots import theme
from ciphermark.show.plots.panel import Panel, Points
from ciphermark.workloads.single.plots.coordinates import Measure

WIDTH = 260
ROW_HEIGHT = 19
BAR_HEIGHT = 12
CHARACTER = 6.2
EDGE_ROOM = 70
"""Pixels: the plotting area, a row and a bar of it, a character of a name, and what the figure at
the end of the longest bar takes."""


def panel(number: int, title: str, points: Points, measure: Measure) -> Panel:
    """One panel, its data told by its number from that of the others; the best figure first. A
    figure that did not settle is a hollow bar."""
    data = f"bars_{number}"
    ordered = sorted(points, key=lambda point: point["value"], reverse=measure.higher_is_better)
    names = [point["line"] for point in ordered]
    room = math.ceil(CHARACTER * max(map(len, names))) + 12
    shown = [point | {"text": figures.significant(point["value"])} for point in ordered]
    highest = max(point["value"] for point in ordered)
    base = alt.Chart().encode(
        y=alt.Y("line:N", title=None, sort=names, axis=_axis(room)),
        x=alt.X(
            "value:Q",
            title=measure.title,
            scale=alt.Scale(domain=[0, highest], nice=False),
            axis=alt.Axis(grid=False, tickCount=4),
        ),
        tooltip=[alt.Tooltip(f"{field}:N", title=text) for field, text in measure.said.items()],
    )
    colour = theme.HUES[0]
    settled = alt.when("datum.settled").then(alt.value(0.75)).otherwise(alt.value(0))
    chart = alt.layer(
        base.mark_bar(height=BAR_HEIGHT, color=colour, stroke=colour, strokeWidth=1).encode(
            fillOpacity=alt.FillOpacityValue(**settled)
        ),
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=2)
        .encode(x=alt.X("low:Q"), x2=alt.X2("high")),
        base.mark_text(align="left", dx=6, clip=False).encode(text=alt.Text("text:N")),
        data=alt.NamedData(data),
    ).properties(title=f"{title}, {points[0]['size']}", width=WIDTH, height=ROW_HEIGHT * len(names))
    return Panel(chart, room + EDGE_ROOM, {data: shown})


def _axis(room: int) -> alt.Axis:
    return alt.Axis(domain=False, ticks=False, labelLimit=room, labelPadding=6)
