"""The paper's refinements, equations (2) and (3): a = a_base + a_mul + a_risc, and so b.

An adjustment is what the parameters of a group of processors differ by from those of all, the base.
The paper prints them for processors with and without a multiply instruction, and for RISC and CISC.
The base is the printed one where the observations give it back, as it will have been for the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from ciphermark.answers.models import block_fit
from ciphermark.answers.models.block_fit import Errors, Parameters
from ciphermark.answers.models.block_points import Function, Point, function_blocks, points
from ciphermark.answers.models.blocks import RULES, Blocks, Rule
from ciphermark.answers.models.observations import Observed
from ciphermark.answers.models.published import ComparedFit
from ciphermark.measure.targets.processor import Processor

GROUPS: dict[str, Callable[[Processor], bool]] = {
    "multiply": lambda it: it.multiply_bits > 0,
    "no-multiply": lambda it: it.multiply_bits == 0,
    "risc": lambda it: it.isa == "risc",
    "cisc": lambda it: it.isa == "cisc",
}
OTHERS = {"multiply": "no-multiply", "no-multiply": "multiply", "risc": "cisc", "cisc": "risc"}

IDEA, MD5 = Function("idea-ecb", "encrypt"), Function("md5", "digest")
READINGS = {"Table 5": (IDEA,), "Table 6": (IDEA, MD5)}
"""Functions that a table may be of: the caption of Table 6 says IDEA, the text before it MD5."""


PRINTED_BITS = {IDEA: 128, MD5: 512}
"""What the tables' b is the cost of: the whole plaintext of 16 bytes, and the hash's block."""


class Adjustment(NamedTuple):
    """A printed row."""

    table: str
    condition: str
    a: float
    """Cycles·bits."""
    b: float


class Refinement(msgspec.Struct, kw_only=True):
    """The adjustment for a group of processors, beside the printed one."""

    table: str
    function: str
    rule: Rule | None
    condition: str
    processors: list[str]
    a: float
    """The group's parameter less that of all, cycles·bits."""
    b: float
    others_a: float
    """The parameter of all less that of the other group: what Table 5 prints, see docs/models.md.
    """
    others_b: float
    published_a: float
    published_b: float
    """Per block of the fit."""
    base_errors: Errors
    """On the cells of the group: of the parameters of all,"""
    refined_errors: Errors
    """and of its own."""


class _Reading(NamedTuple):
    """One function by one rule, as a table may mean it."""

    function: Function
    base: ComparedFit
    blocks: Blocks
    them: list[Point]

    @property
    def rule(self) -> Rule:
        """Where both count the same, either."""
        return self.base.rule or RULES[0]

    def solved(self, them: Sequence[Point]) -> Parameters | None:
        return block_fit.solve(them, self.blocks, self.rule) if them else None


def refinements(
    observed: Observed, fits: Sequence[ComparedFit], printed: Sequence[Adjustment]
) -> list[Refinement]:
    """Each printed adjustment in each of its readings, as far as the observations give it."""
    found = points(observed)
    readings = {
        function: [
            _Reading(function, fit, function_blocks(observed, function), found[function])
            for fit in fits
            if (fit.algorithm, fit.operation) == function
        ]
        for function in (IDEA, MD5)
    }
    return [
        refinement
        for row in printed
        for function in READINGS[row.table]
        for reading in readings[function]
        if (refinement := _refinement(observed, row, reading)) is not None
    ]


def members(observed: Observed, condition: str) -> list[str]:
    """The processors of a group."""
    belongs = GROUPS[condition]
    return [name for name, it in observed.processors.items() if belongs(it.processor)]


def _refinement(observed: Observed, row: Adjustment, reading: _Reading) -> Refinement | None:
    """None where the group or the others are none, or their parameters cannot be told apart."""
    own = _of(reading.them, members(observed, row.condition))
    base = reading.base.adopted
    group = reading.solved(own)
    others = reading.solved(_of(reading.them, members(observed, OTHERS[row.condition])))
    if base is None or group is None or others is None:
        return None

    def errors(model: Parameters) -> Errors:
        found = block_fit.cells(observed, own, model, reading.blocks, reading.rule)
        return block_fit.errors(found)

    return Refinement(
        table=row.table,
        function=reading.base.function,
        rule=reading.base.rule,
        condition=row.condition,
        processors=members(observed, row.condition),
        a=group.a - base.a,
        b=group.b - base.b,
        others_a=base.a - others.a,
        others_b=base.b - others.b,
        published_a=row.a,
        published_b=row.b * reading.blocks.bits / PRINTED_BITS[reading.function],
        base_errors=errors(base),
        refined_errors=errors(group),
    )


def _of(them: Sequence[Point], processors: Sequence[str]) -> list[Point]:
    return [it for it in them if it.processor in processors]
