"""What single executions were like: CPU time of their sessions, latencies, and the minutes of a
soak."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

import altair as alt
import numpy as np

from ciphermark import contract
from ciphermark.show import figures
from ciphermark.show.plots import panel, theme
from ciphermark.show.plots.panel import Panel, Plot, Points, logarithmic
from ciphermark.workloads.sessions.figures import executions, shown
from ciphermark.workloads.sessions.plots import groups
from ciphermark.workloads.sessions.row import SessionRow
from ciphermark.workloads.sessions.soak import LEAST_LOOK_MS

if TYPE_CHECKING:
    from ciphermark.record.run import Run

MOST_POINTS = 200
"""Of a line: more are not told apart."""

LEAST_SHARE = 1e-5
"""Of messages: what is rarer rests on a handful of them."""

RATE = "messages per second"

SEEN: dict[str, Callable[[contract.Moment], float | None]] = {
    "core clock, GHz": lambda moment: moment.core_hz and moment.core_hz / 1e9,
    "temperature, °C": lambda moment: moment.temperature_c,
    "times throttled since boot": lambda moment: moment.throttles,
}
"""What each look may have seen, beside the messages."""


def plots(run: Run, rows: list[SessionRow]) -> Iterator[Plot]:
    """Those that have something to show."""
    several = [row for row in rows if row.sessions > 1]
    if several:
        yield Plot.of(
            "fairness",
            "CPU time over the sessions",
            "The sessions of a case in the order of their CPU time, each as a multiple of their "
            "mean: a flat line at 1 is fair.",
            lambda: _fairness(run, several),
            panel.HINT,
        )
    timed = [row for row in rows if row.latency_ns is not None and executions(run, row.case)]
    if timed:
        yield Plot.of(
            "latency",
            "Latency of messages",
            "The share of messages that took longer than the time below; both axes are "
            "logarithmic. Where a line bends to the right, messages waited while other sessions "
            "had the CPU.",
            lambda: _latencies(run, timed),
            panel.HINT,
        )
    looked = [row for row in rows if _moments(run, row)]
    if looked:
        yield Plot.of(
            "over-time",
            "Rate, clock and heat over time",
            "From the start to the end of the execution, a point for each look. A rate that falls "
            "with the clock is the processor's doing, one that falls alone is not.",
            lambda: _over_time(run, looked),
            panel.HINT,
        )


def _fairness(run: Run, rows: list[SessionRow]) -> list[Panel]:
    points = groups.points(rows, lambda row, line: _shares(run, row, line))
    most = max((point["share"] for of_panel in points.values() for point in of_panel), default=1.0)
    x = alt.X("order:Q", title="sessions, least CPU time first, %")
    y = alt.Y("share:Q", title="CPU time / mean", scale=alt.Scale(domain=[0, max(most, 1.2)]))
    said = {"line": "case", "rank": "session", "text": "CPU time / mean"}
    return [
        panel.lines_panel(f"fairness_{number}", title, of_panel, x, y, said)
        for number, (title, of_panel) in enumerate(points.items())
        if of_panel
    ]


def _shares(run: Run, row: SessionRow, line: str) -> Points:
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


def _latencies(run: Run, rows: list[SessionRow]) -> list[Panel]:
    points = groups.points(rows, lambda row, line: _longer(run, row, line))
    times = [point["us"] for of_panel in points.values() for point in of_panel]
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
        panel.lines_panel(f"latency_{number}", title, of_panel, x, y, said)
        for number, (title, of_panel) in enumerate(points.items())
    ]


def _longer(run: Run, row: SessionRow, line: str) -> Points:
    execution = shown(executions(run, row.case))
    counted = sorted(execution.latencies if execution else [], key=lambda latency: latency.ns)
    whole = sum(latency.count for latency in counted)
    reached = accumulate(latency.count for latency in counted)
    shares = [
        (latency.ns / 1e3, 1 - done / whole) for latency, done in zip(counted, reached, strict=True)
    ]
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


def _moments(run: Run, row: SessionRow) -> list[contract.Moment]:
    execution = shown(executions(run, row.case))
    if execution is None or execution.load.look_ms < LEAST_LOOK_MS:
        return []
    return execution.moments


def _over_time(run: Run, rows: list[SessionRow]) -> list[Panel]:
    series: dict[str, Points] = {title: [] for title in (RATE, *SEEN)}
    for row in rows:
        moments, line = _moments(run, row), groups.name(row, rows)
        series[RATE] += [
            _look(line, now, 1e9 * (now.messages - before.messages) / (now.at_ns - before.at_ns))
            for before, now in pairwise(moments)
            if now.at_ns > before.at_ns
        ]
        for title, value in SEEN.items():
            series[title] += [
                _look(line, moment, seen)
                for moment in moments
                if (seen := value(moment)) is not None
            ]
    x = alt.X("order:Q", title="seconds since the start")
    return [
        panel.lines_panel(
            f"soak_{number}",
            title.capitalize(),
            points,
            x,
            alt.Y("value:Q", title=title, scale=alt.Scale(zero=False)),
            {"line": "case", "at": "at", "shown": title},
        )
        for number, (title, points) in enumerate(series.items())
        if points
    ]


def _look(line: str, moment: contract.Moment, value: float) -> dict[str, object]:
    seconds = moment.at_ns / 1e9
    return {
        "line": line,
        "order": seconds,
        "value": value,
        "at": f"{seconds:.1f} s",
        "shown": figures.significant(value),
    }
