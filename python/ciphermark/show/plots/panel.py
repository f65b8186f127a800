"""A plot and the panels that it is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import altair as alt

from ciphermark.show.machine import caption
from ciphermark.show.plots import theme

if TYPE_CHECKING:
    from ciphermark.record.run import Context
    from ciphermark.workloads.single.cost_card import CostCard
    from ciphermark.workloads.single.row import Row

Spec = dict[str, Any]
"""A specification in Vega-Lite."""

Points = list[dict[str, Any]]
"""What is drawn: one record for each mark."""


@dataclass(frozen=True)
class Panel:
    """One picture of a plot. Panels stand beside each other where there is room."""

    chart: alt.LayerChart | alt.FacetChart
    room: int
    """Pixels that axis and labels take beside the plotting area."""
    data: dict[str, Points]
    """The data of the chart, which it refers to by name; altair copies at every step what is
    within a chart."""

    def spec(self) -> Spec:
        """The whole panel but what the page decides: its colours, and which Vega-Lite draws it."""
        spec = self.chart.to_dict(validate=False)
        del spec["$schema"], spec["config"]
        return spec | {"datasets": self.data}


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
    return {
        "$schema": alt.SCHEMA_URL,
        "config": theme.config(dark=False),
        "title": {"text": plot.title, "subtitle": lines, "fontSize": 16, "offset": 18},
        "padding": 20,
        "columns": plot.columns,
        "spacing": 36,
        "resolve": {"scale": {"color": "independent", "shape": "independent"}},
        "concat": [_still(panel) for panel in panels],
        # Vega-Lite wants these at the top, whichever panel they belong to.
        "datasets": {name: data for panel in panels for name, data in panel["datasets"].items()},
        "params": [param for panel in panels for param in panel.get("params", [])],
    }


def _still(panel: Spec) -> Spec:
    """A panel as part of a picture: nothing in it moves, so nothing needs to be clipped.

    Clipping takes the time of drawing the whole picture once more for each mark.
    """
    layers = [layer | {"mark": layer["mark"] | {"clip": False}} for layer in panel["layer"]]
    kept = {name: part for name, part in panel.items() if name not in ("datasets", "params")}
    return kept | {"layer": layers}
