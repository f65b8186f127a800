"""The page of one machine as one HTML file that needs nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import altair as alt

from ciphermark.answers.machines.page import History, MachinePage
from ciphermark.answers.machines.show import differs, facts, figures_title, moved_by, spread
from ciphermark.command.report import html, plot_data
from ciphermark.errors import UsageError, WorkError
from ciphermark.files.atomic import replaced_file
from ciphermark.record.run import Summary
from ciphermark.show import figures
from ciphermark.show.column import Cell, Fact
from ciphermark.show.plots import panel
from ciphermark.show.plots.panel import Panel, Points
from ciphermark.show.problems import UNSETTLED

TEMPLATE = "machine.html.jinja"
PLOT = "over-time"


def write_page(page: MachinePage, path: Path, *, replace: bool) -> Path:
    """Writes the page and returns its path.

    Raises `UsageError` where something is there and is not to be replaced, `WorkError` where it
    cannot be written.
    """
    target = path.absolute()
    if target.exists() and not replace:
        raise UsageError(f"{target} is there already: replace it with --force, or name another")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with replaced_file(target) as partial:
            partial.write_bytes(html(TEMPLATE, _content(page)))
    except OSError as error:
        raise WorkError(
            f"the page could not be written to {target} ({error.strerror}); name another place "
            "with --output PATH"
        ) from error
    return target


def _content(page: MachinePage) -> dict[str, Any]:
    machine = page.machine
    panels = [(it.spec(), it.room) for it in _panels(page.histories)]
    return {
        "title": f"{machine.name}: {machine.processor or 'what is known of it'}",
        "origin": [
            figures.counted(machine.runs, "run"),
            f"{figures.date(machine.first_unix_ns)} to {figures.date(machine.newest_unix_ns)}",
        ],
        "interrupted": False,
        "doctor": None,
        "decision": None,
        "study": None,
        "plots": [],
        "facts": _glance(page),
        "about": facts(machine),
        "features": machine.features or [],
        "figures_title": figures_title(page),
        "histories": [_history(it) for it in page.histories],
        "alike": [
            [
                Cell(it.b),
                Cell(differs(it), it.factor, mark="number"),
                Cell(str(it.figures), it.figures, mark="number"),
                Cell(f"×{it.largest:.2f} {it.largest_of}"),
            ]
            for it in page.alike
        ],
        "untold": page.untold,
        "runs": [_run(it) for it in page.runs],
        "over_time": PLOT if panels else None,
        "panels": panels,
        "plot_data": plot_data({PLOT: panels} if panels else {}),
    }


def _glance(page: MachinePage) -> list[Fact]:
    moved = sum(it.moved for it in page.histories)
    several = sum(len(it.points) > 1 for it in page.histories)
    nearest = page.alike[0] if page.alike else None
    return [
        Fact("Runs", figures.grouped(page.machine.runs), f"newest {page.machine.newest}"),
        Fact(
            "Moved", str(moved), f"of {several} figures of several runs, by over 2 % and intervals"
        ),
        Fact(
            "Most like it",
            nearest.b if nearest else "none",
            f"{differs(nearest)} on {nearest.figures} figures" if nearest else "to compare with",
        ),
    ]


def _history(it: History) -> list[Cell]:
    first, last = it.points[0], it.points[-1]
    backend = "" if it.backend_asked == "default" else f"/{it.backend_asked}"
    return [
        Cell(it.algorithm),
        Cell(it.operation),
        Cell(f"{it.provider}{backend}", note=last.backend),
        _number(last.cycles_per_byte, last.converged),
        _number(first.cycles_per_byte, first.converged),
        Cell(str(len(it.points)), len(it.points), mark="number"),
        Cell(spread(it)),
        Cell(moved_by(it), abs(1 - it.ratio)),
    ]


def _number(value: float, converged: bool) -> Cell:
    text = figures.significant(value, separator=figures.NARROW_SPACE)
    if converged:
        return Cell(text, value, mark="number")
    return Cell(f"{UNSETTLED}{text}", value, mark="number unsettled")


def _run(it: Summary) -> list[Cell]:
    return [
        Cell(it.run),
        Cell(figures.date(it.started_unix_ns), it.started_unix_ns),
        Cell(it.plan_name),
        Cell(str(it.cases), it.cases, mark="number"),
        Cell(str(it.converged), it.converged, mark="number"),
        Cell(str(it.errors), it.errors, mark="number"),
    ]


def _panels(found: list[History]) -> list[Panel]:
    """A panel for each algorithm that several runs have, a line for each library."""
    by_algorithm: dict[str, list[History]] = {}
    for it in found:
        if len(it.points) > 1:
            by_algorithm.setdefault(f"{it.algorithm} {it.operation}", []).append(it)
    return [
        panel.lines_panel(
            f"over_time_{number}",
            title,
            [point for it in alike for point in _points(it)],
            alt.X("at:T", title=None),
            alt.Y("value:Q", title="cycles per byte", scale=alt.Scale(zero=True)),
            {"line": "library", "run": "run", "shown": "cycles per byte", "backend": "path"},
        )
        for number, (title, alike) in enumerate(by_algorithm.items())
    ]


def _points(it: History) -> Points:
    backend = "" if it.backend_asked == "default" else f"/{it.backend_asked}"
    return [
        {
            "line": f"{it.provider}{backend}",
            "order": place,
            "at": point.started_unix_ns // 10**6,
            "value": point.cycles_per_byte,
            "shown": figures.significant(point.cycles_per_byte),
            "run": point.run,
            "backend": point.backend,
        }
        for place, point in enumerate(it.points)
    ]
