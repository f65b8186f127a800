"""Panels of a chart, axes that several plots share, and a panel of lines."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ciphermark.view import figures
from ciphermark.view.plots import theme, vegalite
from ciphermark.view.plots.vegalite import Spec, brought_out, field

if TYPE_CHECKING:
    from ciphermark.view.blocks import Chart


Points = list[dict[str, Any]]
"""Data of marks, one record for each."""


@dataclass(frozen=True)
class Panel:
    """Panel of a plot; panels stand side by side where there is room."""

    chart: Spec
    room: int
    """Pixels that axis and labels take beside the plotting area."""
    data: dict[str, Points]
    """Data of the chart, by the names that it refers to; a picture of several panels has all data
    at its top."""

    def spec(self) -> Spec:
        """Returns the panel without colours and version of Vega-Lite, which the page sets."""
        return self.chart | {"datasets": self.data}


def picture(chart: Chart, caption: str) -> Spec:
    """Returns all panels of a chart as one picture that names machine and run."""
    panels = [panel.spec() for panel in chart.panels]
    spec = {
        "$schema": vegalite.SCHEMA,
        "config": theme.config(dark=False),
        "title": {
            "text": chart.title,
            "subtitle": [caption, *chart.notes],
            "fontSize": 16,
            "offset": 18,
        },
        "padding": 20,
        "columns": chart.columns,
        "spacing": 36,
        "resolve": {"scale": {"color": "independent", "shape": "independent"}},
        "concat": [_still(panel) for panel in panels],
        # Vega-Lite wants these at the top, whichever panel they belong to.
        "datasets": {name: data for panel in panels for name, data in panel["datasets"].items()},
    }
    drawn: Spec = drawable(spec)
    return drawn


NOT_IN_XML = dict.fromkeys(
    (*range(0x09), 0x0B, 0x0C, *range(0x0E, 0x20), 0xFFFE, 0xFFFF), "\N{REPLACEMENT CHARACTER}"
)
"""Characters that no SVG may have (XML 1.0, 2.2), with their replacement: the renderer would abort
the whole process."""


def drawable(spec: Any) -> Any:  # noqa: ANN401
    """Replaces characters that cannot be drawn, wherever they are."""
    match spec:
        case str():
            return spec.translate(NOT_IN_XML)
        case dict():
            return {drawable(name): drawable(value) for name, value in spec.items()}
        case list() | tuple():
            return [drawable(value) for value in spec]
    return spec


def _still(panel: Spec) -> Spec:
    """Returns a panel for a still picture, without clipping and selections.

    Clipping takes as long as drawing the whole picture once more for each mark, selections half as
    long as the rest.
    """
    kept = {name: part for name, part in panel.items() if name not in ("datasets", "params")}
    return kept | {"layer": list(map(_layer_at_rest, panel["layer"]))}


def _layer_at_rest(layer: Spec) -> Spec:
    encoding = layer["encoding"]
    if "condition" in encoding.get("opacity", {}):  # of selections, which have all marks at first
        encoding = encoding | {"opacity": {"value": 1}}
    return layer | {"mark": layer["mark"] | {"clip": False}, "encoding": encoding}


STEP_ROOM = 34
"""Pixels that the number at a tick of a horizontal axis takes."""

GROUPED = f"replace(format(datum.value, ','), regexp(',', 'g'), '{figures.NARROW_SPACE}')"
"""Label of a tick: the number with separated thousands."""

DIGITS = ((1, 2, 5), (1, 3), (1,))
"""Digits that ticks begin with, from the most ticks to the fewest, each followed by its tenfold."""


def logarithmic(low: float, high: float, pixels: int | None = None) -> Spec:
    """Returns an axis with ticks at 1, 2 and 5 times powers of ten.

    There are fewer where there is no room. `pixels` is the length of a horizontal axis; on a
    vertical one numbers need little room.
    """
    decade = math.inf if pixels is None else pixels / math.log10(high / low)
    digits = next((it for it in DIGITS if decade >= STEP_ROOM * len(it)), DIGITS[-1])
    return {"values": _steps(low, high, digits), "labelExpr": GROUPED}


def _steps(low: float, high: float, digits: tuple[int, ...]) -> list[float]:
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)))
    steps = [float(f"{digit}e{decade}") for decade in decades for digit in digits]
    return [step for step in steps if low <= step <= high]


AXIS_ROOM = 70
"""Pixels of the vertical axis with its title."""

LEGEND_COLUMNS = 2

HINT = "Click a name in the legend to bring out its line."


def lines_panel(
    data: str,
    title: str,
    points: Points,
    x: Spec,
    y: Spec,
    said: dict[str, str],
    rules: Points | None = None,
) -> Panel:
    """Returns a panel of lines.

    Points of one `line` are joined in their `order` and have one colour. Rules are vertical, at
    `at`, and `said` is the text of each.
    """
    names = list(dict.fromkeys(point["line"] for point in points))
    picked = f"picked_{data}"
    encoding = {
        "x": x,
        "y": y,
        "color": _colour(names),
        "strokeDash": _dash(names),
        "order": field("order:Q"),
        "opacity": brought_out(picked),
        "tooltip": vegalite.tooltip(said),
    }
    drawn = [vegalite.layer("line", encoding, strokeWidth=1.8, clip=True)]
    named = {data: points}
    if rules:
        named[f"{data}_rules"] = rules
        upright = {"x": field("at:T"), "tooltip": vegalite.tooltip({"said": "from here"})}
        drawn.append(
            vegalite.layer(
                "rule", upright, data=f"{data}_rules", strokeDash=[2, 3], strokeWidth=1.5
            )
        )
    chart = vegalite.layers(
        drawn,
        title=title,
        width=theme.PANEL_WIDTH,
        height=theme.PANEL_HEIGHT,
        data=data,
        params=[vegalite.picked_in_legend(picked, "line")],
    )
    return Panel(chart, AXIS_ROOM, named)


def _legend(names: list[str]) -> Spec | None:
    """Returns the legend of hue and dash, which must agree; None for a single line."""
    if len(names) == 1:
        return None
    return {"title": None, "orient": "top", "columns": LEGEND_COLUMNS, "labelLimit": 220}


def _colour(names: list[str]) -> Spec:
    scale = {"domain": names, "range": theme.each(theme.HUES, names)}
    return field("line:N", scale=scale, legend=_legend(names))


def _dash(names: list[str]) -> Spec:
    """Returns the dashes, which distinguish lines of one hue if there are more lines."""
    dashes = [
        theme.DASHES[place // len(theme.HUES) % len(theme.DASHES)] for place in range(len(names))
    ]
    return field("line:N", scale={"domain": names, "range": dashes}, legend=_legend(names))
