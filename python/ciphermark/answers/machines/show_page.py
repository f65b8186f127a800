"""The page of one machine on a terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from ciphermark.answers.machines.history import History
from ciphermark.answers.machines.likeness import Likeness
from ciphermark.answers.machines.machine import MachineSummary
from ciphermark.answers.machines.page import MachinePage
from ciphermark.answers.machines.show import cores, system
from ciphermark.record.run import Summary
from ciphermark.show import figures
from ciphermark.show.columns import Column, Columns
from ciphermark.show.problems import UNSETTLED
from ciphermark.show.stored import runs as listed_runs

SHOWN = 12
"""Runs and machines of which a line is shown; --json has all."""


def render(page: MachinePage) -> RenderableType:
    """What it is, its runs, its figures and how they moved, and machines like it."""
    parts: list[RenderableType] = [
        *(
            Text.assemble((f"{name:<12}", "bold"), text)
            for name, text in facts(page.machine).items()
        ),
        Text(),
        Text(f"Runs ({figures.grouped(len(page.runs))}, the newest first)", "bold"),
        _runs(page.runs),
    ]
    if page.histories and page.message_bytes is not None:
        parts += [Text(), Text(figures_title(page), "bold"), _histories(page.histories)]
    parts += [Text(), Text("Machines like it", "bold"), *_alike(page)]
    return Group(*parts)


def facts(it: MachineSummary) -> dict[str, str]:
    """What is known of a machine, by name."""
    found = {
        "Machine": it.name,
        "Processor": it.processor,
        "Cores": cores(it),
        "System": system(it),
        "Runs on": " · ".join(filter(None, (it.operating_system, it.kernel))),
        "Identity": it.machine_id,
        "Kind": it.machine_kind,
    }
    return {name: text for name, text in found.items() if text}


def figures_title(page: MachinePage) -> str:
    """The heading of the figures."""
    if page.message_bytes is None:
        return "No figures of one thread are stored of it"
    return f"Cycles per byte at {figures.message_size(page.message_bytes)}, first and newest"


def moved_by(it: History) -> str:
    """How a figure moved, where it did: `×1.12, another code path`."""
    said = [f"×{it.ratio:.2f}"] if it.moved else []
    if it.path_changed:
        said.append(f"{it.points[0].backend} → {it.points[-1].backend}")
    return ", ".join(said)


def spread(it: History) -> str:
    """The lowest and the highest figure of several runs."""
    values = [point.cycles_per_byte for point in it.points]
    if len(values) == 1:
        return ""
    return f"{figures.significant(min(values))} to {figures.significant(max(values))}"


def differs(it: Likeness) -> str:
    """How far two machines are from each other: `1.3 %`."""
    return "" if it.factor is None else figures.percent(it.factor - 1)


def _runs(runs: list[Summary]) -> RenderableType:
    older = len(runs) - SHOWN
    note = [Text(f"and {figures.grouped(older)} older ones: --json", "dim")] if older > 0 else []
    return Group(listed_runs(runs[:SHOWN]), *note)


def _histories(found: list[History]) -> RenderableType:
    columns = [
        Column[History]("algorithm", lambda it: it.algorithm),
        Column("provider", _provider),
        Column("newest", lambda it: _figure(it, -1), "right"),
        Column("first", lambda it: _figure(it, 0), "right"),
        Column("runs", lambda it: str(len(it.points)), "right"),
        Column("between", spread, from_width=100),
        Column("moved", lambda it: Text(moved_by(it), "yellow" if it.moved else "")),
    ]
    return Columns(columns, found)


def _provider(it: History) -> str:
    return it.provider if it.backend_asked == "default" else f"{it.provider}/{it.backend_asked}"


def _figure(it: History, place: int) -> str:
    point = it.points[place]
    mark = "" if point.converged else UNSETTLED
    return f"{mark}{figures.significant(point.cycles_per_byte)}"


def _alike(page: MachinePage) -> list[RenderableType]:
    untold = (
        [Text(f"Too few figures in common: {figures.counted(page.untold, 'machine')}", "dim")]
        if page.untold
        else []
    )
    if not page.alike:
        return [Text("None can be compared with it."), *untold]
    columns = [
        Column[Likeness]("machine", lambda it: it.b),
        Column("differs by", differs, "right"),
        Column("figures", lambda it: str(it.figures), "right"),
        Column("most in", lambda it: f"×{it.largest:.2f} {it.largest_of}", wraps=True),
    ]
    return [Columns(columns, page.alike[:SHOWN]), *untold]
