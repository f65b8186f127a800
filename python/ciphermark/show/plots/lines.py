"""A panel of lines between two plain axes, with a legend above it."""

from __future__ import annotations

import altair as alt

from ciphermark.show.plots import theme
from ciphermark.show.plots.panel import Panel, Points

AXIS_ROOM = 70
"""Pixels of the vertical axis with its title."""

LEGEND_COLUMNS = 2

HINT = "Click a name in the legend to bring out its line."


def panel(data: str, title: str, points: Points, x: alt.X, y: alt.Y, said: dict[str, str]) -> Panel:
    """Points have a `line` by which they are joined and coloured, and an `order` along it."""
    names = list(dict.fromkeys(point["line"] for point in points))
    picked = alt.selection_point(f"picked_{data}", fields=["line"], bind="legend")
    chart = (
        alt.layer(
            alt.Chart()
            .mark_line(strokeWidth=1.8, clip=True)
            .encode(
                x=x,
                y=y,
                color=_colour(names),
                strokeDash=_dash(names),
                order=alt.Order("order:Q"),
                opacity=alt.when(picked).then(alt.value(1)).otherwise(alt.value(theme.FAINT)),
                tooltip=[alt.Tooltip(f"{field}:N", title=text) for field, text in said.items()],
            ),
            data=alt.NamedData(data),
        )
        .add_params(picked)
        .properties(title=title, width=theme.PANEL_WIDTH, height=theme.PANEL_HEIGHT)
    )
    return Panel(chart, AXIS_ROOM, {data: points})


def _legend(names: list[str]) -> alt.Legend | None:
    """One for hue and dash, which must not contradict each other; none of a single line."""
    if len(names) == 1:
        return None
    return alt.Legend(title=None, orient="top", columns=LEGEND_COLUMNS, labelLimit=220)


def _colour(names: list[str]) -> alt.Color:
    scale = alt.Scale(domain=names, range=theme.each(theme.HUES, names))
    return alt.Color("line:N", scale=scale, legend=_legend(names))


def _dash(names: list[str]) -> alt.StrokeDash:
    """Beyond as many lines as there are hues, a dash tells those of one hue apart."""
    dashes = [
        theme.DASHES[place // len(theme.HUES) % len(theme.DASHES)] for place in range(len(names))
    ]
    scale = alt.Scale(domain=names, range=dashes)
    return alt.StrokeDash("line:N", scale=scale, legend=_legend(names))
