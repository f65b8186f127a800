"""What stands above and below the table of a run."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ciphermark.record import contract
from ciphermark.show.machine import machine_line


def print_header(
    console: Console, hello: contract.Hello, doctor_line: str | None, plan_line: str
) -> None:
    """Says what is measured where, before the work begins."""
    labelled = {"Machine": machine_line(hello), "Doctor": doctor_line, "Plan": plan_line}
    grid = Table.grid(padding=(0, 3))
    for label, text in labelled.items():
        if text:
            grid.add_row(Text(label, style="bold"), Text(text))
    console.print(grid)
    console.print()


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
    for number, line in enumerate(next_lines):
        _print_whole(console, _labelled("" if number else "Next", line))


def _labelled(label: str, text: str) -> Text:
    return Text.assemble((f"{label:<10}", "bold"), text)


def _print_whole(console: Console, text: Text) -> None:
    """Prints on one line, however long: it is there to be copied."""
    console.print(text, no_wrap=True, overflow="ignore", crop=False)
