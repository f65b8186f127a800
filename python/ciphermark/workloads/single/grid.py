"""Algorithms down, providers across: what the two matrices of the report have in common."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ciphermark import contract
from ciphermark.workloads.single.sections import KINDS


@dataclass(frozen=True)
class Cell:
    """One algorithm of one provider."""

    text: str = ""
    beside: str = ""
    """Smaller, after the text."""
    mark: str = ""
    """Class that says how it is drawn: `fastest`, `tie`, `failed`, `soft`."""
    note: str = ""
    """What is said when one points at it."""


Line = tuple[contract.Algorithm, list[Cell]]
"""An algorithm with a cell for each provider."""


def by_kind(lines: Iterable[Line]) -> dict[str, list[Line]]:
    """The lines under the name of each kind, otherwise in their order."""
    order = list(KINDS)
    kinds: dict[str, list[Line]] = {}
    for line in sorted(lines, key=lambda line: order.index(line[0].kind)):
        kinds.setdefault(KINDS[line[0].kind], []).append(line)
    return kinds
