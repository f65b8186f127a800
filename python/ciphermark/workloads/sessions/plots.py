"""Plots of a run of many sessions.

They show cycles per byte and throughput over a number of CPUs or sessions, absolute and apparent
cycles over sizes, and the course of single executions.

To add one, write a function that makes it and name it in `charts`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ciphermark import contract
from ciphermark.plan.cpu_sets import listed
from ciphermark.statistics.power import NoFigure, Span, power_over_time
from ciphermark.statistics.scaling_law import Law
from ciphermark.view import figures
from ciphermark.view.blocks import Chart
from ciphermark.view.plots import panel, theme
from ciphermark.view.plots.over_count import Picture, Place, Series, panels
from ciphermark.view.plots.panel import Panel, Points, logarithmic
from ciphermark.view.plots.vegalite import Spec, field
from ciphermark.workloads import flows
from ciphermark.workloads.flows import together
from ciphermark.workloads.sessions import remarks
from ciphermark.workloads.sessions.figures import executions, shown
from ciphermark.workloads.sessions.row import SessionRow
from ciphermark.workloads.sessions.scaling import (
    Curve,
    Over,
    Scaling,
    at,
    conditions,
    curves,
    function,
    scalings,
    with_room,
)
from ciphermark.workloads.single.plots import over_size
from ciphermark.workloads.single.plots.coordinates import EDGE, Coordinates, Measure

if TYPE_CHECKING:
    from ciphermark.record.run import Run


MOST_PANELS = 12
"""Most panels of a plot, as a longer page is not read. The table has all figures."""

Groups = dict[str, list[SessionRow]]


def grouped(rows: Iterable[SessionRow], title: Callable[[SessionRow], str] | None = None) -> Groups:
    """Returns the rows of the first panels, by default grouped by where they ran."""
    return dict(islice(together(rows, title or where).items(), MOST_PANELS))


def grouped_points(
    rows: Iterable[SessionRow], of: Callable[[SessionRow, str], Points]
) -> dict[str, Points]:
    """Returns the points of each panel; `of` has those of a row and the name of its line."""
    return {
        title: [point for row in alike for point in of(row, line_name(row, alike))]
        for title, alike in grouped(rows).items()
    }


def where(row: SessionRow) -> str:
    """`100 sessions on CPUs 0-1, rekeyed`."""
    return flows.joined(remarks.where(row), remarks.conditions(row))


def function_name(row: SessionRow) -> str:
    """`hmac-sha256 mac, openssl`, with the backend where the library does not choose it."""
    asked = "" if row.backend_asked == "default" else f" {row.backend_asked}"
    return f"{row.algorithm} {row.operation}, {row.provider}{asked}"


def line_name(row: SessionRow, among: list[SessionRow]) -> str:
    """Returns the facts that distinguish a row from the others of its panel."""
    parts: list[tuple[str, Callable[[SessionRow], Hashable]]] = [
        (row.algorithm, lambda other: other.algorithm),
        (row.provider, lambda other: other.provider),
        (flows.size(row), lambda other: other.size),
        (remarks.sessions(row), lambda other: other.sessions),
        (f"CPUs {listed(row.cpus)}", lambda other: tuple(other.cpus)),
        (remarks.conditions(row), remarks.conditions),
    ]
    telling = [text for text, of in parts if text and len({of(other) for other in among}) > 1]
    return " · ".join(telling) or row.algorithm


def hues(rows: Iterable[SessionRow]) -> dict[str, str]:
    """Returns the hue of each function, the same in all plots."""
    functions = dict.fromkeys(map(function_name, rows))
    return {name: theme.HUES[place % len(theme.HUES)] for place, name in enumerate(functions)}


COUNTED: dict[Over, str] = {"cores": "CPUs", "sessions": "sessions"}

STEPS = 60
"""Places at which a law is drawn."""


def over_sessions(rows: Iterable[SessionRow], core_cpus: list[list[int]]) -> Chart:
    """Returns absolute and apparent cycles per byte of all functions.

    Each panel has a set of CPUs with two numbers of sessions or more.
    """
    pictures = [
        Picture(_title(curve), "sessions", series)
        for curve in curves(rows, "sessions", core_cpus)
        if (series := _cycles(curve))
    ]
    return Chart.of(
        "over-sessions",
        "Absolute and apparent processing over the number of sessions",
        "Lower is better; both axes are logarithmic. Absolute is the CPU time of all sessions "
        "over their bytes, apparent the time that passed over the same bytes.",
        panels(pictures, "cycles per byte"),
    )


def _cycles(curve: Curve) -> list[Series]:
    """Returns the lines of a panel; none where there are no bytes."""
    lines = {
        kind: [
            Place(row.sessions, value)
            for row in curve.rows
            if (value := getattr(row, f"{kind}_cycles_per_byte")) is not None
        ]
        for kind in ("absolute", "apparent")
    }
    return [Series(kind, places) for kind, places in lines.items() if places]


def _title(curve: Curve) -> str:
    row = curve.rows[0]
    return f"{function(row)}; {conditions(curve.over, curve.siblings, row)}"


def throughput(rows: Iterable[SessionRow], scalings: Sequence[Scaling]) -> Chart:
    """Returns the throughput of all curves, with the fitted law and its band.

    Each panel has the curves over the same number at the same conditions.
    """
    by_case = {row.case: row for row in rows}
    return Chart.of(
        "scaling",
        "Throughput over CPUs and sessions",
        "Higher is better; both axes are logarithmic. Marks are measured; the line is Amdahl's "
        "law, or the universal scalability law where its coherency cost differs from zero, with "
        "the 95 % interval of its mean.",
        _throughput(by_case, scalings),
    )


def _throughput(rows: dict[int, SessionRow], scalings: Sequence[Scaling]) -> list[Panel]:
    alike = together(scalings, lambda scaling: (scaling.over, at(scaling, rows)))
    pictures = [
        Picture(
            f"Over {COUNTED[over]}: {where}",
            COUNTED[over],
            [_series(scaling) for scaling in group[first : first + len(theme.HUES)]],
        )
        for (over, where), group in alike.items()
        for first in range(0, len(group), len(theme.HUES))
    ]
    return panels(pictures, "messages per second")


def _series(scaling: Scaling) -> Series:
    measured = [Place(point.number, point.per_second) for point in scaling.points]
    return Series(function(scaling), measured, _drawn(scaling.law, scaling) if scaling.law else [])


def _drawn(law: Law, scaling: Scaling) -> list[Place]:
    numbers = np.geomspace(scaling.points[0].number, scaling.largest, STEPS).tolist()
    return [Place.of(number, law.throughput(number)) for number in numbers]


SAID = {
    "algorithm": "function",
    "provider": "cycles",
    "source": "case",
    "shown": "cycles/byte",
    "state": "valid",
}
"""Fields of a point that are shown under the pointer."""

FIGURES: dict[str, Callable[[SessionRow], float | None]] = {
    "absolute": lambda row: row.absolute_cycles_per_byte,
    "apparent": lambda row: row.apparent_cycles_per_byte,
}
"""Quantities that are drawn of each row, each with a dash of its own."""

EXPLANATION = (
    "Lower is better; both axes are logarithmic. Absolute is the CPU time of all sessions over "
    "their bytes, apparent the time that passed. A hollow mark is not valid."
)


@dataclass(frozen=True)
class Axis:
    """Quantity on the axis of a plot."""

    name: str
    """Name in the plot's files."""
    title: str
    coordinates: type[Coordinates]
    of: Callable[[SessionRow], int | None]
    panel: Callable[[SessionRow], str]
    """Title of a row's panel; rows of a panel have it in common."""


