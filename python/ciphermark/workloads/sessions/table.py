"""The figures of many sessions on a terminal, as many columns as it is wide."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ciphermark.show import figures
from ciphermark.show.column import printed
from ciphermark.show.fitting import print_groups, print_left_out
from ciphermark.show.problems import UNSETTLED, print_failures
from ciphermark.workloads.sessions import remarks as session_words
from ciphermark.workloads.sessions.columns import columns
from ciphermark.workloads.sessions.row import SessionRow

NAMED = 3
"""Cases with rejected attempts that are named; the report names all."""


def print_sessions(console: Console, rows: list[SessionRow]) -> None:
    """Prints the table of a run, what failed, what was rejected, and what the marks mean."""
    measured = [row for row in rows if row.is_measured]
    left_out = print_groups(
        console, printed(columns(measured), measured), list(_groups(measured).items())
    )
    print_failures(console, rows)
    _print_legend(console, rows)
    _print_rejected(console, rows)
    print_left_out(console, left_out)


def _groups(rows: list[SessionRow]) -> dict[str, list[SessionRow]]:
    """Rows by what runs, in the order of the plan."""
    grouped: dict[str, list[SessionRow]] = {}
    for row in rows:
        backend = "" if row.backend == "default" else f" · {row.backend}"
        title = f"{row.algorithm} {row.operation}   {row.provider}{backend}"
        grouped.setdefault(title, []).append(row)
    return grouped


def _print_legend(console: Console, rows: list[SessionRow]) -> None:
    legend = Table.grid(padding=(0, 1))
    for mark, meaning in _legend(rows):
        legend.add_row(Text(mark, style="dim"), Text(meaning, style="dim"))
    if legend.row_count:
        console.print()
        console.print(legend)


def _legend(rows: list[SessionRow]) -> list[tuple[str, str]]:
    """The marks that occur, and what one must know, each with what it means."""
    measured = [row for row in rows if row.is_measured]
    invalid = [row for row in measured if not row.valid]
    found = []
    if invalid:
        count = f"{len(invalid)} of {figures.counted(len(measured), 'case')}"
        verb = "is" if len(invalid) == 1 else "are"
        found.append((UNSETTLED, f"{count} {verb} not valid; the reasons are below"))
    return [*found, *session_words.remarks(rows)]


def _print_rejected(console: Console, rows: list[SessionRow]) -> None:
    """The attempts that do not count, with their reasons; those without a valid one first."""
    troubled = [row for row in rows if session_words.rejected(row)]
    troubled.sort(key=lambda row: row.valid)
    for row in troubled[:NAMED]:
        console.print()
        outcome = f"{session_words.case(row)}: {session_words.outcome(row)}"
        console.print(Text(outcome, style="" if row.valid else "yellow"))
        for line in session_words.rejected_together(row):
            console.print(Padding(Text(line, style="dim"), (0, 0, 0, 2)))
    if rest := len(troubled) - NAMED:
        if rest > 0:
            more = f"and {figures.counted(rest, 'case')} more with rejected attempts, in the report"
            console.print(Text(more, style="dim"))
