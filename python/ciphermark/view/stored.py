"""Stored runs as a list."""

from __future__ import annotations

from ciphermark.record.run import Summary
from ciphermark.view import figures
from ciphermark.view.blocks import Block, Notes, Table
from ciphermark.view.column import Cell, Column, of_text, of_words
from ciphermark.workload import workload_of


def runs(stored: list[Summary]) -> list[Block]:
    """Returns stored runs; the date is part of their names too."""
    if not stored:
        return [Notes.of(["No runs are stored here; ciphermark survey makes the first."])]
    columns: list[Column[Summary]] = [
        of_words("run", lambda it: it.run),
        of_words("started", lambda it: figures.date(it.started_unix_ns), dispensable=4),
        of_words("machine", lambda it: it.machine_name, wraps=True),
        of_words("plan", lambda it: it.plan_name),
        of_words("", lambda it: Cell("interrupted" * it.interrupted, mark="unsettled")),
        of_text("settled", _settled),
        of_text(
            "errors", lambda it: Cell(figures.grouped(it.errors), mark="failed" * bool(it.errors))
        ),
    ]
    return [Table(columns=columns, rows=stored)]


def _errors(run: Summary) -> Cell:
    return Cell(figures.grouped(run.errors), mark="failed" if run.errors else "")


def _settled(run: Summary) -> str:
    """Returns the settled cases of all; of kinds that do not settle only how many there are."""
    settles = workload_of(run.workload).settles
    return f"{run.converged}/{run.cases}" if settles else str(run.cases)
