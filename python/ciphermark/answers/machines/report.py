"""The page of one machine as a document."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

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
from ciphermark.errors import UsageError, WorkError
from ciphermark.files.atomic import replaced_file
from ciphermark.record.run import Summary
from ciphermark.view import figures
from ciphermark.view.blocks import Block, Chart, Facts, Notes, Section, Table
from ciphermark.view.column import Column, Fact, count, of_text, of_words
from ciphermark.view.page import Document, html
from ciphermark.view.plots import panel
from ciphermark.view.plots.panel import Panel, Points
from ciphermark.view.plots.vegalite import field
from ciphermark.view.problems import UNSETTLED


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
            partial.write_bytes(html(document(page, lambda run: {})))
    except OSError as error:
        raise WorkError(
            f"the page could not be written to {target} ({error.strerror}); name another place "
            "with --output PATH"
        ) from error
    return target


def document(page: MachinePage, versions: Versions) -> Document:
    """Returns the page; `versions` are those of the libraries of a run."""
    machine = page.machine
    title = f"{machine.name}: {machine.processor or 'what is known of it'}"
    origin = [
        figures.counted(machine.runs, "run"),
        f"{figures.date(machine.first_unix_ns)} to {figures.date(machine.newest_unix_ns)}",
    ]
    moved = sum(it.moved for it in page.histories)
    several = sum(len(it.points) > 1 for it in page.histories)
    said = f"of {several} figures of several runs, by over 2 % and intervals"
    glance = [
        Fact("Runs", figures.grouped(machine.runs), f"newest {machine.newest}"),
        Fact("Moved", str(moved), said),
    ]
    return Document(title, origin, list(_blocks(page, versions)), title, Facts(facts=glance))


class Moments(NamedTuple):
    """Events of one figure over the runs."""

    history: History
    changes: list[Change]
    releases: list[Release]


def _blocks(page: MachinePage, versions: Versions) -> Iterator[Block]:
    moments = [
        Moments(history, changes(history), releases(history.points, history.provider, versions))
        for history in page.histories
    ]
    yield Section(
        title=figures_title(page),
        anchor="figures",
        about="Each implementation by its first and its newest run. A figure has moved when both "
        "intervals have nothing in common and it differs by over 2 %; another version of a "
        "library or another code path may be why. Click a heading to sort.",
        blocks=[
            Table(
                columns=HISTORY,
                rows=page.histories,
                section=lambda it: f"{it.algorithm} {it.operation}",
                filter="aes",
            )
        ],
    )
    yield Chart.of(
        "over-time",
        "How the figures moved",
        "Cycles per byte over the time of the runs, a line for each library that several runs "
        "have.",
        _panels(moments),
        "Click a name in the legend to bring out its line.",
    )
    if any(len(history.points) >= FEWEST_POINTS for history in page.histories):
        yield _changes(moments)
    yield Section(title="Its runs", anchor="runs", blocks=[Table(columns=RUN, rows=page.runs)])
    features = [" ".join(page.machine.features)] if page.machine.features else []
    yield Section(
        title="What it is",
        blocks=[Facts.of(facts(page.machine)), Notes.of(features, title="CPU features")],
        folded=True,
    )


def _changes(moments: list[Moments]) -> Section:
    rows = [(moment, change) for moment in moments for change in moment.changes]
    none = "No figure stays on another level by over 2 % and more than its interval."
    return Section(
        title="When they changed for good",
        anchor="changes",
        about="From this run on the cost stays on another level: the ratio of the median cost "
        "after it and before it, with the 95 % interval, and the runs on both sides."
        if rows
        else "",
        blocks=[Notes.of([] if rows else [none]), Table(columns=CHANGE, rows=rows)],
    )


def _library(it: History) -> str:
    backend = "" if it.backend_asked == "default" else f"/{it.backend_asked}"
    return f"{it.provider}{backend}"


def _cost(heading: str, place: int) -> Column[History]:
    return Column(
        heading,
        lambda it: it.points[place].cycles_per_byte,
        mark=lambda it: "" if it.points[place].converged else UNSETTLED,
    )


HISTORY: list[Column[History]] = [
    of_words("Algorithm", lambda it: it.algorithm),
    of_words("Operation", lambda it: it.operation),
    of_words("Library", _library, note=lambda it: it.points[-1].backend),
    _cost("Newest", -1),
    _cost("First", 0),
    Column("Runs", lambda it: len(it.points), form=count),
    of_words("Between", spread),
    of_words("Moved", moved_by, order=lambda it: abs(1 - it.ratio)),
]

RUN: list[Column[Summary]] = [
    of_words("Run", lambda it: it.run),
    of_words("Started", lambda it: figures.date(it.started_unix_ns)),
    of_words("Plan", lambda it: it.plan_name),
    Column("Cases", lambda it: it.cases, form=count),
    Column("Converged", lambda it: it.converged, form=count),
    Column("Errors", lambda it: it.errors, form=count),
]


def _release(found: tuple[Moments, Change]) -> str:
    """Returns the release that came with a change."""
    moment, change = found
    at_once = next((it for it in moment.releases if it.run == change.run), None)
    if at_once is None:
        return ""
    return f"{moment.history.provider} {at_once.was} → {at_once.version}"


def _interval(found: tuple[Moments, Change]) -> str:
    interval = found[1].ratio.interval
    assert interval is not None
    return f"{interval[0]:.3f} to {interval[1]:.3f}"


CHANGE: list[Column[tuple[Moments, Change]]] = [
    of_words("Algorithm", lambda it: it[0].history.algorithm),
    of_words("Operation", lambda it: it[0].history.operation),
    of_words("Library", lambda it: _library(it[0].history)),
    of_words("From", lambda it: figures.date(it[1].started_unix_ns)),
    of_words("Run", lambda it: it[1].run),
    Column("Ratio", lambda it: it[1].ratio.value, form=lambda value, separator: f"×{value:.3f}"),
    of_words("95 % interval", _interval, kind="interval"),
    of_text("Runs", lambda it: f"{it[1].before}, {it[1].after}"),
    of_words("Released with it", _release),
]


def _panels(moments: list[Moments]) -> list[Panel]:
    """Returns a panel for each algorithm of several runs, with lines for libraries.

    An upright line is where a library was released or a figure changed.
    """
    by_algorithm: dict[str, list[Moments]] = {}
    for moment in moments:
        if len(moment.history.points) > 1:
            name = f"{moment.history.algorithm} {moment.history.operation}"
            by_algorithm.setdefault(name, []).append(moment)
    return [
        panel.lines_panel(
            f"over_time_{number}",
            title,
            [point for moment in alike for point in _points(moment.history)],
            field("at:T", title=None),
            field("value:Q", title="cycles per byte", scale={"zero": True}),
            {"line": "library", "run": "run", "shown": "cycles per byte", "backend": "path"},
            [rule for moment in alike for rule in _rules(moment)],
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
