"""What `ciphermark list` prints."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ciphermark.record import contract
from ciphermark.record.run import Summary
from ciphermark.show import figures
from ciphermark.show.columns import Column, Columns
from ciphermark.show.sections import KINDS
from ciphermark.studies.registry import Summary as StudySummary

STATUS_STYLES: dict[contract.Status, str] = {
    "broken": "red",
    "legacy": "yellow",
    "acceptable": "",
    "recommended": "green",
}
"""Colour only guides the eye: the status stands there as a word too."""


def algorithms(facts: list[contract.Algorithm]) -> RenderableType:
    """Algorithms by kind, with what they are good for."""
    columns = [
        Column[contract.Algorithm]("algorithm", lambda it: it.name),
        Column("title", lambda it: it.title, from_width=100),
        Column("kind", lambda it: it.kind),
        Column("status", lambda it: Text(it.status, STATUS_STYLES[it.status])),
        Column("bits", lambda it: str(it.strength_bits), "right"),
        Column("against", lambda it: it.strength_kind, from_width=100),
        Column("standard", lambda it: it.standard, wraps=True),
    ]
    order = list(KINDS)
    return Columns(columns, sorted(facts, key=lambda it: (order.index(it.kind), it.name)))


def providers(libraries: list[contract.Provider]) -> RenderableType:
    """Libraries; those that cannot be used with the reason and what to type."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    for column in ("provider", "state"):
        grid.add_column(column, no_wrap=True)
    grid.add_column("library")
    for it in libraries:
        state = Text("usable", "green") if it.usable else Text("not usable", "red")
        grid.add_row(Text(it.name, "bold"), state, _library(it))
    return grid


def _library(provider: contract.Provider) -> RenderableType:
    notice = [Text(provider.notice, style="yellow")] if provider.notice else []
    if not provider.usable:
        return Group(Text(provider.reason), *notice)
    name = Text(f"{provider.title} {provider.version}")
    return Group(name, Text(provider.location, style="dim"), *notice)


def studies(found: list[StudySummary]) -> RenderableType:
    """Published studies, each with its source and the command that runs it."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    for it in found:
        grid.add_row(
            Text(it.study, "bold"),
            Group(
                Text(it.title),
                Text(it.source or "", style="dim"),
                Text(f"ciphermark study {it.study}", style="cyan"),
            ),
        )
    return grid


def runs(stored: list[Summary]) -> RenderableType:
    """Stored runs; the date is part of their names too."""
    if not stored:
        return Text("No runs are stored here; ciphermark survey makes the first.")
    columns = [
        Column[Summary]("run", lambda it: it.run),
        Column("started", lambda it: figures.date(it.started_unix_ns), from_width=100),
        Column("machine", lambda it: it.machine_name, wraps=True),
        Column("plan", lambda it: it.plan_name),
        Column("converged", lambda it: f"{it.converged}/{it.cases}", "right"),
        Column("errors", _errors, "right"),
        Column("", lambda it: Text("interrupted" if it.interrupted else "", "yellow")),
    ]
    return Columns(columns, stored)


def _errors(run: Summary) -> Text:
    return Text(figures.grouped(run.errors), "red" if run.errors else "")
