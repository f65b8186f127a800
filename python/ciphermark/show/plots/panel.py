"""A plot and the panels that it is made of, axes that several plots share, and a panel of lines."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ciphermark.show import figures
from ciphermark.show.machine import caption
from ciphermark.show.plots import theme, vegalite
from ciphermark.show.plots.vegalite import Spec, brought_out, field

if TYPE_CHECKING:
    from ciphermark.record.run import Context
    from ciphermark.workloads.single.cost_card import CostCard
    from ciphermark.workloads.single.row import Row


Points = list[dict[str, Any]]
"""What is drawn: one record for each mark."""


@dataclass(frozen=True)
class Panel:
    """One picture of a plot. Panels stand beside each other where there is room."""

    chart: Spec
    room: int
    """Pixels that axis and labels take beside the plotting area."""
    data: dict[str, Points]
    """The data of the chart, which it refers to by name: where panels stand in one picture, all
    data stands at its top."""

    def spec(self) -> Spec:
        """The whole panel but what the page decides: its colours, and which Vega-Lite draws it."""
        return self.chart | {"datasets": self.data}


Panels = Callable[["Context", "list[Row]", "list[CostCard]"], list[Panel]]
Notes = Callable[["list[Row]"], list[str]]


def _no_notes(rows: list[Row]) -> list[str]:
    return []


@dataclass(frozen=True)
class Plot:
    """What is registered: a picture of a run in panels."""

    name: str
    """Of its files: `cycles-per-byte`."""
    title: str
    explanation: str
    """What one sees, in a sentence or two."""
    hint: str
    """What one can do with it on a page."""
    panels: Panels
    columns: int
    """Panels side by side when drawn as one picture."""
    notes: Notes = _no_notes
    """What is written into the picture beside the caption, line by line."""

    @classmethod
    def of(
        cls,
        name: str,
        title: str,
        explanation: str,
        drawn: Callable[[], list[Panel]],
        hint: str = "",
    ) -> Plot:
        """One that was made for a run and needs no more of it, two panels side by side."""
        return cls(name, title, explanation, hint, lambda context, rows, cards: drawn(), 2)


def picture(plot: Plot, panels: list[Spec], context: Context, rows: list[Row]) -> Spec:
    """All panels of a plot in one picture that names machine and run."""
    lines = [caption(context), *plot.notes(rows)]
    spec = {
        "$schema": vegalite.SCHEMA,
        "config": theme.config(dark=False),
        "title": {"text": plot.title, "subtitle": lines, "fontSize": 16, "offset": 18},
        "padding": 20,
        "columns": plot.columns,
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
"""Characters that no SVG may have (XML 1.0, 2.2), with what stands for them: the renderer would
abort the whole process."""


def drawable(spec: Any) -> Any:  # noqa: ANN401
    """The same without characters that cannot be drawn, wherever they stand."""
    match spec:
        case str():
            return spec.translate(NOT_IN_XML)
        case dict():
            return {drawable(name): drawable(value) for name, value in spec.items()}
        case list() | tuple():
            return [drawable(value) for value in spec]
    return spec


def _still(panel: Spec) -> Spec:
    """A panel as part of a picture: nothing in it moves, so nothing needs to be clipped, and nobody
    selects anything.

    Clipping takes the time of drawing the whole picture once more for each mark, and selections
    half as long as the rest.
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
"""What stands at a tick: the number with its thousands apart."""

DIGITS = ((1, 2, 5), (1, 3), (1,))
"""Digits that ticks begin with, from the most ticks to the fewest, each followed by its tenfold."""


def logarithmic(low: float, high: float, pixels: int | None = None) -> Spec:
    """An axis with ticks at 1, 2 and 5 with their tenfolds, fewer where there is no room.

    `pixels` is the length of a horizontal axis; on a vertical one numbers need little room.
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
    """Points have a `line` by which they are joined and coloured, and an `order` along it; rules
    stand upright at `at`, and have `said` what happened there."""
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
    """One for hue and dash, which must not contradict each other; none of a single line."""
    if len(names) == 1:
        return None
    return {"title": None, "orient": "top", "columns": LEGEND_COLUMNS, "labelLimit": 220}


def _colour(names: list[str]) -> Spec:
    scale = {"domain": names, "range": theme.each(theme.HUES, names)}
    return field("line:N", scale=scale, legend=_legend(names))


def _dash(names: list[str]) -> Spec:
    """Beyond as many lines as there are hues, a dash tells those of one hue apart."""
    dashes = [
        theme.DASHES[place // len(theme.HUES) % len(theme.DASHES)] for place in range(len(names))
    ]
    return field("line:N", scale={"domain": names, "range": dashes}, legend=_legend(names))
