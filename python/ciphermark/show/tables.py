"""Tables for a terminal, without what matters least where it is narrow: of figures in groups, and
of lists of names, whose texts may be broken over lines; figures may not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from ciphermark.show.figures import wrapped
from ciphermark.show.terminal import visible_text

GAP = 2
"""Blank columns between two columns of the table."""

BELOW = 4
"""Blank columns before a text below its row."""

MOST_BROKEN = 16
"""Columns that a text is broken down to where others need the room."""

Thing = TypeVar("Thing")

Widths = dict["Column[Thing]", int]

Groups = list[tuple[str, list[Thing]]]
"""Titles, each with what has a line under it."""


@dataclass(frozen=True)
class Column(Generic[Thing]):
    """One column: its heading, its cell for a line, and how soon it makes room for others."""

    heading: str
    """One line, or two with the break in it."""
    cell: Callable[[Thing], Text]
    dispensable: int = 0
    """The highest goes first when the terminal is narrow; 0 never goes."""
    called: str = ""
    """What it is called when it had to go; its heading unless given."""
    left: bool = False
    key: bool = False
    """True if it distinguishes rows: it never goes while they differ in it."""
    below: bool = False
    """True if its text is below its row where the table would be too wide beside it."""
    group: str = ""
    """Heading above it and its neighbours, printed once."""

    def placed(self, text: Text, width: int) -> Text:
        """The text with blanks to fill the width."""
        missing = width - text.cell_len
        if self.left:
            text.pad_right(missing)
        else:
            text.pad_left(missing)
        return text


def print_groups(
    console: Console, columns: list[Column[Thing]], groups: Groups[Thing]
) -> list[Column[Thing]]:
    """Prints the table, and returns the columns that had to go."""
    shown = [thing for _, things in groups for thing in things]
    beside, below = fitting(columns, shown, console.width)
    for text in _lines(
        beside, below, _widths(beside, _contents(beside, shown)), groups, console.width
    ):
        # A table that is still too wide is cut by the terminal, where the user can widen it.
        console.print(text, no_wrap=True, overflow="ignore", crop=False)
    return [column for column in columns if column not in (*beside, *below)]


def fits(columns: list[Column[Thing]], shown: Iterable[Thing], width: int) -> bool:
    """Whether all columns have room in so many."""
    return _total(_widths(columns, _contents(columns, list(shown)))) <= width


def _headings(columns: list[Column[Thing]]) -> list[tuple[str, str]]:
    """The two lines above each column; that of a group is above its first column."""
    found, previous = [], ""
    for column in columns:
        above, _, head = column.heading.rpartition("\n")
        found.append((column.group if column.group != previous else above, head))
        previous = column.group
    return found


def _contents(columns: list[Column[Thing]], shown: list[Thing]) -> Widths[Thing]:
    """Returns the width of the widest cell of each column."""
    return {
        column: max((column.cell(thing).cell_len for thing in shown), default=0)
        for column in columns
    }


def _widths(columns: list[Column[Thing]], contents: Widths[Thing]) -> list[int]:
    headings = zip(columns, _headings(columns), strict=True)
    return [max(contents[column], *map(cell_len, lines)) for column, lines in headings]


def _total(widths: list[int]) -> int:
    return sum(width + GAP for width in widths) - GAP


def print_left_out(console: Console, columns: list[Column[Thing]]) -> None:
    """Names the columns that had to go; nothing where none had to."""
    if columns:
        named = ", ".join(dict.fromkeys(column.called or column.heading for column in columns))
        note = f"Left out at {console.width} columns: {named}"
        console.print(Text(note.replace("\n", " "), style="dim"))


def fitting(
    columns: list[Column[Thing]], shown: list[Thing], width: int
) -> tuple[list[Column[Thing]], list[Column[Thing]]]:
    """Returns the columns in the table, and those below its rows, at this width.

    The least needed go first. Keys in which rows differ never go, but may be below the rows.
    """

    def is_needed(column: Column[Thing]) -> bool:
        differs = len({column.cell(thing).plain for thing in shown}) > 1
        return not column.dispensable or (column.key and differs)

    beside, below = columns, list[Column[Thing]]()
    contents = _contents(columns, shown)
    while _total(_widths(beside, contents)) > width:
        wide = [it for it in beside if it.below and is_needed(it) and contents[it] > MOST_BROKEN]
        free = [column.dispensable for column in beside if not is_needed(column)]
        if wide:
            below = wide
            beside = [column for column in beside if column not in wide]
        elif free:
            beside = [it for it in beside if is_needed(it) or it.dispensable != max(free)]
        else:
            break
    return beside, below


def _lines(
    columns: list[Column[Thing]],
    below: list[Column[Thing]],
    widths: list[int],
    groups: Groups[Thing],
    width: int,
) -> Iterator[Text]:
    """The lines of the table: headings, then each group under its title."""

    def joined(cells: list[Text]) -> Text:
        placed = [
            column.placed(cell, wide)
            for column, cell, wide in zip(columns, cells, widths, strict=True)
        ]
        text = Text(" " * GAP).join(placed)
        text.rstrip()
        return text

    headings = _headings(columns)
    for part in (0, 1) if any(above for above, _ in headings) else (1,):
        text = joined([Text(heading[part]) for heading in headings])
        text.stylize("dim")
        yield text
    for title, things in groups:
        if title:
            yield Text(title, style="bold")
        previous = None
        for thing in things:
            cells = [column.cell(thing) for column in columns]
            name = cells[0].plain
            if name == previous:
                # Still there to be searched for, but out of the way of the eye.
                cells[0].stylize("dim")
            previous = name
            yield joined(cells)
            for column in below:
                text = column.cell(thing)
                for line in wrapped(text.plain, width - BELOW).splitlines():
                    yield Text(" " * BELOW + line, style=text.style)


@dataclass(frozen=True)
class ListColumn(Generic[Thing]):
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

    def __init__(self, columns: list[ListColumn[Thing]], things: Iterable[Thing]) -> None:
        self._columns = columns
        self._things = list(things)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        shown = [column for column in self._columns if column.from_width <= options.max_width]
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
        widths = {column.heading: self._width(column) for column in shown}
        # Where texts that wrap can make room, all others are whole.
        least = sum(MOST_BROKEN if it.wraps else widths[it.heading] for it in shown)
        has_room = least + 2 * len(shown) <= options.max_width
        for column in shown:
            # What wraps is there to be read whole: a long path is broken, and never cut.
            whole = {"overflow": "fold"} if column.wraps else {"no_wrap": True}
            width = None if column.wraps or not has_room else widths[column.heading]
            table.add_column(column.heading, justify=column.justify, min_width=width, **whole)
        for thing in self._things:
            table.add_row(*(_text(column, thing) for column in shown))
        yield table
        left_out = [column.heading for column in self._columns if column not in shown]
        if left_out:
            note = f"Left out at {options.max_width} columns: {', '.join(left_out)}"
            yield Text(note, style="dim")

    def _width(self, column: ListColumn[Thing]) -> int:
        cells = (_text(column, thing).cell_len for thing in self._things)
        return max([cell_len(column.heading), *cells])


def _text(column: ListColumn[Thing], thing: Thing) -> Text:
    """Returns a cell as it is printed, so that its width is known."""
    cell = column.cell(thing)
    return visible_text(cell if isinstance(cell, Text) else Text(cell))
