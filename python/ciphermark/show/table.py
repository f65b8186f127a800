"""The figures of a survey on a terminal, as many columns as it is wide."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ciphermark.analyse.row import Row
from ciphermark.show import figures
from ciphermark.show.problems import (
    CURVED,
    FAILED,
    UNSETTLED,
    Problem,
    is_curved,
    print_failures,
    unsettled,
)
from ciphermark.show.sections import (
    Line,
    Section,
    lines,
    packet_bytes,
    sections,
    sizes,
)

if TYPE_CHECKING:
    from ciphermark.analyse.models.cost_card import CostCard
    from ciphermark.record.run import Context

SMALLER = "*"
"""Mark beside the throughput of a message that is smaller than a packet."""

STATUS_STYLES = {"broken": "red", "legacy": "yellow"}
"""Statuses that are said beside the name. The others are what people expect."""

LISTED = 3
"""Unsettled cases that are named; the report names all."""

GAP = 2
"""Blank columns between two columns of the table."""


@dataclass(frozen=True)
class Column:
    """One column: its heading, its cell for a line, and how soon it makes room for others."""

    heading: str
    """One line, or two with the break in it."""
    cell: Callable[[Line], Text]
    dispensable: int = 0
    """The highest goes first when the terminal is narrow; 0 never goes."""
    called: str = ""
    """What it is called when it had to go; its heading unless given."""
    left: bool = False

    def width(self, shown: list[Line]) -> int:
        headings = (cell_len(part) for part in self.heading.splitlines())
        return max([*headings, *(self.cell(line).cell_len for line in shown)], default=0)

    def placed(self, text: Text, width: int) -> Text:
        """The text with blanks to fill the width."""
        missing = width - text.cell_len
        if self.left:
            text.pad_right(missing)
        else:
            text.pad_left(missing)
        return text


def print_survey(
    console: Console, context: Context, rows: list[Row], cards: list[CostCard]
) -> None:
    """Prints the table of a run, what failed, and what the marks mean."""
    arranged = sections(context, rows, cards)
    columns = _columns(arranged, rows)
    fitting = _fitting(columns, lines(arranged), console.width)
    for text in _table(fitting, arranged):
        # A table that is still too wide is cut by the terminal, where the user can widen it.
        console.print(text, no_wrap=True, overflow="ignore", crop=False)
    print_failures(console, rows)
    _print_legend(console, context, arranged, rows, unsettled(rows))
    left_out = [column.called or column.heading for column in columns if column not in fitting]
    if left_out:
        note = f"Left out at {console.width} columns: {', '.join(dict.fromkeys(left_out))}"
        console.print(Text(note.replace("\n", " "), style="dim"))


def _columns(arranged: list[Section], rows: list[Row]) -> list[Column]:
    shown = lines(arranged)
    measured = sizes(arranged)
    found = [Column("cycles/byte", _name, left=True)]
    found += [_size_column(size, measured, _failed(rows)) for size in measured]
    if any(line.card for line in shown):
        found += [
            Column("cycles/\nmessage", _fixed),
            Column("", _fixed_interval, 8, "± of the cost card"),
            Column("+ cycles/\nbyte", _slope),
            Column("", _slope_interval, 8, "± of the cost card"),
        ]
    if any(line.setup for line in shown):
        found.append(Column("cycles/\nkey setup", _setup, 7, "key setup"))
    packet = packet_bytes(measured)
    if packet is not None:
        heading = f"MB/s at\n{figures.message_size(packet)}"
        found.append(Column(heading, lambda line: _throughput(line, packet), 1))
    found.append(Column("provider", lambda line: Text(line.provider), left=True))
    found.append(Column("backend", _backend, 4, left=True))
    return found


def _failed(rows: list[Row]) -> set[tuple[str, str, str, int | None]]:
    return {
        (row.algorithm, row.operation, row.provider, row.message_bytes)
        for row in rows
        if row.error is not None
    }


def _size_column(
    size: int, measured: list[int], failed: set[tuple[str, str, str, int | None]]
) -> Column:
    """Sizes make room for others but the smallest, the largest and the packet, which tell most."""
    telling = size in (measured[0], measured[-1], packet_bytes(measured))

    def cell(line: Line) -> Text:
        row = line.by_size.get(size)
        if row is not None:
            return _figure(row, row.cycles_per_byte)
        case = (line.algorithm.name, line.operation, line.provider, size)
        return Text(FAILED if case in failed else "", style="red")

    return Column(figures.message_size(size), cell, 0 if telling else 5 + measured.index(size) % 2)


def _fitting(columns: list[Column], shown: list[Line], width: int) -> list[Column]:
    """The columns that stay so that the table is not wider than this, the least needed gone."""
    widths = {column: column.width(shown) for column in columns}
    fitting = columns
    while sum(widths[column] + GAP for column in fitting) - GAP > width:
        most = max(column.dispensable for column in fitting)
        if most == 0:
            break
        fitting = [column for column in fitting if column.dispensable != most]
    return fitting


def _table(columns: list[Column], arranged: list[Section]) -> Iterator[Text]:
    """The lines of the table: headings, then each section under its title."""
    shown = lines(arranged)
    widths = [column.width(shown) for column in columns]

    def joined(cells: list[Text]) -> Text:
        placed = map(Column.placed, columns, cells, widths)
        text = Text(" " * GAP).join(placed)
        text.rstrip()
        return text

    headings = [column.heading.rpartition("\n") for column in columns]
    for part in (0, 2) if any(first for first, _, _ in headings) else (2,):
        text = joined([Text(heading[part]) for heading in headings])
        text.stylize("dim")
        yield text
    for section in arranged:
        yield Text(section.title, style="bold")
        previous = None
        for line in section.lines:
            cells = [column.cell(line) for column in columns]
            if line.algorithm.name == previous:
                # Still there to be searched for, but out of the way of the eye.
                cells[0].stylize("dim")
            previous = line.algorithm.name
            yield joined(cells)


def _name(line: Line) -> Text:
    status = line.algorithm.status
    name = Text(line.algorithm.name)
    if status in STATUS_STYLES:
        name.append(f" {status}", style=STATUS_STYLES[status])
    return name


def _figure(row: Row | None, value: float | None) -> Text:
    """A figure of a row, marked where the row did not settle."""
    if row is None or value is None:
        return Text("")
    if row.converged:
        return Text(figures.significant(value))
    return Text(UNSETTLED + figures.significant(value), style="yellow")


def _fixed(line: Line) -> Text:
    if line.card is None:
        return Text("")
    mark = CURVED if is_curved(line.card) else ""
    return Text(mark + figures.significant(line.card.a))


def _fixed_interval(line: Line) -> Text:
    return _interval(line.card and (line.card.a, line.card.a_low, line.card.a_high))


def _slope(line: Line) -> Text:
    return Text(f"+ {figures.significant(line.card.b)}" if line.card else "")


def _slope_interval(line: Line) -> Text:
    return _interval(line.card and (line.card.b, line.card.b_low, line.card.b_high))


def _interval(estimate: tuple[float, float, float] | None) -> Text:
    return Text(figures.half_width(*estimate) if estimate else "", style="dim")


def _setup(line: Line) -> Text:
    return _figure(line.setup, line.setup and line.setup.cycles_per_message)


def _throughput(line: Line, packet: int) -> Text:
    row = line.packet_row(packet)
    shown = _figure(row, row and row.mbytes_per_second)
    return Text(SMALLER) + shown if _is_smaller(row, packet) else shown


def _is_smaller(row: Row | None, packet: int) -> bool:
    """Whether a throughput is shown that is not of a packet."""
    return row is not None and row.mbytes_per_second is not None and row.message_bytes != packet


def _backend(line: Line) -> Text:
    return Text(" · ".join(filter(None, (line.backend, line.way))), style="dim")


def _print_legend(
    console: Console,
    context: Context,
    arranged: list[Section],
    rows: list[Row],
    open_cases: list[Problem],
) -> None:
    legend = Table.grid(padding=(0, 1))
    for mark, meaning in _legend(context, arranged, rows, open_cases):
        legend.add_row(Text(mark, style="dim"), Text(meaning, style="dim"))
    if legend.row_count:
        console.print()
        console.print(legend)


def _legend(
    context: Context, arranged: list[Section], rows: list[Row], open_cases: list[Problem]
) -> Iterator[tuple[str, str]]:
    """The marks that occur, each with what it means."""
    if open_cases:
        measured = sum(row.error is None for row in rows)
        yield (
            UNSETTLED,
            f"{len(open_cases)} of {figures.counted(measured, 'case')} did not settle "
            f"to ±{100 * context.precision:g} %: {_named(open_cases)}",
        )
    if any(is_curved(line.card) for line in lines(arranged)):
        yield CURVED, "no straight line over size: do not read its cost between the measured sizes"
    packet = packet_bytes(sizes(arranged))
    if packet and any(_is_smaller(line.packet_row(packet), packet) for line in lines(arranged)):
        size = figures.message_size(packet)
        yield SMALLER, f"at the largest message up to {size} that was measured"


def _named(open_cases: list[Problem]) -> str:
    named = [f"{problem.what} ({problem.why})" for problem in open_cases[:LISTED]]
    rest = len(open_cases) - LISTED
    return "; ".join(named) + (f"; and {rest} more" if rest > 0 else "")
