"""How large the code of each algorithm is on each target."""

from __future__ import annotations

import altair as alt

from ciphermark.show import figures
from ciphermark.show.plots import theme
from ciphermark.show.plots.panel import Panel, Plot, Points
from ciphermark.workloads.simulation.columns import Line

CELL_WIDTH, CELL_HEIGHT = 60, 22
NAME_ROOM = 140
"""Pixels: a field of the picture, and the names on its left."""

FAINTEST, STRONGEST = 0.06, 0.6
"""Opacity of the smallest and the largest, under figures that must stay readable."""


def plot(shown: list[Line]) -> Plot:
    """The plot of all targets."""
    return Plot(
        name="code-size",
        title="Code size",
        explanation=(
            "Bytes of instructions and constant tables of each algorithm and of what it needs, "
            "without scaffolding and without the compiler's library."
        ),
        hint="",
        panels=lambda context, rows, cards: _panels(shown),
        columns=1,
    )


def _panels(shown: list[Line]) -> list[Panel]:
    points = _points(shown)
    if not points:
        return []
    functions, targets = (list(dict.fromkeys(it[name] for it in points)) for name in ("of", "on"))
    data = "code_size"
    fields = alt.Chart().encode(
        x=alt.X("on:N", title=None, sort=targets, axis=alt.Axis(labelAngle=-40, orient="top")),
        y=alt.Y("of:N", title=None, sort=functions, axis=alt.Axis(labelLimit=NAME_ROOM)),
        tooltip=[
            alt.Tooltip("of:N", title="algorithm"),
            alt.Tooltip("on:N", title="target"),
            alt.Tooltip("shown:N", title="bytes"),
        ],
    )
    shade = alt.Scale(type="log", range=[FAINTEST, STRONGEST])
    chart = alt.layer(
        fields.mark_rect(color=theme.HUES[0]).encode(
            opacity=alt.Opacity("bytes:Q", scale=shade, legend=None)
        ),
        fields.mark_text().encode(text="shown:N"),
        data=alt.NamedData(data),
    ).properties(
        title="bytes of code",
        width=CELL_WIDTH * len(targets),
        height=CELL_HEIGHT * len(functions),
    )
    return [Panel(chart, NAME_ROOM, {data: points})]


def _points(shown: list[Line]) -> Points:
    """The most of any operation of a function on a target."""
    most: dict[tuple[str, str], int] = {}
    for line in shown:
        key = (line.function, line.first.target)
        most[key] = max(most.get(key, 0), line.most("code_bytes") or 0)
    return [
        {"of": function, "on": target, "bytes": size, "shown": figures.grouped(size)}
        for (function, target), size in most.items()
        if size
    ]
