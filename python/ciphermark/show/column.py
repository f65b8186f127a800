"""The columns of a workload, each written once, and what a terminal, a report and exports make of
them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Flag, auto
from functools import partial
from itertools import groupby
from typing import Any, Generic, Literal, TypeVar

from rich.text import Text

from ciphermark.show import figures, tables
from ciphermark.show.problems import FAILED, UNSETTLED
from ciphermark.statistics.estimate import Estimate


@dataclass(frozen=True)
class Cell:
    """One cell of a table that can be sorted."""

    text: str
    order: float | str | None = None
    """What it is sorted by; nothing sorts last."""
    note: str = ""
    """Smaller, beside the text: before a number, after a word."""
    mark: str = ""
    """Class that says how it is drawn: `name`, `number`, `number unsettled`, `interval`."""


def number_cell(value: float | None) -> Cell:
    """A figure; empty where there is none."""
    shown = "" if value is None else figures.signed(value, figures.NARROW_SPACE)
    return Cell(shown, value, mark="number")


def count_cell(value: float | None) -> Cell:
    """A whole number."""
    shown = "" if value is None else figures.grouped(value, separator=figures.NARROW_SPACE)
    return Cell(shown, value, mark="number")


def share_cell(value: float | None, digits: int = 2) -> Cell:
    """A share in percent."""
    return Cell("" if value is None else figures.percent(value, digits), value, mark="number")


@dataclass(frozen=True)
class Fact:
    """One thing to know at a glance."""

    name: str
    value: str
    note: str


Row = TypeVar("Row")
Value = str | float | None
Form = Callable[[Any, str], str]
"""A value as text, with what stands between thousands."""


WARNINGS = {"broken": "red", "legacy": "yellow"}
"""Notes that a terminal has in a colour."""


class Place(Flag):
    """Where a column is shown."""

    TERMINAL = auto()
    PAGE = auto()
    EXPORT = auto()
    """Tables of Markdown and LaTeX."""
    EVERYWHERE = TERMINAL | PAGE | EXPORT


def figure(value: float, separator: str) -> str:
    """With three significant digits."""
    return figures.signed(value, separator)


def count(value: float, separator: str) -> str:
    """A whole number."""
    return figures.grouped(value, separator=separator)


def half_width(value: float, separator: str) -> str:
    """Half of an interval."""
    return f"±{figures.significant(value, 2)}"


def words(value: str, separator: str) -> str:
    """As it stands."""
    return value


@dataclass(frozen=True)
class Column(Generic[Row]):
    """One column: what it says of a row, how, and under which heading."""

    name: str
    """Its heading in exports."""
    value: Callable[[Row], Any]
    """What the form makes a text of."""
    heading: str = ""
    """On a terminal and in a report, `group\\nhead`; the name unless given."""
    form: Form = figure
    mark: Callable[[Row], str] | None = None
    """Before the figure: that it is less sure than wanted, or not measured as it stands."""
    estimate: Callable[[Row], Estimate | None] | None = None
    """The figure with its interval, half of which follows it."""
    key: bool = False
    """True if it distinguishes rows: a terminal keeps it while rows differ in it."""
    dispensable: int = 0
    """How soon it makes room on a narrow terminal, the highest first; 0 never does."""
    called: str = ""
    """What it is called where it had to go; its heading unless given."""
    places: Place = Place.EVERYWHERE
    page_heading: str = ""
    """In a report, where that has another one."""
    order: Callable[[Row], Value] | None = None
    """What a report sorts words by."""
    kind: Literal["name", "words", "number", "interval"] = "number"
    instead: Callable[[Row, str], str] | None = None
    """What stands where there is no value, with what stands between thousands."""
    note: Callable[[Row], str] | None = None
    """Smaller, beside it in a report; after a name on a terminal too."""
    at_end: bool = False
    """Whether it ends the lines of a terminal, as long words do."""

    @property
    def has_words(self) -> bool:
        return self.kind in ("name", "words")

    def text(self, row: Row, separator: str = " ") -> str:
        """What is shown of a row; empty where it has nothing."""
        value = self.value(row)
        if value is None:
            return self.instead(row, separator) if self.instead else ""
        mark = self.mark(row) if self.mark else ""
        if UNSETTLED not in mark and figures.is_wide(self._share(row)):
            mark = UNSETTLED + mark
        return f"{mark}{self.form(value, separator)} {self.half(row)}".rstrip()

    def half(self, row: Row) -> str:
        """Returns half of the interval, `±1.8 %`; empty where it is unknown."""
        return figures.half_percent(self._share(row))

    def _share(self, row: Row) -> float | None:
        estimate = self.estimate(row) if self.estimate else None
        return None if estimate is None else estimate.share

    def is_doubtful(self, row: Row) -> bool:
        return UNSETTLED in self.text(row)


def of_words(
    name: str, value: Callable[[Row], str], heading: str = "", **fields: Any
) -> Column[Row]:  # noqa: ANN401
    """A column of words."""
    return Column(name, value, heading, words, **({"kind": "words"} | fields))


def printed(columns: Iterable[Column[Row]], rows: Sequence[Row]) -> list[tables.Column[Row]]:
    """As a terminal has them: those that say something of a row."""
    shown = [
        column
        for column in columns
        if Place.TERMINAL in column.places and any(column.text(row) for row in rows)
    ]
    shown.sort(key=lambda column: column.at_end)
    found = []
    for column in shown:
        group, _, head = (column.heading or column.name).rpartition("\n")
        found.append(
            tables.Column(
                head,
                partial(_printed, column, max(len(column.half(row)) for row in rows)),
                column.dispensable,
                column.called or column.heading or column.name,
                left=column.has_words,
                key=column.key,
                below=column.at_end,
                group=group,
            )
        )
    return found


def _printed(column: Column[Row], half_width: int, row: Row) -> Text:
    """A cell; halves of intervals are as wide as the widest, so that figures align."""
    text = column.text(row)
    if half_width and column.value(row) is not None:
        half = column.half(row)
        text = f"{text.removesuffix(half).rstrip()} {half:<{half_width}}"
    if text == FAILED:
        style = "red"
    elif column.at_end or column.kind == "interval" or column.value(row) is None:
        style = "dim"
    else:
        style = "yellow" if column.is_doubtful(row) else ""
    printed = Text(text, style=style)
    if column.kind == "name" and column.note is not None and (note := column.note(row)):
        printed.append(f" {note}", style=WARNINGS.get(note, ""))
    return printed


def page_heads(columns: Iterable[Column[Row]]) -> list[dict[str, Any]]:
    """Headings of a report's table, in groups."""
    headings = [
        ((column.page_heading or column.heading or column.name).rpartition("\n"), column)
        for column in columns
        if Place.PAGE in column.places
    ]
    return [
        {"name": key[0], "columns": [head for (_, _, head), _ in alike], "numbers": key[1]}
        for key, found in groupby(headings, key=lambda it: (it[0][0], not it[1].has_words))
        for alike in [list(found)]
    ]


def page_cells(columns: Iterable[Column[Row]], row: Row) -> list[Cell]:
    """A line of a report's table."""
    return [_cell(column, row) for column in columns if Place.PAGE in column.places]


def _cell(column: Column[Row], row: Row) -> Cell:
    text = column.text(row, figures.NARROW_SPACE)
    order = (column.order or column.value)(row)
    kind = "" if column.kind == "words" else column.kind
    is_missing = column.instead is not None and column.value(row) is None
    doubt = " unsettled" if is_missing or (text and column.is_doubtful(row)) else ""
    return Cell(text, order, column.note(row) if column.note and text else "", kind + doubt)


@dataclass(frozen=True)
class Lines(Generic[Row]):
    """What a table is made of: rows in sections, and the columns that tell of them."""

    title: str
    columns: Sequence[Column[Row]]
    rows: Sequence[Row]
    legend: list[tuple[str, str]]
    """The marks that occur, and what they mean."""
    section: Callable[[Row], str]


def exported(columns: Iterable[Column[Row]]) -> list[Column[Row]]:
    """The columns of an export: words first."""
    found = [column for column in columns if Place.EXPORT in column.places]
    return sorted(found, key=lambda column: not column.has_words)
