"""Lines over a number of CPUs or sessions: cycles per byte, and throughput with its law."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ciphermark.show.plots import theme
from ciphermark.show.plots.over_count import Picture, Place, Series, panels
from ciphermark.show.plots.panel import Panel, Plot
from ciphermark.statistics.scaling_law import Law
from ciphermark.workloads.flows import together
from ciphermark.workloads.sessions.row import SessionRow
from ciphermark.workloads.sessions.scaling import (
    Curve,
    Over,
    Scaling,
    at,
    conditions,
    curves,
    function,
)

COUNTED: dict[Over, str] = {"cores": "CPUs", "sessions": "sessions"}

STEPS = 60
"""Places at which a law is drawn."""


def over_sessions(rows: Iterable[SessionRow], core_cpus: list[list[int]]) -> Plot:
    """Absolute and apparent cycles per byte of all functions and sets of CPUs with two numbers of
    sessions or more."""
    pictures = [
        Picture(_title(curve), "sessions", series)
        for curve in curves(rows, "sessions", core_cpus)
        if (series := _cycles(curve))
    ]
    return Plot.of(
        "over-sessions",
        "Absolute and apparent processing over the number of sessions",
        "Lower is better; both axes are logarithmic. Absolute is the CPU time of all sessions "
        "over their bytes, apparent the time that passed over the same bytes.",
        lambda: panels(pictures, "cycles per byte"),
    )


def _cycles(curve: Curve) -> list[Series]:
    """The lines of a panel; none where there are no bytes."""
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


def throughput(rows: Iterable[SessionRow], scalings: Sequence[Scaling]) -> Plot:
    """Throughput of all curves, with the law that was fitted and its band: a panel for those over
    the same number at the same conditions."""
    by_case = {row.case: row for row in rows}
    return Plot.of(
        "scaling",
        "Throughput over CPUs and sessions",
        "Higher is better; both axes are logarithmic. Marks are what was measured; the line is "
        "Amdahl's law, or the universal scalability law where its cost of agreement is told "
        "from nothing, with the 95 % interval of its mean.",
        lambda: _throughput(by_case, scalings),
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
