"""The table that people read, which Markdown and LaTeX write: lines in sections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from ciphermark.record.case_row import CaseRow
from ciphermark.show import figures
from ciphermark.show.column import Lines, exported

Row = TypeVar("Row")


@dataclass(frozen=True)
class Pivot:
    """Headings, and the lines of each section under its title."""

    title: str
    headings: list[str]
    words: int
    """So many columns hold words, the first ones; the others hold numbers."""
    sections: dict[str, list[list[str]]]
    legend: list[tuple[str, str]]
    """The marks that occur, and what they mean."""


def function(row: CaseRow) -> str:
    """The usual section of a row."""
    return f"{row.algorithm} · {row.operation}"


def of_columns(lines: Lines[Row]) -> Pivot:
    """A line for each row, in sections."""
    shown = exported(lines.columns)
    sections: dict[str, list[list[str]]] = {}
    for row in lines.rows:
        cells = [column.text(row, figures.NARROW_SPACE) for column in shown]
        sections.setdefault(lines.section(row), []).append(cells)
    words = sum(column.has_words for column in shown)
    return Pivot(lines.title, [column.name for column in shown], words, sections, lines.legend)


def figure(value: float | None) -> str:
    """A figure with three digits; empty where there is none."""
    return "" if value is None else figures.signed(value, figures.NARROW_SPACE)
