"""Parts above and below the table of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from ciphermark import contract
from ciphermark.view.blocks import Block, Facts, Notes
from ciphermark.view.column import Place
from ciphermark.view.machine import imported_line, machine_line, place_line, run_line
from ciphermark.view.problems import MARKS
from ciphermark.workload import workload_of

if TYPE_CHECKING:
    from ciphermark.record.run import Context
    from ciphermark.workload import AnyRows


MARKS_BELOW = Notes.of([MARKS], style="dim", places=Place.TERMINAL)
"""Meanings of the marks, below the table of a run."""


def header(hello: contract.Hello, doctor_line: str, plan_line: str) -> Facts:
    """Returns the machine and the plan, for a screen that begins before the work."""
    return Facts.of({"Machine": machine_line(hello), "Doctor": doctor_line, "Plan": plan_line})


def stored_header(context: Context) -> Facts:
    """Returns where and when a stored run was measured."""
    if context.hello is None:
        machine = imported_line(context)
    else:
        # A simulator's counts do not depend on the clock of this machine.
        simulated = workload_of(context.workload).simulated
        machine = (place_line if simulated else machine_line)(context.hello)
    return Facts.of({"Machine": machine, "Run": run_line(context)})


def row_blocks(context: Context, rows: AnyRows) -> Iterator[Block]:
    """Yields the blocks of a run's screen, and the marks."""
    yield from workload_of(context.workload).blocks(context, rows, None)
    yield MARKS_BELOW


def print_footer(
    console: Console, run_id: str, report_path: Path | None, next_lines: list[str]
) -> None:
    """Prints the run's name, the path of its report, and the next commands.

    The path is alone on its line, so that it can be clicked and copied.
    """
    console.print()
    console.print(_labelled("Saved", f"run {run_id}"))
    if report_path is not None:
        console.print(_labelled("Report", ""))
        _print_whole(console, Text(str(report_path)))
    print_next(console, next_lines)


def print_next(console: Console, lines: Sequence[str]) -> None:
    """Prints the next commands, each whole on its line, so that it can be copied."""
    for number, line in enumerate(lines):
        _print_whole(console, _labelled("" if number else "Next", line))


_LABEL = 10
"""Columns of a label below a table."""


def _labelled(label: str, text: str) -> Text:
    labelled = Text.assemble((f"{label:<{_LABEL}}", "bold"), text)
    labelled.rstrip()
    return labelled


def _print_whole(console: Console, text: Text) -> None:
    """Prints on one line, however long, so that it can be copied."""
    console.print(text, no_wrap=True, overflow="ignore", crop=False)
