"""What stands in the tables and at the head of a report."""

from __future__ import annotations

from dataclasses import dataclass


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


@dataclass(frozen=True)
class Fact:
    """One thing to know at a glance."""

    name: str
    value: str
    note: str
