"""Which rows of a run stand for a function of the page, and what they say."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from ciphermark.show.findings import NotTestable
from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.ratio import Ratio, unpaired_ratio
from ciphermark.studies.measured import why_none
from ciphermark.studies.umac.page import LONG, measured_bytes
from ciphermark.workloads.single.ratio import cycles, fastest, order_statistics

if TYPE_CHECKING:
    from ciphermark.workloads.single.row import Row


class Way(Enum):
    """Where a message lies and how it is given, as pattern and buffers of the plan."""

    WHOLE = ("reused-key", "hot")
    """In one piece, in the nearest cache that holds it."""
    IN_PIECES = ("incremental", "repeated")
    """One small buffer in the nearest cache, given again and again until the message is as long."""
    FROM_MEMORY = ("reused-key", "stream")
    """In one piece that no cache holds."""


def as_on_the_page(message_bytes: int) -> Way:
    """In the nearest cache, as the page's authors measured their own functions."""
    return Way.IN_PIECES if message_bytes >= LONG else Way.WHOLE


class Figure(NamedTuple):
    """A row with the bytes of the message as the page counts them, without added zeros."""

    row: Row
    message_bytes: int

    @property
    def cycles(self) -> Estimate:
        """Cycles per byte with the 95 % interval."""
        return cycles(self.row).mapped(lambda end: end / self.message_bytes)


class Measured:
    """The rows of a run by what the page asks for."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows: dict[tuple[str, int | None, Way], list[Row]] = {}
        for row in rows:
            if (called := (row.pattern, row.buffers)) in _WAYS:
                key = (row.algorithm, row.message_bytes, _WAYS[called])
                self._rows.setdefault(key, []).append(row)

    def rows(
        self,
        algorithm: str,
        message_bytes: int,
        way: Way | None = None,
        backend: str | None = None,
    ) -> list[Row]:
        """All implementations, or those of our kernels by one backend."""
        key = (
            algorithm,
            measured_bytes(algorithm, message_bytes),
            way or as_on_the_page(message_bytes),
        )
        found = self._rows.get(key, [])
        return [
            row
            for row in found
            if backend is None or (row.provider, row.backend) == (KERNELS, backend)
        ]

    def figure(
        self,
        algorithm: str | None,
        message_bytes: int,
        way: Way | None = None,
        backend: str | None = None,
    ) -> Figure | None:
        """That of the fastest implementation."""
        if algorithm is None:
            return None
        row = fastest(self.rows(algorithm, message_bytes, way, backend))
        return row and Figure(row, message_bytes)

    def firm(
        self,
        algorithm: str,
        message_bytes: int,
        way: Way | None = None,
        backend: str | None = None,
    ) -> Figure:
        """The figure, which has an interval; NotTestable without one."""
        found = self.figure(algorithm, message_bytes, way, backend)
        if found is None:
            wanted = f"{algorithm} at {message_bytes} bytes" + (f" by {backend}" if backend else "")
            alike = self.rows(algorithm, message_bytes, way, backend)
            reason = why_none(alike) if alike else "not in this run"
            raise NotTestable(f"{wanted} has no figure ({reason})")
        if found.cycles.low is None or found.cycles.low <= 0:
            raise NotTestable(f"{algorithm} at {message_bytes} bytes has no interval")
        return found

    def backends(self, algorithm: str) -> set[str]:
        """The backends of our kernels that have a figure."""
        return {
            row.backend
            for (name, *_), rows in self._rows.items()
            for row in rows
            if name == algorithm and row.provider == KERNELS and row.error is None
        }


KERNELS = "kernels"
"""The provider of our own kernels."""

_WAYS = {way.value: way for way in Way}


def ratio(one: Figure, other: Figure) -> Ratio:
    """How many times the other's cycles per byte the one's are."""
    return unpaired_ratio(
        one.cycles, order_statistics(one.row), other.cycles, order_statistics(other.row)
    )