@dataclass(frozen=True)
class Counted(Coordinates):
    """Coordinates over a number of CPUs."""

    def x(self) -> Spec:
        low, high = self.sizes[0] / EDGE, self.sizes[-1] * EDGE
        return field(
            "bytes:Q",
            title="CPUs",
            scale={"type": "log", "domain": [low, high], "nice": False},
            axis=logarithmic(low, high, theme.PANEL_WIDTH),
        )


AXES = (
    Axis(
        "cycles-over-size",
        "message size",
        Coordinates,
        lambda row: row.message_bytes,
        where,
    ),
    Axis(
        "cycles-over-cpus",
        "CPUs",
        Counted,
        lambda row: row.cores,
        lambda row: _but(row, remarks.sessions(row)),
    ),
)


def cycle_plots(rows: list[SessionRow]) -> list[Chart]:
    """Returns a plot over each quantity of which a case was measured at several values."""
    drawn = [row for row in rows if row.absolute_cycles_per_byte is not None]
    return [_cycle_plot(axis, drawn) for axis in AXES if any(_varied(drawn, axis))]


def _but(row: SessionRow, where: str) -> str:
    """Returns the size, place and conditions of a row, without those on the axis."""
    return flows.joined(flows.size(row), where, remarks.conditions(row))


def _varied(rows: list[SessionRow], axis: Axis) -> Iterator[tuple[str, list[SessionRow]]]:
    """Yields the panels in which a function has a line."""
    for title, alike in grouped(rows, axis.panel).items():
        curves = flows.together(alike, function_name).values()
        lines = [curve for curve in curves if len({axis.of(row) for row in curve} - {None}) > 1]
        if lines:
            yield title, [row for curve in lines for row in curve if axis.of(row)]


