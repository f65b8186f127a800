"""Columns of tables, each written once for terminals, pages and exports."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Flag, auto
from itertools import groupby
from typing import Any, Generic, Literal, TypeVar

from ciphermark.statistics.estimate import Estimate
from ciphermark.view import figures
from ciphermark.view.problems import FAILED, UNSETTLED


@dataclass(frozen=True)
class Cell:
    """One cell of a table that can be sorted."""

    text: str
    order: float | str | None = None
    """Sort key; None sorts last."""
    note: str = ""
    """Smaller text beside it: before a number, after a word."""
    mark: str = ""
    """Class of its style: `name`, `number`, `number unsettled`, `interval`."""
    hint: str = ""
    """Text that a page shows when one points at it."""
    link: str = ""
    """Address that its text leads to."""


@dataclass(frozen=True)
class Fact:
    """Label and value, with a note."""

    name: str
    value: str
    note: str


Row = TypeVar("Row")
Value = str | float | None
Form = Callable[[Any, str], str]
"""Function that formats a value, given the separator of thousands."""


STATUS_MARKS = {"broken": "failed", "legacy": "unsettled", "acceptable": "", "recommended": "good"}
"""Classes of a cell with the status of an algorithm."""

WARNINGS = {"broken": "red", "legacy": "yellow"}
"""Notes that a terminal has in a colour."""


class Place(Flag):
    """Places where a column is shown."""

    TERMINAL = auto()
    PAGE = auto()
    EXPORT = auto()
    """Tables of Markdown and LaTeX."""
    EVERYWHERE = TERMINAL | PAGE | EXPORT


def figure(value: float, separator: str) -> str:
    """Formats a value with three significant digits."""
    return figures.signed(value, separator)


def count(value: float, separator: str) -> str:
    """Formats a whole number."""
    return figures.grouped(value, separator=separator)


def half_width(value: float, separator: str) -> str:
    """Formats half of an interval with two significant digits."""
    return f"±{figures.significant(value, 2)}"


def words(value: str, separator: str) -> str:
    """Returns the value unchanged."""
    return value


@dataclass(frozen=True)
class Column(Generic[Row]):
    """Column of a table: heading, value of a row, and format."""

    name: str
    """Heading in exports."""
    value: Callable[[Row], Any]
    """Value of a row, which `form` formats; a `Cell` is shown as it is."""
    heading: str = ""
    """Heading on a terminal and in a report, `group\\nhead`; the name if empty."""
    form: Form = figure
    mark: Callable[[Row], str] | None = None
    """Mark before the figure: less sure than wanted, or not measured as it stands."""
    estimate: Callable[[Row], Estimate | None] | None = None
    """Figure with its interval, half of which is shown after it."""
    key: bool = False
    """True if it distinguishes rows: a terminal keeps it while rows differ in it."""
    dispensable: int = 0
    """Rank for being left out on a narrow terminal, the highest first; 0 stays."""
    called: str = ""
    """Name in the note on columns that were left out; the heading if empty."""
    places: Place = Place.EVERYWHERE
    page_heading: str = ""
    """Heading in a report, if it differs."""
    order: Callable[[Row], Value] | None = None
    """Sort key of words in a report."""
    kind: Literal["name", "words", "number", "interval"] = "number"
    instead: Callable[[Row, str], str] | None = None
    """Text in place of a missing value, given the row and the separator of thousands."""
    note: Callable[[Row], str] | None = None
    """Smaller text beside the value in a report; after a name on a terminal too."""
    link: Callable[[Row], str] | None = None
    """Address on a page that its text leads to."""
    wraps: bool = False
    """True if a terminal may break its texts over lines."""
    at_end: bool = False
    """True if it comes last on a terminal, as long words do."""

    @property
    def has_words(self) -> bool:
        return self.kind in ("name", "words")

    def text(self, row: Row, separator: str = " ") -> str:
        """Returns the text of a row, empty if it has none."""
        value = self.value(row)
        if isinstance(value, Cell):
            return value.text
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

    def cell(self, row: Row, separator: str = " ") -> Cell:
        """Returns text, order, note and class of a row's cell."""
        value = self.value(row)
        if isinstance(value, Cell):
            return value
        text = self.text(row, separator)
        kind: str = "" if self.kind == "words" else self.kind
        if text == FAILED:
            kind += " failed"
        elif value is None and text:
            kind += " soft"
        elif UNSETTLED in text and not self.has_words:
            kind += " unsettled"
        order = self.order(row) if self.order else value
        note = self.note(row) if self.note and text else ""
        link = self.link(row) if self.link and text else ""
        return Cell(text, order, note, kind, link=link)


def of_words(
    name: str, value: Callable[[Row], str | Cell], heading: str = "", **fields: Any
) -> Column[Row]:  # noqa: ANN401
    """Returns a column of words."""
    return Column(name, value, heading, words, **({"kind": "words"} | fields))


def of_text(heading: str, value: Callable[[Row], str | Cell], **fields: Any) -> Column[Row]:  # noqa: ANN401
    """Returns a column of figures that are texts already."""
    return Column("", value, heading, words, **fields)


def page_heads(columns: Iterable[Column[Row]]) -> list[dict[str, Any]]:
    """Returns the headings of a page's table; columns of one group that are neighbours share it."""
    headings = [
        ((column.page_heading or column.heading or column.name).rpartition("\n"), column)
        for column in columns
        if Place.PAGE in column.places
    ]
    groups = []
    for (group, is_number), alike in groupby(
        headings, key=lambda it: (it[0][0], not it[1].has_words)
    ):
        heads = [head for (_, _, head), _ in alike]
        if group and len(heads) == 1:
            group, heads = "", [f"{group} {heads[0]}".strip().replace("- ", "")]
        groups.append({"name": group, "columns": heads, "numbers": is_number})
    return groups


def page_cells(columns: Iterable[Column[Row]], row: Row) -> list[Cell]:
    """Returns a line of a page's table."""
    return [
        column.cell(row, figures.NARROW_SPACE) for column in columns if Place.PAGE in column.places
    ]
