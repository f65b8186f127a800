"""Which rows of a run stand for a function of the page, and what they say."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.ratio import Ratio, unpaired_ratio
from ciphermark.studies.evidence import Evidence, as_printed, least, of_row, why_none
from ciphermark.studies.simulations import Simulations
from ciphermark.studies.umac.paper import (
    DECIMALS,
    FUNCTIONS,
    LONG,
    PENTIUM,
    PLATFORMS,
    measured_bytes,
    published,
    uhash,
)
from ciphermark.view.findings import NotTestable
from ciphermark.workloads.single.ratio import fastest, order_statistics
from ciphermark.workloads.single.row import cycles

if TYPE_CHECKING:
    from ciphermark.record.run import Run
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


class Asked(NamedTuple):
    """A function with messages of one length, by its fastest implementation."""

    algorithm: str | None
    message_bytes: int
    way: Way | None = None
    """As on the page unless told otherwise."""
    backend: str | None = None
    """Of our kernels; else any implementation counts."""

    def __str__(self) -> str:
        by = f" by {self.backend}" if self.backend else ""
        return f"{self.algorithm} at {self.message_bytes} bytes{by}"


class Figure(NamedTuple):
    """A row with the bytes of the message as the page counts them, without added zeros."""

    row: Row
    message_bytes: int

    @property
    def cycles(self) -> Estimate:
        """Cycles per byte with the 95 % interval."""
        return cycles(self.row).mapped(lambda end: end / self.message_bytes)


class Printed(Evidence[Asked]):
    """The page's tables of one platform, cycles per byte; UMAC has whatever cipher it had."""

    def __init__(self, platform: str = PENTIUM) -> None:
        self.platform = platform

    def figure(self, what: Asked) -> Estimate | None:
        function = _BY_ALGORITHM.get(what.algorithm or "")
        if function is None:
            return None
        printed = published(function, what.message_bytes, self.platform)
        return None if printed is None else as_printed(printed, DECIMALS)

    def lacks(self, what: Asked) -> NotTestable:
        return NotTestable(f"the page has no {what} for the {PLATFORMS[self.platform]}")


_BY_ALGORITHM = {it.algorithm: it for it in FUNCTIONS}


class Measured(Evidence[Asked]):
    """The rows of a run by what the page asks for; figures are cycles per byte."""

    def __init__(self, rows: Iterable[Row], run: Run | None = None) -> None:
        """`run` has what was simulated beside them."""
        self.simulations = Simulations(run)
        self._rows: dict[tuple[str, int | None, Way], list[Row]] = {}
        for row in rows:
            if (called := (row.pattern, row.buffers)) in _WAYS:
                key = (row.algorithm, row.message_bytes, _WAYS[called])
                self._rows.setdefault(key, []).append(row)

    def rows(self, asked: Asked) -> list[Row]:
        """All implementations, or those of our kernels by one backend."""
        algorithm, message_bytes, way, backend = asked
        if algorithm is None:
            return []
        padded = measured_bytes(algorithm, message_bytes)
        return [
            row
            for row in self._rows.get((algorithm, padded, way or as_on_the_page(message_bytes)), [])
            if backend is None or (row.provider, row.backend) == (KERNELS, backend)
        ]

    def fastest(self, asked: Asked) -> Figure | None:
        """That of the fastest implementation."""
        row = fastest(self.rows(asked))
        return Figure(row, asked.message_bytes) if row else None

    def figure(self, what: Asked) -> Estimate | None:
        costs = [
            of_row(Figure(row, what.message_bytes).cycles, row)
            for row in self.rows(what)
            if row.cycles_per_message is not None
        ]
        return least(costs) if costs else None

    def lacks(self, what: Asked) -> NotTestable:
        alike = self.rows(what)
        return NotTestable(
            f"{what} has no figure ({why_none(alike) if alike else 'not in this run'})"
        )

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

LADDERS = (("sse2", "avx2", "avx512"), ("portable", "neon"))
"""Backends in the order of the width of their vectors, of which one is of this machine."""

_WAYS = {way.value: way for way in Way}


def ladder(measured: Measured) -> tuple[str, ...]:
    """The backends of our kernels whose vectors are each wider than those before."""
    had = measured.backends(uhash(4, 8).algorithm)
    steps = [tuple(name for name in names if name in had) for names in LADDERS]
    return max(steps, key=len)


def ratio(one: Figure, other: Figure) -> Ratio:
    """How many times the other's cycles per byte the one's are."""
    return unpaired_ratio(
        one.cycles, order_statistics(one.row), other.cycles, order_statistics(other.row)
    )
