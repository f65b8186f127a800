"""The page of one machine as one HTML file that needs nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from ciphermark.answers.machines.changes import (
    FEWEST_POINTS,
    Change,
    Release,
    Versions,
    changes,
    releases,
)
from ciphermark.answers.machines.page import History, MachinePage
from ciphermark.answers.machines.show import facts, figures_title, moved_by, spread
from ciphermark.command import report
from ciphermark.errors import UsageError, WorkError
from ciphermark.files.atomic import replaced_file
from ciphermark.record.run import Summary
from ciphermark.show import figures
from ciphermark.show.column import Cell, Fact
from ciphermark.show.plots import panel
from ciphermark.show.plots.panel import Panel, Points
from ciphermark.show.plots.vegalite import field
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
            moments = _moments(page.histories, lambda run: {})
            panels = _drawn(page, moments)
            data = report.plot_data({PLOT: panels} if panels else {})
            content = _content(page, panels, moments) | {"plot_data": data}
            partial.write_bytes(report.html(TEMPLATE, content))
    except OSError as error:
        raise WorkError(
            f"the page could not be written to {target} ({error.strerror}); name another place "
            "with --output PATH"
        ) from error
    return target


def as_part(page: MachinePage, versions: Versions) -> report.Part:
    """Returns the page as a part of another; `versions` are those of the libraries of a run."""
    moments = _moments(page.histories, versions)
    panels = _drawn(page, moments)
    return report.part(TEMPLATE, _content(page, panels, moments), {PLOT: panels} if panels else {})


class Moments(NamedTuple):
    """What happened to one figure over the runs."""

    history: History
    changes: list[Change]
    releases: list[Release]


def _moments(histories: list[History], versions: Versions) -> list[Moments]:
    return [
        Moments(history, changes(history), releases(history.points, history.provider, versions))
        for history in histories
    ]


def _drawn(page: MachinePage, moments: list[Moments]) -> report.Panels:
    return [(drawn.spec(), drawn.room) for drawn in _panels(page.histories, moments)]


def _content(page: MachinePage, panels: report.Panels, moments: list[Moments]) -> dict[str, Any]:
    machine = page.machine
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
        "changes": [
            _change(moment.history, change, moment.releases)
            for moment in moments
            for change in moment.changes
        ],
        "looked_for_changes": any(
            len(history.points) >= FEWEST_POINTS for history in page.histories
        ),
        "runs": [_run(it) for it in page.runs],
        "over_time": PLOT if panels else None,
        "panels": panels,
    }


def _glance(page: MachinePage) -> list[Fact]:
    moved = sum(it.moved for it in page.histories)
    several = sum(len(it.points) > 1 for it in page.histories)
    return [
        Fact("Runs", figures.grouped(page.machine.runs), f"newest {page.machine.newest}"),
        Fact(
            "Moved", str(moved), f"of {several} figures of several runs, by over 2 % and intervals"
        ),
    ]


def _history(it: History) -> list[Cell]:
    first, last = it.points[0], it.points[-1]
    return [
        Cell(it.algorithm),
        Cell(it.operation),
        Cell(_library(it), note=last.backend),
        _number(last.cycles_per_byte, last.converged),
        _number(first.cycles_per_byte, first.converged),
        Cell(str(len(it.points)), len(it.points), mark="number"),
        Cell(spread(it)),
        Cell(moved_by(it), abs(1 - it.ratio)),
    ]


def _change(history: History, change: Change, known: list[Release]) -> list[Cell]:
    """A line of the table of changes; beside it the release that came with it."""
    interval = change.ratio.interval
    assert interval is not None
    at_once = next((it for it in known if it.run == change.run), None)
    release = "" if at_once is None else f"{history.provider} {at_once.was} → {at_once.version}"
    return [
        Cell(history.algorithm),
        Cell(history.operation),
        Cell(_library(history)),
        Cell(figures.date(change.started_unix_ns), change.started_unix_ns),
        Cell(change.run),
        Cell(f"×{change.ratio.value:.3f}", change.ratio.value, mark="number"),
        Cell(f"{interval[0]:.3f} to {interval[1]:.3f}", mark="number"),
        Cell(f"{change.before}, {change.after}", mark="number"),
        Cell(release),
    ]


def _library(history: History) -> str:
    backend = "" if history.backend_asked == "default" else f"/{history.backend_asked}"
    return f"{history.provider}{backend}"


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


def _panels(histories: list[History], moments: list[Moments]) -> list[Panel]:
    """A panel for each algorithm that several runs have, a line for each library, and an upright
    one where a library was released or a figure changed."""
    by_algorithm: dict[str, list[History]] = {}
    for history in histories:
        if len(history.points) > 1:
            name = f"{history.algorithm} {history.operation}"
            by_algorithm.setdefault(name, []).append(history)
    of_history = {id(moment.history): moment for moment in moments}
    return [
        panel.lines_panel(
            f"over_time_{number}",
            title,
            [point for history in alike for point in _points(history)],
            field("at:T", title=None),
            field("value:Q", title="cycles per byte", scale={"zero": True}),
            {"line": "library", "run": "run", "shown": "cycles per byte", "backend": "path"},
            [rule for history in alike for rule in _rules(of_history[id(history)])],
        )
        for number, (title, alike) in enumerate(by_algorithm.items())
    ]


def _rules(moment: Moments) -> Points:
    library = _library(moment.history)
    said = [
        (it.started_unix_ns, f"{library} {it.was} → {it.version}") for it in moment.releases
    ] + [(it.started_unix_ns, f"{library}: ×{it.ratio.value:.3f}") for it in moment.changes]
    return [{"at": at // 10**6, "said": text} for at, text in said]


def _points(history: History) -> Points:
    return [
        {
            "line": _library(history),
            "order": place,
            "at": point.started_unix_ns // 10**6,
            "value": point.cycles_per_byte,
            "shown": figures.significant(point.cycles_per_byte),
            "run": point.run,
            "backend": point.backend,
        }
        for place, point in enumerate(history.points)
    ]
