"""Stored runs as a list, and how the status of an algorithm is coloured."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from ciphermark import contract
from ciphermark.record.run import Summary
from ciphermark.show import figures
from ciphermark.show.tables import Columns, ListColumn
from ciphermark.workload import workload_of

STATUS_STYLES: dict[contract.Status, str] = {
    "broken": "red",
    "legacy": "yellow",
    "acceptable": "",
    "recommended": "green",
}
"""Colour only guides the eye: the status stands there as a word too."""


def runs(stored: list[Summary]) -> RenderableType:
    """Stored runs; the date is part of their names too."""
    if not stored:
        return Text("No runs are stored here; ciphermark survey makes the first.")
    columns = [
        ListColumn[Summary]("run", lambda it: it.run),
        ListColumn("started", lambda it: figures.date(it.started_unix_ns), from_width=110),
        ListColumn("machine", lambda it: it.machine_name, wraps=True),
        ListColumn("plan", _plan),
        ListColumn("settled", _settled, "right"),
        ListColumn("errors", _errors, "right"),
    ]
    return Columns(columns, stored)


def _plan(run: Summary) -> Text:
    return Text.assemble(run.plan_name, (" interrupted" if run.interrupted else "", "yellow"))


def _settled(run: Summary) -> str:
    """Of simulated and imported ones only how many there are: nothing says whether they settled."""
    settles = workload_of(run.workload).settles
    return f"{run.converged}/{run.cases}" if settles else str(run.cases)


def _errors(run: Summary) -> Text:
    return Text(figures.grouped(run.errors), "red" if run.errors else "")
