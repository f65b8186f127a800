"""The cost card: what a function costs for each message and for each byte of it.

Over the measured sizes n, cycles per message are fitted by a + b·n so that the weighted sum of
squared *relative* errors is least, as people read costs in per cent; by two such lines where these
fit far better. The weights and the intervals are told in `line`.
"""

from __future__ import annotations

from collections import defaultdict

import msgspec
import numpy as np

from ciphermark.record.case_row import IMPLEMENTATION, PARAMETERS, key
from ciphermark.statistics.line import Line, pieces
from ciphermark.statistics.median import Floats
from ciphermark.workloads.single.row import Row

STRAIGHT_WITHIN = 0.1
"""A fit that is off by more at some size is not to be trusted between the sizes."""


class CostCard(msgspec.Struct, kw_only=True):
    """Fit of cycles_per_message = fixed + slope·message_bytes, with 95 % intervals."""

    algorithm: str
    operation: str
    provider: str
    backend: str
    backend_asked: str
    workload: str
    pattern: str
    chunk_bytes: int | None
    offload: str
    lanes: int
    keys: int
    buffers: str
    after: str | None
    switches: dict[str, str]
    sizes: list[int]
    """Message sizes that were fitted, bytes, ascending; beyond them the card is a guess."""
    lines: list[Line]
    """In cycles; one, or two that meet at a measured size."""
    largest_residual: float
    """Largest distance of a row from its line, as a share of the row."""
    largest_residual_bytes: int
    """The size at which it is."""

    @property
    def is_curved(self) -> bool:
        """Whether it must not be read between the measured sizes."""
        return self.largest_residual > STRAIGHT_WITHIN

    @property
    def long(self) -> Line:
        """The line of the longest messages, which is the only one of most cards."""
        return self.lines[-1]


def cost_cards(rows: list[Row], *, imported: bool = False) -> list[CostCard]:
    """A card for each implementation, operation and way of calling with two sizes or more.

    Imported rows have no intervals: their cards need three sizes, and what the line misses is all
    that is known of how wrong it is.
    """
    alike = defaultdict(dict)
    for row in rows:
        if can_be_fitted(row) or (imported and _is_positive(row)):
            alike[key(row, (*IMPLEMENTATION, *PARAMETERS))][row.message_bytes] = row
    return [
        _card([sizes[n] for n in sorted(sizes)])
        for sizes in alike.values()
        if len(sizes) >= (3 if imported else 2)
    ]


def can_be_fitted(row: Row) -> bool:
    """Relative errors need a positive figure, and the method needs its interval."""
    return _is_positive(row) and _has_interval(row)


def _is_positive(row: Row) -> bool:
    return row.message_bytes is not None and (row.cycles_per_message or 0) > 0


def _has_interval(row: Row) -> bool:
    return row.cycles_per_message_low is not None


def _card(rows: list[Row]) -> CostCard:
    """The card of rows that differ in nothing but their size, in its order."""
    sizes = np.array([row.message_bytes for row in rows], dtype=float)
    cycles = np.array([row.cycles_per_message for row in rows])
    fit = pieces(sizes, cycles, units=cycles, errors=half_widths(rows) / cycles)
    worst = int(np.argmax(fit.residuals))
    return CostCard(
        **{field: getattr(rows[0], field) for field in (*IMPLEMENTATION, *PARAMETERS)},
        sizes=[row.message_bytes for row in rows],
        lines=fit.lines,
        largest_residual=float(fit.residuals[worst]),
        largest_residual_bytes=rows[worst].message_bytes,
    )


def half_widths(rows: list[Row]) -> Floats:
    """The longer side of each row's 95 % interval, cycles per message; 0 where it has none."""
    return np.array([_half_width(row) for row in rows])


def _half_width(row: Row) -> float:
    if not _has_interval(row):
        return 0.0
    cycles = row.cycles_per_message
    return max(row.cycles_per_message_high - cycles, cycles - row.cycles_per_message_low)
