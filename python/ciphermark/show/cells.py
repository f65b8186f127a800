"""What stands in the tables and at the head of a report."""

from __future__ import annotations

from dataclasses import dataclass

from ciphermark.show import figures


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
