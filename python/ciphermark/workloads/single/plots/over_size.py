"""Lines over message size: one panel for each kind and operation, one line an implementation."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import altair as alt

from ciphermark.show.plots import theme
from ciphermark.show.plots.panel import Panel, Points
from ciphermark.workloads.single.plots.coordinates import Coordinates, Measure
from ciphermark.workloads.single.plots.hues import hues_of, parts
from ciphermark.workloads.single.plots.labels import label_marks, labels
from ciphermark.workloads.single.sections import Section, lines

AXIS_ROOM = 62
LABEL_ROOM = 34
CHARACTER = 6.2
"""Pixels: the axis on the left, the leader to a label, a character of a label."""

HINT = (
    "Click a line to bring out its algorithm, a name in the legend to bring out a provider; "
    "double-click to go back. Drag to move, Ctrl and wheel to zoom."
)


def panels(arranged: list[Section], measure: Measure) -> list[Panel]:
    """The panels of a plot over message size."""
    points = measure.points(lines(arranged))
    if not points:
        return []
    coordinates = Coordinates.around(measure, points)
    hues = hues_of(arranged)
    drawn = [
        (title, part_points)
        for section in arranged
        for title, part in parts(section)
        if (part_points := measure.points(part))
    ]
    return [
        panel(number, title, part_points, coordinates, hues)
        for number, (title, part_points) in enumerate(drawn)
    ]


def panel(
    number: int, title: str, points: Points, coordinates: Coordinates, hues: dict[str, str]
) -> Panel:
    """One panel, its data told by its number from that of the others."""
    data = {
        f"points_{number}": points,
        f"labels_{number}": labels(points, coordinates),
        f"references_{number}": [{"value": it} for it in coordinates.references().values()],
    }
    of_points, of_labels, of_references = map(alt.NamedData, data)
    picked = alt.selection_point(
        f"algorithm_{number}", fields=["algorithm"], on="click", clear="dblclick"
    )
    provider = alt.selection_point(f"provider_{number}", fields=["provider"], bind="legend")
    # The plain wheel scrolls the page; with Ctrl, which a pinch also sends, it zooms.
    zoomed = alt.selection_interval(
        f"zoom_{number}", bind="scales", encodings=["y"], zoom="wheel![event.ctrlKey]"
    )
    opacity = alt.when(picked & provider).then(alt.value(1)).otherwise(alt.value(theme.FAINT))
    colour = _colour(points, hues)
    chart = (
        alt.layer(
            _reference_lines(of_references, coordinates),
            *_curves(coordinates, coordinates.dash(_providers(points)), colour, opacity),
            *label_marks(of_labels, coordinates, colour, _label_opacity(picked, zoomed)),
            data=of_points,
        )
        .add_params(picked, provider, zoomed)
        .properties(title=title, width=theme.PANEL_WIDTH, height=theme.PANEL_HEIGHT)
    )
    longest = max(len(label["text"]) for label in data[of_labels.name])
    return Panel(chart, AXIS_ROOM + LABEL_ROOM + math.ceil(CHARACTER * longest), data)


def _colour(points: Points, hues: dict[str, str]) -> alt.Color:
    titles = list(dict.fromkeys(point["algorithm"] for point in points))
    scale = alt.Scale(domain=titles, range=[hues[title] for title in titles])
    return alt.Color("algorithm:N", legend=None, scale=scale)


def _label_opacity(picked: alt.Parameter, zoomed: alt.Parameter) -> Any:
    """Labels outside the panel cannot be cut off, so those that zooming moves there vanish."""
    outside = f"isValid({zoomed.name}.value) && !inrange(datum.label, {zoomed.name}.value)"
    return (
        alt.when(outside)
        .then(alt.value(0))
        .when(picked)
        .then(alt.value(1))
        .otherwise(alt.value(theme.FAINT))
    )


def _providers(points: Points) -> list[str]:
    return list(dict.fromkeys(point["provider"] for point in points))


def _curves(
    coordinates: Coordinates, dash: alt.StrokeDash, colour: alt.Color, opacity: Any
) -> Iterator[alt.Chart]:
    """Bands of intervals, lines, and marks at the measured sizes, hollow where not settled."""
    base = alt.Chart().encode(x=coordinates.x(), color=colour, opacity=opacity)
    yield (
        base.mark_area(fillOpacity=0.25, clip=True)
        .encode(y=coordinates.y("low"), y2="high", detail=["line:N"])
        .transform_filter("isValid(datum.low)")
    )
    yield base.mark_line(strokeWidth=1.8, clip=True).encode(
        y=coordinates.y("value"), strokeDash=dash, detail=["line:N"]
    )
    points = base.encode(y=coordinates.y("value"), tooltip=coordinates.tooltip())
    marks = points.transform_filter("datum.marked !== false")
    yield marks.mark_point(filled=True, size=34, clip=True).transform_filter("datum.settled")
    yield marks.mark_point(size=70, strokeWidth=1.6, clip=True).transform_filter("!datum.settled")
    # Not to be seen, but under the pointer they say what they are.
    unmarked = points.transform_filter("datum.marked === false")
    yield unmarked.mark_point(filled=True, size=34, fillOpacity=0, strokeOpacity=0, clip=True)


def _reference_lines(data: alt.NamedData, coordinates: Coordinates) -> alt.Chart:
    """Thin lines to compare with."""
    chart = alt.Chart(data).encode(y=coordinates.y("value"))
    return chart.mark_rule(strokeDash=[2, 3], strokeWidth=0.8, clip=True)
