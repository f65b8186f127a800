"""Absolute and apparent cycles per byte over the number of sessions."""

from __future__ import annotations

from collections.abc import Iterable

from ciphermark.show.plots.over_count import Picture, Place, Series, panels
from ciphermark.show.plots.panel import Panel, Plot
from ciphermark.workloads.sessions.curves import Curve, curves
from ciphermark.workloads.sessions.row import SessionRow
from ciphermark.workloads.sessions.show_curves import conditions, function

FIGURES = {
    "absolute": "absolute_cycles_per_byte",
    "apparent": "apparent_cycles_per_byte",
}


def plot(rows: Iterable[SessionRow], core_cpus: list[list[int]]) -> Plot:
    """The plot of all functions and sets of CPUs with two numbers of sessions or more."""
    found = curves(rows, "sessions", core_cpus)
    return Plot(
        name="over-sessions",
        title="Absolute and apparent processing over the number of sessions",
        explanation=(
            "Lower is better; both axes are logarithmic. Absolute is the CPU time of all sessions "
            "over their bytes, apparent the time that passed over the same bytes."
        ),
        hint="",
        panels=lambda context, rows, cards: _panels(found),
        columns=2,
    )


def _panels(found: list[Curve]) -> list[Panel]:
    pictures = [
        Picture(_title(curve), "sessions", series) for curve in found if (series := _series(curve))
    ]
    return panels(pictures, "cycles per byte")


def _series(curve: Curve) -> list[Series]:
    """The lines of a panel; none where there are no bytes."""
    lines = {
        name: [
            Place(row.sessions, value)
            for row in curve.rows
            if (value := getattr(row, field)) is not None
        ]
        for name, field in FIGURES.items()
    }
    return [Series(name, places) for name, places in lines.items() if places]


def _title(curve: Curve) -> str:
    row = curve.rows[0]
    return f"{function(row)}; {conditions(curve.over, curve.siblings, row)}"