def _cycle_plot(axis: Axis, rows: list[SessionRow]) -> Chart:
    title = f"Cycles per byte over {axis.title}"
    return Chart.of(axis.name, title, EXPLANATION, _cycle_panels(axis, rows), over_size.HINT)


def _cycle_panels(axis: Axis, rows: list[SessionRow]) -> list[Panel]:
    measure = Measure(
        title="core cycles per byte",
        value=lambda row: row.cycles_per_byte,
        interval=lambda row: (None, None),
        references={},
        said=SAID,
    )
    varied = list(_varied(rows, axis))
    hue_of = hues(row for _, alike in varied for row in alike)
    points = [(title, _cycle_points(axis, alike)) for title, alike in varied]
    every = [point for _, of_panel in points for point in of_panel]
    coordinates = axis.coordinates.around(measure, every)
    return [
        over_size.panel(number, title, of_panel, coordinates, hue_of)
        for number, (title, of_panel) in enumerate(points)
    ]


def _cycle_points(axis: Axis, rows: list[SessionRow]) -> Points:
    ascending = sorted(rows, key=lambda row: (function_name(row), axis.of(row) or 0))
    return [
        _cycle_point(axis, row, kind, value)
        for kind, figure in FIGURES.items()
        for row in ascending
        if (value := figure(row))
    ]


def _cycle_point(axis: Axis, row: SessionRow, kind: str, value: float) -> dict[str, Any]:
    return {
        "bytes": axis.of(row),
        "value": value,
        "low": None,
        "high": None,
        "algorithm": function_name(row),
        "provider": kind,
        "line": kind,
        "source": remarks.case(row),
        "shown": figures.significant(value),
        "settled": row.valid,
        "state": "yes" if row.valid else remarks.outcome(row),
    }


MOST_POINTS = 200
"""Most points of a line: more are not distinguished."""

LEAST_SHARE = 1e-5
"""Least share of messages that is drawn: rarer latencies rest on a handful of messages."""

RATE, POWER = "messages per second", "power, W"

SEEN: dict[str, Callable[[contract.Moment], float | None]] = {
    "core clock, GHz": lambda moment: moment.core_hz and moment.core_hz / 1e9,
    "temperature, °C": lambda moment: moment.temperature_c,
    "times throttled since boot": lambda moment: moment.throttles,
}
"""Quantities that each look may have seen, beside the messages."""


LEAST_LOOK_MS = 500
"""Shortest interval between readings with which the engine reads the clock too."""

POWER_PARTS = 60
"""Stretches of an execution for each of which its mean power is drawn."""


