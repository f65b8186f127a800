"""Printed parameters of the model of blocks, beside those that observations give."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ciphermark.answers.models import block_fit
from ciphermark.answers.models.block_fit import BlockFit, Cell, Errors, Parameters
from ciphermark.answers.models.block_points import Function, function_blocks, points
from ciphermark.answers.models.blocks import RULES
from ciphermark.answers.models.observations import Observed

REFITTED_WITHIN = 0.03
"""How near a refitted parameter must be to count as given back: Table 3 is rounded to microseconds,
of which some cells have two or three."""


class PublishedFit(NamedTuple):
    """A row of a printed table of parameters."""

    function: str
    """As it is printed."""
    algorithm: str
    operation: str
    a: float
    """Cycles·bits."""
    b: float
    """Per block of `block_bits`."""
    block_bits: int

    def per_block_of(self, bits: int) -> Parameters:
        """The same cost per bit, in blocks of another length."""
        return Parameters(self.a, self.b * bits / self.block_bits)


class ComparedFit(BlockFit, kw_only=True):
    """A fit with the printed parameters beside it, where some are printed."""

    published_function: str | None = None
    published_a: float | None = None
    published_b: float | None = None
    """Per block of `block_bits`."""
    published_errors: Errors | None = None
    """Of the printed parameters on the same observations."""
    published_cells: list[Cell] = []

    @property
    def a_ratio(self) -> float | None:
        """Ours by the printed one."""
        return _ratio(self.a, self.published_a)

    @property
    def b_ratio(self) -> float | None:
        return _ratio(self.b, self.published_b)

    @property
    def is_given_back(self) -> bool:
        """Whether both parameters are what is printed."""
        ratios = (self.a_ratio, self.b_ratio)
        return all(it is not None and abs(it - 1) <= REFITTED_WITHIN for it in ratios)

    @property
    def adopted(self) -> Parameters | None:
        """The printed parameters where they are given back, else ours."""
        if self.is_given_back:
            return Parameters(self.published_a, self.published_b)
        return None if self.a is None else Parameters(self.a, self.b)


def compared(
    observed: Observed, fits: Iterable[BlockFit], published: Sequence[PublishedFit]
) -> list[ComparedFit]:
    """The fits with what is printed of their functions."""
    printed = {(it.algorithm, it.operation): it for it in published}
    return [_compared(observed, it, printed.get((it.algorithm, it.operation))) for it in fits]


def _compared(observed: Observed, fit: BlockFit, printed: PublishedFit | None) -> ComparedFit:
    own = {name: getattr(fit, name) for name in BlockFit.__struct_fields__}
    if printed is None:
        return ComparedFit(**own)
    parameters = printed.per_block_of(fit.block_bits)
    function = Function(fit.algorithm, fit.operation)
    blocks = function_blocks(observed, function)
    cells = block_fit.cells(
        observed, points(observed)[function], parameters, blocks, fit.rule or RULES[0]
    )
    return ComparedFit(
        **own,
        published_function=printed.function,
        published_a=parameters.a,
        published_b=parameters.b,
        published_errors=block_fit.errors(cells),
        published_cells=cells,
    )


def _ratio(ours: float | None, printed: float | None) -> float | None:
    return None if ours is None or printed is None else ours / printed
