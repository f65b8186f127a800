"""What stands above and below the table of a run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ciphermark import contract
from ciphermark.show.figures import wrapped
from ciphermark.show.machine import imported_line, machine_line, place_line, run_line
from ciphermark.show.problems import MARKS
from ciphermark.workload import workload_of

if TYPE_CHECKING:
    from ciphermark.record.run import Context
    from ciphermark.workload import AnyRows


def print_header(
    console: Console, hello: contract.Hello, doctor_line: str | None, plan_line: str
) -> None:
    """Says what is measured where, before the work begins."""
    facts = {"Machine": machine_line(hello), "Doctor": doctor_line or "", "Plan": plan_line}
    print_facts(console, facts)


def print_stored_header(console: Console, context: Context) -> None:
    """Says where and when a stored run was measured."""
    if context.hello is None:
        print_facts(console, {"Machine": imported_line(context), "Run": run_line(context)})
        return
    # The clock of this machine has no part in what a simulator counts.
    describe = place_line if workload_of(context.workload).simulated else machine_line
    print_facts(console, {"Machine": describe(context.hello), "Run": run_line(context)})


def print_rows(console: Console, context: Context, rows: AnyRows) -> None:
    """Prints the table of a run."""
    workload_of(context.workload).print_rows(console, context, rows)
    print_marks(console)


def print_marks(console: Console) -> None:
    """Prints the meanings of the marks in a line."""
    console.print(Text(MARKS, style="dim"))


def print_footer(
    console: Console, run_id: str, report_path: Path | None, next_lines: list[str]
) -> None:
    """Says what was kept, where to look at it, and what to type next.

    The path of the report is alone on its line, so that it can be clicked and cut out.
    """
    console.print()
    console.print(_labelled("Saved", f"run {run_id}"))
    if report_path is not None:
        console.print(_labelled("Report", ""))
        _print_whole(console, Text(str(report_path)))
    print_next(console, next_lines)


def print_next(console: Console, lines: Sequence[str]) -> None:
    """Says what to type next, each line whole, so that it can be cut out."""
    for number, line in enumerate(lines):
        _print_whole(console, _labelled("" if number else "Next", line))


def print_facts(console: Console, facts: dict[str, str]) -> None:
    """Prints the facts that there are, each after its label, and an empty line."""
    grid = Table.grid(padding=(0, 3))
    for label, text in facts.items():
        if text:
            grid.add_row(Text(label, style="bold"), Text(text))
    console.print(grid)
    console.print()


def print_labelled(console: Console, label: str, text: str) -> None:
    """Prints a sentence after its label, in line with those of the footer, wrapped below itself."""
    grid = Table.grid()
    grid.add_column(width=_LABEL)
    grid.add_column(overflow="fold")
    grid.add_row(Text(label, style="bold"), Text(wrapped(text, console.width - _LABEL)))
    console.print(grid)


_LABEL = 10
"""Columns of a label below a table."""


def _labelled(label: str, text: str) -> Text:
    labelled = Text.assemble((f"{label:<{_LABEL}}", "bold"), text)
    labelled.rstrip()
    return labelled


def _print_whole(console: Console, text: Text) -> None:
    """Prints on one line, however long: it is there to be copied."""
    console.print(text, no_wrap=True, overflow="ignore", crop=False)


def print_notes(console: Console, notes: Iterable[str], style: str = "dim") -> None:
    """Prints each after a dot, wrapped below its own beginning."""
    grid = Table.grid(padding=(0, 1))
    for note in notes:
        grid.add_row(Text("·", style=style), Text(wrapped(note, console.width - 2), style=style))
    if grid.row_count:
        console.print(grid)


def print_sentences(
    console: Console, sentences: Iterable[str], style: str = "", indent: int = 2
) -> None:
    """Prints each after so many blanks, wrapped below its own beginning."""
    for sentence in sentences:
        text = Text(wrapped(sentence, console.width - indent), style=style)
        console.print(Padding(text, (0, 0, 0, indent)))
