"""The cost card: what a function costs for each message and for each byte of it.

Over the measured sizes n, cycles per message are fitted by a + b·n so that the sum of squared
*relative* errors is least: each size counts the same, as people read costs in per cent.

Two things make a and b uncertain: each row's own 95 % interval, and that no function is quite a
straight line (blocks, lanes, caches). Each row is taken to be off by the larger of its interval's
half-width and t·s, s being the fit's relative scatter with m − 2 degrees of freedom and t Student's
97.5 % quantile for them. With its weights held, least squares is linear in the rows, so these
half-widths e go through it as H = P·diag(e²)·Pᵀ, P being the matrix that turns rows into (a, b).
That is never narrower than what a parametric bootstrap of the rows' intervals would give, nor than
the usual t-interval. With two sizes there is no scatter to see, and only the first part is left.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import msgspec
import numpy as np

from ciphermark.analyse.identity import IMPLEMENTATION, PARAMETERS, key
from ciphermark.analyse.row import Row
from ciphermark.analyse.statistics import Floats, student_quantile

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


def cost_cards(rows: list[Row]) -> list[CostCard]:
    """A card for each implementation, operation and way of calling with two sizes or more."""
    alike = defaultdict(dict)
    for row in rows:
        if _can_be_fitted(row):
            alike[key(row, (*IMPLEMENTATION, *PARAMETERS))][row.message_bytes] = row
    return [_card([sizes[n] for n in sorted(sizes)]) for sizes in alike.values() if len(sizes) > 1]


def _can_be_fitted(row: Row) -> bool:
    """Relative errors need a positive figure, and the method needs its interval."""
    return (
        row.message_bytes is not None
        and row.cycles_per_message_low is not None
        and row.cycles_per_message > 0
    )


def _card(rows: list[Row]) -> CostCard:
    """The card of rows that differ in nothing but their size, in its order."""
    sizes = np.array([row.message_bytes for row in rows], dtype=float)
    cycles = np.array([row.cycles_per_message for row in rows])
    # One line for each row, divided by the row's figure: its solution for a right side of ones has
    # the least relative error.
    solve = np.linalg.pinv(np.column_stack([1 / cycles, sizes / cycles]))
    a, b = solve.sum(axis=1)
    residuals = np.abs((a + b * sizes) / cycles - 1)
    scatter = _scatter(residuals)
    h = (solve * np.maximum(_half_widths(rows), scatter) ** 2) @ solve.T
    half_a, half_b = np.sqrt(np.diag(h))
    worst = int(np.argmax(residuals))
    return CostCard(
        **{field: getattr(rows[0], field) for field in (*IMPLEMENTATION, *PARAMETERS)},
        sizes=[row.message_bytes for row in rows],
        a=float(a),
        a_low=float(a - half_a),
        a_high=float(a + half_a),
        b=float(b),
        b_low=float(b - half_b),
        b_high=float(b + half_b),
        scatter=scatter,
        h_aa=float(h[0, 0]),
        h_ab=float(h[0, 1]),
        h_bb=float(h[1, 1]),
        largest_residual=float(residuals[worst]),
        largest_residual_bytes=rows[worst].message_bytes,
        median_residual=float(np.median(residuals)),
        piecewise=_piecewise(float(residuals[worst]), rows[worst].message_bytes),
        converged=all(row.converged for row in rows),
    )


def _half_widths(rows: list[Row]) -> Floats:
    """The longer side of each row's 95 % interval, as a share of its figure."""
    cycles, low, high = (
        np.array([getattr(row, f"cycles_per_message{end}") for row in rows])
        for end in ("", "_low", "_high")
    )
    return np.maximum(high - cycles, cycles - low) / cycles


def _scatter(residuals: Floats) -> float:
    """t·s of relative residuals around a line; 0 where two points leave none."""
    degrees = len(residuals) - 2
    if degrees == 0:
        return 0.0
    return student_quantile(0.975, degrees) * float(np.sqrt(np.sum(residuals**2) / degrees))


def _piecewise(largest_residual: float, message_bytes: int) -> str | None:
    if largest_residual <= STRAIGHT_WITHIN:
        return None
    return (
        f"the line is off by {100 * largest_residual:.0f} % at {message_bytes} bytes: "
        "do not read it between the measured sizes"
    )
