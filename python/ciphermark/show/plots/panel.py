"""A plot and the panels that it is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import altair as alt

from ciphermark.show.machine import caption
from ciphermark.show.plots import theme

if TYPE_CHECKING:
    from ciphermark.analyse.models.cost_card import CostCard
    from ciphermark.analyse.row import Row
    from ciphermark.record.run import Context


@dataclass(frozen=True)
class Panel:
    """One picture of a plot. Panels stand beside each other where there is room."""

    chart: alt.Chart | alt.LayerChart
    room: int
    """Pixels that axis and labels take beside the plotting area."""


Panels = Callable[["Context", "list[Row]", "list[CostCard]"], list[Panel]]
Notes = Callable[["list[Row]"], list[str]]


@dataclass(frozen=True)
class Plot:
    """What is registered: a picture of a run, whole or in panels."""

    name: str
    """Of its files: `cycles-per-byte`."""
    title: str
    explanation: str
    """What one sees, in a sentence or two."""
    panels: Panels
    columns: int
    """Panels side by side when drawn as one picture."""
    notes: Notes = lambda rows: []  # noqa: E731
    """What is written into the picture beside the caption, line by line."""

    def chart(
        self, context: Context, rows: list[Row], cards: list[CostCard]
    ) -> alt.ConcatChart | None:
        """All panels in one picture that names machine and run; None where there is no panel."""
        panels = self.panels(context, rows, cards)
        return self.together(panels, context, rows) if panels else None

    def together(self, panels: list[Panel], context: Context, rows: list[Row]) -> alt.ConcatChart:
        """The picture of panels that have been made."""
        lines = [caption(context), *self.notes(rows)]
        heading = alt.TitleParams(self.title, subtitle=lines, fontSize=16, offset=18)
        return (
            alt.concat(*(panel.chart for panel in panels), columns=self.columns, spacing=36)
            .resolve_scale(color="independent")
            .properties(title=heading, padding=20)
            .configure(**theme.config(dark=False))
        )


def inline(values: list[dict[str, Any]]) -> alt.InlineData:
    """Data inside the plot, so that it can be drawn without anything else."""
    return alt.InlineData(values=values)
