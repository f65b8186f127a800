"""Bars of a single message size: a panel for each algorithm and operation, a bar for each line."""

from __future__ import annotations

import math

from ciphermark.view import figures
from ciphermark.view.plots import theme, vegalite
from ciphermark.view.plots.panel import Panel, Points
from ciphermark.view.plots.vegalite import Spec, field, layer
from ciphermark.workloads.single.plots.coordinates import Measure

WIDTH = 260
ROW_HEIGHT = 19
BAR_HEIGHT = 12
CHARACTER = 6.2
EDGE_ROOM = 70
"""Pixels: the plotting area, a row and a bar of it, a character of a name, and the room of the
figure at the end of the longest bar.
"""


def panel(number: int, title: str, points: Points, measure: Measure) -> Panel:
    """Returns one panel with the best figure first; unsettled figures are hollow bars.

    `number` distinguishes its data from that of the others.
    """
    data = f"bars_{number}"
    ordered = sorted(points, key=lambda point: point["value"], reverse=measure.higher_is_better)
    names = [point["line"] for point in ordered]
    room = math.ceil(CHARACTER * max(map(len, names))) + 12
    shown = [point | {"text": figures.significant(point["value"])} for point in ordered]
    highest = max(point["value"] for point in ordered)
    base: Spec = {
        "y": field("line:N", title=None, sort=names, axis=_axis(room)),
        "x": field(
            "value:Q",
            title=measure.title,
            scale={"domain": [0, highest], "nice": False},
            axis={"grid": False, "tickCount": 4},
        ),
        "tooltip": vegalite.tooltip(measure.said),
    }
    hue = theme.HUES[0]
    filled: Spec = {"condition": {"test": "datum.settled", "value": 0.75}, "value": 0}
    bar: Spec = {"height": BAR_HEIGHT, "color": hue, "stroke": hue, "strokeWidth": 1}
    interval = base | {"x": field("low:Q"), "x2": {"field": "high"}}
    figure = base | {"text": field("text:N")}
    chart = vegalite.layers(
        [
            layer("bar", base | {"fillOpacity": filled}, **bar),
            layer("rule", interval, where="isValid(datum.low)", strokeWidth=2),
            layer("text", figure, align="left", dx=6, clip=False),
        ],
        title=f"{title}, {points[0]['size']}",
        width=WIDTH,
        height=ROW_HEIGHT * len(names),
        data=data,
    )
    return Panel(chart, room + EDGE_ROOM, {data: shown})


def _axis(room: int) -> Spec:
    return {"domain": False, "ticks": False, "labelLimit": room, "labelPadding": 6}
