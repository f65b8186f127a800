"""The cost card: what a function costs for each message and for each byte of it.

Over the measured sizes n, cycles per message are fitted by a + b·n so that the sum of squared
*relative* errors is least: each size counts the same, as people read costs in per cent. How the
intervals come about is told in `line`.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import msgspec
import numpy as np

from ciphermark.analyse.identity import IMPLEMENTATION, PARAMETERS, key
from ciphermark.analyse.models.line import fitted
from ciphermark.analyse.row import Row
from ciphermark.analyse.statistics import Floats

STRAIGHT_WITHIN = 0.1
"""A fit that is off by more at some size is not to be trusted between the sizes."""


class Prediction(NamedTuple):
    """Cycles per message at one size, with the 95 % interval of what would be measured."""

    low: float
    estimate: float
    high: float


class CostCard(msgspec.Struct, kw_only=True):
    """Fit of cycles_per_message = a + b·message_bytes, with 95 % intervals."""

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
    switches: dict[str, str]
    sizes: list[int]
    """Message sizes that were fitted, bytes, ascending; beyond them the card is a guess."""
    a: float
    """Fixed cost, cycles per message."""
    a_low: float
    a_high: float
    b: float
    """Cost of a further byte, cycles."""
    b_low: float
    b_high: float
    scatter: float
    """t·s: 95 % half-width of what the line misses, as a share; 0 with two sizes."""
    h_aa: float
    """H, from which the interval of the line at any size follows."""
    h_ab: float
    h_bb: float
    largest_residual: float
    """Largest distance of a row from the line, as a share of the row."""
    largest_residual_bytes: int
    """The size at which it is."""
    median_residual: float
    piecewise: str | None
    """Said when the line is off by more than 10 %: where, by how much, and what it means."""
    converged: bool
    """Whether all rows that were fitted had converged."""

    def predict(self, message_bytes: int) -> Prediction:
        """Cycles per message at a size, between the measured ones at best."""
        n = message_bytes
        estimate = self.a + self.b * n
        of_line = self.h_aa + 2 * n * self.h_ab + n * n * self.h_bb
        half = (of_line + (self.scatter * estimate) ** 2) ** 0.5
        return Prediction(estimate - half, estimate, estimate + half)


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
    line = fitted(sizes, cycles, units=cycles, errors=half_widths(rows) / cycles)
    fixed, slope = line.fixed(), line.slope()
    worst = int(np.argmax(line.residuals))
    return CostCard(
        **{field: getattr(rows[0], field) for field in (*IMPLEMENTATION, *PARAMETERS)},
        sizes=[row.message_bytes for row in rows],
        a=fixed.value,
        a_low=fixed.low,
        a_high=fixed.high,
        b=slope.value,
        b_low=slope.low,
        b_high=slope.high,
        scatter=line.scatter,
        h_aa=float(line.h[0, 0]),
        h_ab=float(line.h[0, 1]),
        h_bb=float(line.h[1, 1]),
        largest_residual=float(line.residuals[worst]),
        largest_residual_bytes=rows[worst].message_bytes,
        median_residual=float(np.median(line.residuals)),
        piecewise=_piecewise(float(line.residuals[worst]), rows[worst].message_bytes),
        converged=all(row.converged for row in rows),
    )


def half_widths(rows: list[Row]) -> Floats:
    """The longer side of each row's 95 % interval, cycles per message; 0 where it has none."""
    return np.array([_half_width(row) for row in rows])


def _half_width(row: Row) -> float:
    if not _has_interval(row):
        return 0.0
    cycles = row.cycles_per_message
    return max(row.cycles_per_message_high - cycles, cycles - row.cycles_per_message_low)


def _piecewise(largest_residual: float, message_bytes: int) -> str | None:
    if largest_residual <= STRAIGHT_WITHIN:
        return None
    return (
        f"the line is off by {100 * largest_residual:.0f} % at {message_bytes} bytes: "
        "do not read it between the measured sizes"
    )
