"""What multiplies a figure: a linear model of its logarithm, by ordinary least squares.

The effect of a factor is the multiple that the figure takes when the factor makes one step, all
others held, with Student's 95 % interval, which supposes residuals of one size. What a model would
say of a row that it was not fitted to is told by leaving each row out in turn: its residual is then
e/(1 − h), h being its leverage, so that nothing has to be fitted again. A row without which some
effect could not be told (h = 1) has no such error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.quantiles import Floats, median, student_quantile

SAME = 1e-9
"""A column that others explain up to this share of its length has no information of its own."""


class Factor(NamedTuple):
    """One column of the model."""

    name: str
    values: Floats
    """For each row: a logarithm, a count, or 1 where something is so."""
    step: float = 1.0
    """The change of the value whose multiple is told: log 2 for a doubling."""
    expected: float = 1.0
    """The multiple that a simpler model expects."""


class Effect(msgspec.Struct, kw_only=True):
    factor: str
    multiple: Estimate
    """By which the figure changes at one step of the factor."""
    expected: float
    """The multiple that the simpler model expects."""


class LeftOut(msgspec.Struct, kw_only=True):
    """A factor whose effect the rows do not tell."""

    factor: str
    confounded_with: list[str]
    """Those that it always changed together with; empty where it did not change."""


class Error(msgspec.Struct, kw_only=True):
    """How far predictions are off, as shares of what was measured."""

    median: float
    largest: float


class Effects(msgspec.Struct, kw_only=True):
    """The fitted model."""

    rows: int
    effects: list[Effect]
    left_out: list[LeftOut]
    error: Error | None
    """Of rows that were left out in turn; nothing where none could be."""
    indispensable: int
    """Rows that could not be left out, since an effect rests on each alone."""


def effects(values: Floats, factors: Sequence[Factor]) -> Effects | None:
    """The model of positive values; None where no row is left to tell how sure it is."""
    kept, left_out = _told(factors, len(values))
    columns = [np.ones(len(values)), *(factor.values for factor in kept)]
    degrees = len(values) - len(columns)
    if degrees < 1:
        return None
    basis, triangle = np.linalg.qr(np.column_stack(columns))
    logs = np.log(values)
    residuals = logs - basis @ (basis.T @ logs)
    slopes = np.linalg.solve(triangle, basis.T @ logs)
    scatter = math.sqrt(float(residuals @ residuals) / degrees)
    errors = scatter * np.linalg.norm(np.linalg.inv(triangle), axis=1)
    reach = student_quantile(0.975, degrees) * errors
    alone = np.sum(basis**2, axis=1) > 1 - SAME
    return Effects(
        rows=len(values),
        effects=[
            _effect(factor, slope, half)
            for factor, slope, half in zip(kept, slopes[1:], reach[1:], strict=True)
        ],
        left_out=left_out,
        error=_of_others(residuals[~alone], basis[~alone]),
        indispensable=int(np.sum(alone)),
    )


def error(logs: Floats) -> Error:
    """Of distances between logarithms; there must be one."""
    shares = np.abs(np.expm1(logs))
    return Error(median=median(shares), largest=float(np.max(shares)))


def _effect(factor: Factor, slope: float, half: float) -> Effect:
    ends = (slope * factor.step, (slope - half) * factor.step, (slope + half) * factor.step)
    return Effect(
        factor=factor.name,
        multiple=Estimate(*(math.exp(end) for end in ends)),
        expected=factor.expected,
    )


def _of_others(residuals: Floats, basis: Floats) -> Error | None:
    if len(residuals) == 0:
        return None
    # What was predicted less what was measured, as the residuals have the other sign.
    return error(-residuals / (1 - np.sum(basis**2, axis=1)))


def _told(factors: Sequence[Factor], rows: int) -> tuple[list[Factor], list[LeftOut]]:
    """The factors that change on their own, and the others; of two that say the same the first."""
    kept: list[Factor] = []
    left_out = []
    for factor in factors:
        centred = factor.values - np.mean(factor.values)
        if np.max(np.abs(centred), initial=0) <= SAME * np.max(np.abs(factor.values), initial=0):
            left_out.append(LeftOut(factor=factor.name, confounded_with=[]))
        elif with_others := _confounded(factor, kept):
            left_out.append(LeftOut(factor=factor.name, confounded_with=with_others))
        else:
            kept.append(factor)
    return kept, left_out


def _confounded(factor: Factor, kept: Sequence[Factor]) -> list[str]:
    """The factors of which this one is a combination; empty where it is none."""
    if not kept:
        return []
    others = np.column_stack([other.values - np.mean(other.values) for other in kept])
    scale = np.linalg.norm(others, axis=0)
    wanted = factor.values - np.mean(factor.values)
    shares = np.linalg.lstsq(others / scale, wanted, rcond=None)[0]
    length = np.linalg.norm(wanted)
    if np.linalg.norm(wanted - others / scale @ shares) > math.sqrt(SAME) * length:
        return []
    return [
        other.name
        for other, share in zip(kept, shares, strict=True)
        if abs(share) > math.sqrt(SAME) * length
    ]
