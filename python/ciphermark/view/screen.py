"""Blocks on a terminal. On a narrow one tables leave out the least needed columns, and name
them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, groupby
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ciphermark.view.blocks import Block, Facts, Headline, Note, Notes, Section, Table, shown
from ciphermark.view.column import WARNINGS, Cell, Column, Place
from ciphermark.view.figures import wrapped
from ciphermark.view.terminal import visible_text

GAP = 2
"""Blanks between two columns, and before a line that belongs to the one above."""

BELOW = 4
"""Blanks before a text below its row."""

MOST_BROKEN = 16
"""Columns that a text is broken down to where others need the room."""

STYLES = {
    "failed": "red",
    "unsettled": "yellow",
    "interval": "dim",
    "soft": "dim",
    "good": "green",
    "strong": "bold",
}
"""Styles of the classes of a cell."""


def show(console: Console, blocks: Iterable[Block]) -> None:
    """Prints blocks, each after an empty line but for the first.

    The headline comes again after a text that is longer than the terminal.
    """
    wanted = shown(blocks, Place.TERMINAL)
    with console.capture() as captured:
        _show_all(console, wanted)
    text = captured.get()
    console.file.write(text)
    if console.is_terminal and text.count("\n") > console.height:
        for headline in (it for it in wanted if isinstance(it, Headline)):
            _show(console, headline)


def _show_all(console: Console, blocks: Iterable[Block]) -> None:
    previous = None
    for block in blocks:
        if previous and not (isinstance(block, Headline) and isinstance(previous, Headline)):
            console.print()
        previous = block
        _show(console, block)


def _show(console: Console, block: Block) -> None:
    match block:
        case Section():
            console.print(Text(block.title, style="bold"))
            _show_all(console, shown(block.blocks, Place.TERMINAL))
        case Table():
            _show_table(console, block)
        case Notes():
            _show_notes(console, block)
        case Facts():
            _show_facts(console, block)
        case Headline():
            console.print(Text(wrapped(block.text, console.width), style=block.style))


def _show_notes(console: Console, block: Notes) -> None:
    if block.title:
        console.print(Text(block.title, style=f"bold {block.style}".rstrip()))
    _print(
        console,
        block.notes[: block.shown],
        block.style,
        whole=block.whole,
        indented=bool(block.title),
    )
    more = 0 if block.shown is None else len(block.notes) - block.shown
    if more > 0:
        console.print(Text(f"{' ' * GAP}and {more} more, in the report", style="dim"))


def _print(
    console: Console,
    notes: Sequence[Note],
    style: str,
    *,
    whole: bool = False,
    indented: bool = True,
) -> None:
    """Prints sentences after their marks, wrapped below their own beginnings unless whole."""
    widest = max((len(note.mark) for note in notes), default=0)
    lead = max(GAP, widest + 1) if widest or indented else 0
    for note in notes:
        lines = [note.text] if whole else wrapped(note.text, console.width - lead).splitlines()
        for number, line in enumerate(lines):
            mark = "" if number else note.mark
            text = Text(f"{mark:<{lead}}{line}", style=note.style or style)
            console.print(text, soft_wrap=whole)
        for sentence in note.below:
            inner = wrapped(sentence, console.width - 2 * lead)
            console.print(Padding(Text(inner, style="dim"), (0, 0, 0, 2 * lead)))


def _show_facts(console: Console, block: Facts) -> None:
    if block.title:
        console.print(Text(block.title, style="bold"))
    lead = GAP + max(cell_len(fact.name) for fact in block.facts)
    for fact in block.facts:
        text = wrapped(" ".join(filter(None, [fact.value, fact.note])), console.width - lead)
        for number, line in enumerate(text.splitlines()):
            name = fact.name if number == 0 else ""
            console.print(Text.assemble((f"{name:<{lead}}", "bold"), line))


def _show_table(console: Console, table: Table[Any]) -> None:
    columns = _columns(table)
    if table.continued:
        bands, below = list(_bands(columns, console.width)), list[_Column]()
    else:
        beside, below = _fitting(columns, console.width)
        bands = [beside]
    for number, band in enumerate(bands):
        if number:
            console.print()
        for text in _lines(table, band, below, console.width):
            # A table that is still too wide is cut by the terminal, where the user can widen it.
            console.print(text, no_wrap=True, overflow="ignore", crop=False)
    kept = [*chain(*bands), *below]
    if left_out := [it.called for it in columns if it not in kept]:
        named = ", ".join(dict.fromkeys(left_out)).replace("\n", " ")
        note = wrapped(f"Left out at {console.width} columns: {named}", console.width)
        console.print(Text(note, style="dim"))
    if table.legend:
        console.print()
        _print(console, table.legend, "dim")


@dataclass(eq=False)
class _Column:
    """A column with its cells in the order of the rows."""

    of: Column[Any]
    group: str
    head: str
    cells: list[Text]

    @property
    def called(self) -> str:
        return self.of.called or self.of.heading or self.of.name

    @cached_property
    def content(self) -> int:
        """Returns the width of the widest cell."""
        return max((cell.cell_len for cell in self.cells), default=0)

    @cached_property
    def is_needed(self) -> bool:
        """Returns whether it is never left out: not dispensable, or a key in which rows differ."""
        differs = len({cell.plain for cell in self.cells}) > 1
        return not self.of.dispensable or (self.of.key and differs)


def _spans(columns: Sequence[_Column]) -> Iterator[tuple[str, list[int]]]:
    """Yields the groups of neighbouring columns with the places of these."""
    for group, places in groupby(range(len(columns)), key=lambda place: columns[place].group):
        yield group, list(places)


def _widths(columns: Sequence[_Column]) -> list[int]:
    """Returns the width of each column; the last of a group makes room for the group's name."""
    widths = []
    for column in columns:
        content = min(column.content, MOST_BROKEN) if column.of.wraps else column.content
        widths.append(max(content, cell_len(column.head)))
    for group, places in _spans(columns):
        spanned = sum(widths[place] + GAP for place in places) - GAP
        widths[places[-1]] += max(0, cell_len(group) - spanned)
    return widths


