"""CPU time of each session, in the order of how much it had: how evenly they were served."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt
import numpy as np

from ciphermark.show import figures
from ciphermark.show.plots.panel import Panel, Plot, Points
from ciphermark.workloads.sessions.plots import groups, lines
from ciphermark.workloads.sessions.row import SessionRow
from ciphermark.workloads.sessions.rows import executions, shown

if TYPE_CHECKING:
    from ciphermark.record.run import Run

MOST_POINTS = 200
"""Of a line: more are not told apart."""


def plots(run: Run, rows: list[SessionRow]) -> list[Plot]:
    """One plot, where several sessions ran."""
    several = [row for row in rows if row.sessions > 1]
    if not several:
        return []
    return [
        Plot(
            name="fairness",
            title="CPU time over the sessions",
            explanation=(
                "The sessions of a case in the order of their CPU time, each as a multiple of "
                "their mean: a flat line at 1 is fair."
            ),
            hint=lines.HINT,
            panels=lambda context, _, cards: _panels(run, several),
            columns=2,
        )
    ]


def _panels(run: Run, rows: list[SessionRow]) -> list[Panel]:
    points = groups.points(rows, lambda row, line: _points(run, row, line))
    most = max((it["share"] for of_panel in points.values() for it in of_panel), default=1.0)
    x = alt.X("order:Q", title="sessions, least CPU time first, %")
    y = alt.Y("share:Q", title="CPU time / mean", scale=alt.Scale(domain=[0, max(most, 1.2)]))
    said = {"line": "case", "rank": "session", "text": "CPU time / mean"}
    return [
        lines.panel(f"fairness_{number}", title, of_panel, x, y, said)
        for number, (title, of_panel) in enumerate(points.items())
        if of_panel
    ]


def _points(run: Run, row: SessionRow, line: str) -> Points:
    execution = shown(executions(run, row.case))
    ordered = np.sort(execution.figures.cpu_ns if execution else [])
    mean = ordered.mean() if len(ordered) else 0.0
    if not mean:
        return []
    places = np.linspace(0, len(ordered) - 1, min(MOST_POINTS, len(ordered))).astype(int)
    return [
        {
            "line": line,
            "order": 100 * place / (len(ordered) - 1),
            "share": float(ordered[place] / mean),
            "rank": f"{place + 1} of {len(ordered)}",
            "text": figures.significant(float(ordered[place] / mean)),
        }
        for place in map(int, places)
    ]
