"""What becomes of rate, clock and temperature in the minutes of a soak."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING

import altair as alt

from ciphermark import contract
from ciphermark.show import figures
from ciphermark.show.plots.panel import Panel, Plot, Points
from ciphermark.workloads.sessions.plots import groups, lines
from ciphermark.workloads.sessions.row import SessionRow
from ciphermark.workloads.sessions.rows import executions, shown
from ciphermark.workloads.sessions.soak import LEAST_LOOK_MS

if TYPE_CHECKING:
    from ciphermark.record.run import Run

SERIES: dict[str, Callable[[contract.Moment], float | None]] = {
    "core clock, GHz": lambda it: it.core_hz and it.core_hz / 1e9,
    "temperature, °C": lambda it: it.temperature_c,
    "times throttled since boot": lambda it: it.throttles,
}
"""What each look may have seen, beside the messages."""


def plots(run: Run, rows: list[SessionRow]) -> list[Plot]:
    """One plot, where somebody looked at the clock as well."""
    looked = [row for row in rows if _moments(run, row)]
    if not looked:
        return []
    return [
        Plot(
            name="over-time",
            title="Rate, clock and heat over time",
            explanation=(
                "From the start to the end of the execution, a point for each look. A rate that "
                "falls with the clock is the processor's doing, one that falls alone is not."
            ),
            hint=lines.HINT,
            panels=lambda context, _, cards: _panels(run, looked),
            columns=2,
        )
    ]


def _moments(run: Run, row: SessionRow) -> list[contract.Moment]:
    execution = shown(executions(run, row.case))
    if execution is None or execution.load.look_ms < LEAST_LOOK_MS:
        return []
    return execution.moments


def _panels(run: Run, rows: list[SessionRow]) -> list[Panel]:
    series: dict[str, Points] = {"messages per second": []}
    series |= {title: [] for title in SERIES}
    for row in rows:
        moments, line = _moments(run, row), groups.name(row, rows)
        series["messages per second"] += _rates(moments, line)
        for title, value in SERIES.items():
            series[title] += [
                _point(line, it, seen) for it in moments if (seen := value(it)) is not None
            ]
    return [
        _panel(f"soak_{number}", title, points)
        for number, (title, points) in enumerate(series.items())
        if points
    ]


def _panel(data: str, title: str, points: Points) -> Panel:
    x = alt.X("order:Q", title="seconds since the start")
    y = alt.Y("value:Q", title=title, scale=alt.Scale(zero=False))
    said = {"line": "case", "at": "at", "shown": title}
    return lines.panel(data, title.capitalize(), points, x, y, said)


def _rates(moments: list[contract.Moment], line: str) -> Points:
    """Between each look and the one before it."""
    return [
        _point(line, now, 1e9 * (now.messages - before.messages) / (now.at_ns - before.at_ns))
        for before, now in pairwise(moments)
        if now.at_ns > before.at_ns
    ]


def _point(line: str, moment: contract.Moment, value: float) -> dict[str, object]:
    seconds = moment.at_ns / 1e9
    return {
        "line": line,
        "order": seconds,
        "value": value,
        "at": f"{seconds:.1f} s",
        "shown": figures.significant(value),
    }