def _columns(table: Table[Any]) -> list[_Column]:
    filled = []
    for column in sorted(table.columns, key=lambda it: it.at_end):
        if Place.TERMINAL not in column.places:
            continue
        cells = [column.cell(row) for row in table.rows]
        if any(cell.text for cell in cells):
            group, _, head = (column.heading or column.name).rpartition("\n")
            filled.append(_Column(column, group, head, _aligned(column, table.rows, cells)))
    return filled


def _aligned(column: Column[Any], rows: Sequence[Any], cells: list[Cell]) -> list[Text]:
    """Returns the cells; halves of intervals are as wide as the widest, so that figures align."""
    halves = [column.half(row) if column.estimate else "" for row in rows]
    widest = max(map(len, halves), default=0)
    texts = []
    for cell, half in zip(cells, halves, strict=True):
        text = cell.text
        if widest and text.endswith(half) and text:
            text = f"{text.removesuffix(half).rstrip()} {half:<{widest}}"
        style = next((STYLES[it] for it in cell.mark.split() if it in STYLES), "")
        printed = Text(text, style="dim" if column.at_end else style)
        if column.has_words and cell.note:
            printed.append(f" {cell.note}", style=WARNINGS.get(cell.note, "dim"))
        texts.append(visible_text(printed))
    return texts


def _fitting(columns: list[_Column], width: int) -> tuple[list[_Column], list[_Column]]:
    """Returns the columns in the table, and those below its rows, at this width.

    The least needed go first. Keys in which rows differ never go, but may be below the rows.
    """
    beside, below = columns, list[_Column]()
    while _total(beside) > width:
        wide = [it for it in beside if it.of.at_end and it.is_needed and it.content > MOST_BROKEN]
        free = [it.of.dispensable for it in beside if not it.is_needed]
        if wide:
            below = wide
            beside = [it for it in beside if it not in wide]
        elif free:
            beside = [it for it in beside if it.is_needed or it.of.dispensable != max(free)]
        else:
            break
    return beside, below


def _total(columns: list[_Column]) -> int:
    return sum(it + GAP for it in _widths(columns)) - GAP


def _bands(columns: list[_Column], width: int) -> Iterator[list[_Column]]:
    """Yields as many columns as fit, after the first one each time."""
    first, *others = columns
    band = [first]
    for column in others:
        if len(band) > 1 and _total([*band, column]) > width:
            yield band
            band = [first]
        band.append(column)
    yield band


def _lines(
    table: Table[Any], columns: list[_Column], below: list[_Column], width: int
) -> Iterator[Text]:
    """Yields the headings, then each section under its title."""
    widths = _widths(columns)
    wrapping = [place for place, column in enumerate(columns) if column.of.wraps]
    wrapping.sort(key=lambda place: columns[place].content)
    for number, place in enumerate(wrapping):
        spare = max(0, width - sum(widths) - GAP * (len(widths) - 1))
        share = widths[place] + spare // (len(wrapping) - number)
        widths[place] = max(widths[place], min(columns[place].content, share))

    def joined(cells: list[Text]) -> Text:
        text = Text()
        for column, cell, wide in zip(columns, cells, widths, strict=True):
            missing = wide - cell.cell_len
            cell.pad_right(missing) if column.of.has_words else cell.pad_left(missing)
            text.append_text(cell)
            text.append(" " * GAP)
        text.rstrip()
        return text

    if any(column.group for column in columns):
        yield Text(_groups(columns, widths), style="dim")
    heads = joined([Text(column.head) for column in columns])
    heads.stylize("dim")
    yield heads
    places = {id(row): place for place, row in enumerate(table.rows)}
    for title, rows in table.sections(table.title_on_screen).items():
        if title:
            yield Text(title, style="bold")
        previous = None
        for place in (places[id(row)] for row in rows):
            cells = [column.cells[place] for column in columns]
            name = cells[0].plain if cells else ""
            if name == previous:
                # Still there to be searched for, but out of the way of the eye.
                cells[0].stylize("dim")
            previous = name
            yield from map(joined, _broken(columns, cells, widths))
            for column in below:
                text = column.cells[place]
                for line in _folded(text.plain, width - BELOW):
                    yield Text(" " * BELOW + line, style=text.style)


def _groups(columns: list[_Column], widths: list[int]) -> str:
    """Returns the names of the groups: of several columns over their middle, of one as its head."""
    names = []
    for group, places in _spans(columns):
        span = sum(widths[place] + GAP for place in places) - GAP
        if len(places) > 1:
            names.append(group.center(span))
        else:
            names.append(
                group.ljust(span) if columns[places[0]].of.has_words else group.rjust(span)
            )
    return (" " * GAP).join(names).rstrip()


def _broken(columns: list[_Column], cells: list[Text], widths: list[int]) -> Iterator[list[Text]]:
    """Yields the lines of a row, whose texts that may be broken take several."""
    parts = [
        [Text(line, cell.style) for line in _folded(cell.plain, wide)] if it.of.wraps else [cell]
        for it, cell, wide in zip(columns, cells, widths, strict=True)
    ]
    for number in range(max(map(len, parts), default=0)):
        yield [part[number] if number < len(part) else Text() for part in parts]


def _folded(text: str, width: int) -> Iterator[str]:
    for line in wrapped(text, width).splitlines() or [""]:
        yield from (line[at : at + width] for at in range(0, len(line) or 1, width))
