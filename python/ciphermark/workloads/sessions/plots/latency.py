"""Latency of messages: what share of them took longer than a time."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

import altair as alt

from ciphermark.show import figures
from ciphermark.show.plots import theme
from ciphermark.show.plots.axes import logarithmic
from ciphermark.show.plots.panel import Panel, Plot, Points
from ciphermark.workloads.sessions.plots import groups, lines
from ciphermark.workloads.sessions.row import SessionRow
from ciphermark.workloads.sessions.rows import executions, shown

if TYPE_CHECKING:
    from ciphermark.record.run import Run

LEAST_SHARE = 1e-5
"""Of messages: what is rarer rests on a handful of them."""


def plots(run: Run, rows: list[SessionRow]) -> list[Plot]:
    """One plot, where messages were timed."""
    timed = [row for row in rows if row.latency_ns is not None and executions(run, row.case)]
    if not timed:
        return []
    return [
        Plot(
            name="latency",
            title="Latency of messages",
            explanation=(
                "The share of messages that took longer than the time below; both axes are "
                "logarithmic. Where a line bends to the right, messages waited while other "
                "sessions had the CPU."
            ),
            hint=lines.HINT,
            panels=lambda context, _, cards: _panels(run, timed),
            columns=2,
        )
    ]


def _panels(run: Run, rows: list[SessionRow]) -> list[Panel]:
    points = groups.points(rows, lambda row, line: _points(run, row, line))
    times = [it["us"] for of_panel in points.values() for it in of_panel]
    low, high = min(times) / 1.2, max(times) * 1.2
    x = alt.X(
        "us:Q",
        title="latency, µs",
        scale=alt.Scale(type="log", domain=[low, high], nice=False),
        axis=logarithmic(low, high, theme.PANEL_WIDTH),
    )
    y = alt.Y(
        "share:Q",
        title="share that took longer",
        scale=alt.Scale(type="log", domain=[LEAST_SHARE, 1]),
        axis=alt.Axis(format="~%", tickCount=6),
    )
    said = {"line": "case", "longer": "longer", "time": "than"}
    return [
        lines.panel(f"latency_{number}", title, of_panel, x, y, said)
        for number, (title, of_panel) in enumerate(points.items())
    ]


def _points(run: Run, row: SessionRow, line: str) -> Points:
    execution = shown(executions(run, row.case))
    counted = sorted(execution.latencies if execution else [], key=lambda it: it.ns)
    whole = sum(it.count for it in counted)
    reached = accumulate(it.count for it in counted)
    shares = [(it.ns / 1e3, 1 - done / whole) for it, done in zip(counted, reached, strict=True)]
    return [
        {
            "line": line,
            "order": us,
            "us": us,
            "share": max(share, LEAST_SHARE),
            "longer": figures.percent(share) if share > 0 else "none",
            "time": f"{figures.significant(us)} µs",
        }
        for us, share in shares
        if us > 0
    ]