def execution_plots(run: Run, rows: list[SessionRow]) -> Iterator[Chart]:
    """Yields the plots that are not empty."""
    several = [row for row in rows if row.sessions > 1]
    if several:
        yield Chart.of(
            "fairness",
            "CPU time over the sessions",
            "The sessions of a case in the order of their CPU time, each as a multiple of their "
            "mean: a flat line at 1 is fair.",
            _fairness(run, several),
            panel.HINT,
        )
    timed = [row for row in rows if row.latency_ns is not None and executions(run, row.case)]
    if timed:
        yield Chart.of(
            "latency",
            "Latency of messages",
            "The share of messages that took longer than the time below; both axes are "
            "logarithmic. Where a line bends to the right, messages waited while other sessions "
            "had the CPU.",
            _latencies(run, timed),
            panel.HINT,
        )
    looked = [row for row in rows if _moments(run, row)]
    if looked:
        yield Chart.of(
            "over-time",
            "Rate, clock, heat and power over time",
            "From the start to the end of the execution, a point per reading. If the rate falls "
            "together with the clock, the processor is the cause; if it falls alone, something "
            "else is.",
            _over_time(run, looked),
            panel.HINT,
        )


def _fairness(run: Run, rows: list[SessionRow]) -> list[Panel]:
    points = grouped_points(rows, lambda row, line: _shares(run, row, line))
    most = max((point["share"] for of_panel in points.values() for point in of_panel), default=1.0)
    x = field("order:Q", title="sessions, least CPU time first, %")
    y = field("share:Q", title="CPU time / mean", scale={"domain": [0, max(most, 1.2)]})
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
    points = grouped_points(rows, lambda row, line: _longer(run, row, line))
    times = [point["us"] for of_panel in points.values() for point in of_panel]
    low, high = min(times) / 1.2, max(times) * 1.2
    x = field(
        "us:Q",
        title="latency, µs",
        scale={"type": "log", "domain": [low, high], "nice": False},
        axis=logarithmic(low, high, theme.PANEL_WIDTH),
    )
    y = field(
        "share:Q",
        title="share that took longer",
        scale={"type": "log", "domain": [LEAST_SHARE, 1]},
        axis={"format": "~%", "tickCount": 6},
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
    series: dict[str, Points] = {title: [] for title in (RATE, *SEEN, POWER)}
    for row in rows:
        moments, line = _moments(run, row), line_name(row, rows)
        execution = shown(executions(run, row.case))
        if moments and execution is not None:
            series[POWER] += [_look(line, *reading) for reading in _watts(execution)]
        series[RATE] += [
            _look(
                line,
                now.at_ns / 1e9,
                1e9 * (now.messages - before.messages) / (now.at_ns - before.at_ns),
            )
            for before, now in pairwise(moments)
            if now.at_ns > before.at_ns
        ]
        for title, value in SEEN.items():
            series[title] += [
                _look(line, moment.at_ns / 1e9, seen)
                for moment in moments
                if (seen := value(moment)) is not None
            ]
    x = field("order:Q", title="seconds since the start")
    return [
        panel.lines_panel(
            f"soak_{number}",
            title[0].upper() + title[1:],
            points,
            x,
            field("value:Q", title=title, scale={"zero": False}),
            {"line": "case", "at": "at", "shown": title},
        )
        for number, (title, points) in enumerate(series.items())
        if points
    ]


def _watts(execution: contract.SessionsRun) -> list[tuple[float, float]]:
    """Returns seconds since the start with the mean power then; nothing without a meter."""
    if execution.energy is None:
        return []
    at_ns, moments = execution.at_ns, execution.moments
    window = Span(at_ns + moments[0].at_ns, at_ns + moments[-1].at_ns)
    try:
        power = power_over_time(execution.energy, window, POWER_PARTS)
    except NoFigure:
        return []
    return [((it.at_ns - at_ns) / 1e9, it.watts) for it in power]


def _look(line: str, seconds: float, value: float) -> dict[str, object]:
    return {
        "line": line,
        "order": seconds,
        "value": value,
        "at": f"{seconds:.1f} s",
        "shown": figures.significant(value),
    }


def charts(run: Run, rows: list[SessionRow]) -> list[Chart]:
    """Returns the pictures of a report."""
    core_cpus = run.context.engine_hello.environment.state.core_cpus
    measured = [row for row in rows if row.is_measured]
    return [
        *cycle_plots(measured),
        over_sessions(measured, core_cpus),
        throughput(measured, with_room(scalings(measured, core_cpus))),
        *execution_plots(run, measured),
    ]
