"""A table that leaves out what matters least where the terminal is narrow."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

Thing = TypeVar("Thing")


@dataclass(frozen=True)
class Column(Generic[Thing]):
    """One column of a list of things."""

    heading: str
    cell: Callable[[Thing], str | Text]
    justify: Literal["left", "right"] = "left"
    wraps: bool = False
    """Whether its text may be broken over lines."""
    from_width: int = 0
    """Columns that a terminal must have for it to be shown."""


class Columns(Generic[Thing]):
    """A line for each thing, as many columns as there is room for, and the names of the others."""

    def __init__(self, columns: list[Column[Thing]], things: Iterable[Thing]) -> None:
        self._columns = columns
        self._things = list(things)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        shown = [column for column in self._columns if column.from_width <= options.max_width]
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
        for column in shown:
            # What wraps is there to be read whole: a long path is broken, and never cut.
            whole = {"overflow": "fold"} if column.wraps else {"no_wrap": True}
            table.add_column(column.heading, justify=column.justify, **whole)
        for thing in self._things:
            table.add_row(*(column.cell(thing) for column in shown))
        yield table
        left_out = [column.heading for column in self._columns if column not in shown]
        if left_out:
            note = f"Left out at {options.max_width} columns: {', '.join(left_out)}"
            yield Text(note, style="dim")
