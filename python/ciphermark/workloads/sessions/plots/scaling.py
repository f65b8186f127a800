"""Throughput over CPUs and sessions, with the law that was fitted and its band."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ciphermark.show.plots import theme
from ciphermark.show.plots.over_count import Picture, Place, Series, panels
from ciphermark.show.plots.panel import Panel, Plot
from ciphermark.statistics.scaling_law import Law
from ciphermark.workloads.sessions import show_curves as curves
from ciphermark.workloads.sessions.curves import Over
from ciphermark.workloads.sessions.row import SessionRow
from ciphermark.workloads.sessions.scaling import Scaling

UNIT = "messages per second"
COUNTED: dict[Over, str] = {"cores": "CPUs", "sessions": "sessions"}

STEPS = 60
"""Places at which a law is drawn."""


def plot(rows: Iterable[SessionRow], found: Sequence[Scaling]) -> Plot:
    """The plot of all curves: a panel for those over the same number at the same conditions."""
    by_case = {row.case: row for row in rows}
    return Plot(
        name="scaling",
        title="Throughput over CPUs and sessions",
        explanation=(
            "Higher is better; both axes are logarithmic. Marks are what was measured; the line is "
            "Amdahl's law, or the universal scalability law where its cost of agreement is told "
            "from nothing, with the 95 % interval of its mean."
        ),
        hint="",
        panels=lambda context, rows, cards: _panels(by_case, found),
        columns=2,
    )


def _panels(rows: dict[int, SessionRow], found: Sequence[Scaling]) -> list[Panel]:
    alike: dict[tuple[Over, str], list[Scaling]] = {}
    for it in found:
        alike.setdefault((it.over, curves.at(it, rows)), []).append(it)
    parts = [
        (over, at, group[first : first + len(theme.HUES)])
        for (over, at), group in alike.items()
        for first in range(0, len(group), len(theme.HUES))
    ]
    pictures = [
        Picture(f"Over {COUNTED[over]}: {at}", COUNTED[over], [_series(it) for it in part])
        for over, at, part in parts
    ]
    return panels(pictures, UNIT)


def _series(it: Scaling) -> Series:
    measured = [Place(point.number, point.per_second) for point in it.points]
    return Series(curves.function(it), measured, _drawn(it.law, it) if it.law else [])


def _drawn(law: Law, it: Scaling) -> list[Place]:
    numbers = np.geomspace(it.points[0].number, it.largest, STEPS)
    return [Place(float(number), *law.throughput(float(number))) for number in numbers]
