"""The paper's model on one source of observations, beside what is printed of it.

The refinements are its equations (2) and (3): a = a_base + a_mul + a_risc, and so b. An adjustment
is what the parameters of a group of processors differ by from those of all, the base. The paper
prints them for processors with and without a multiply instruction, and for RISC and CISC. The base
is the printed one where the observations give it back, as it will have been for the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

import msgspec

from ciphermark.answers.models import block_fit
from ciphermark.answers.models.block_fit import (
    RULES,
    BlockFit,
    Blocks,
    Cell,
    Errors,
    Parameters,
    Point,
    Rule,
    function_blocks,
    points,
)
from ciphermark.answers.models.observations import Function, Observed
from ciphermark.measure.targets.target import Processor

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
        a, b = (self.published_a, self.published_b) if self.is_given_back else (self.a, self.b)
        return None if a is None or b is None else Parameters(a, b)


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


class Overall(Errors, kw_only=True):
    """Errors over the cells of all functions."""

    parameters: Literal["fitted", "published"]
    rule: Rule
    cells: int


class ModelFits(msgspec.Struct, kw_only=True):
    """What `ciphermark model fit` finds."""

    source: str
    is_published: bool
    """Whether the observations are those that the printed parameters are from, as far as these were
    printed."""
    metrics: list[str]
    """The kinds of figures that were fitted together."""
    fits: list[ComparedFit]
    refinements: list[Refinement]
    overall: list[Overall]
    notes: list[str]


def fit_model(
    observed: Observed,
    published: Sequence[PublishedFit],
    adjustments: Sequence[Adjustment],
    rules: Sequence[Rule] = RULES,
) -> ModelFits:
    """Fits all functions of the source, and compares them with what is printed."""
    fits = compared(observed, block_fit.fits(observed, rules), published)
    return ModelFits(
        source=observed.source,
        is_published="cycles-published" in observed.metrics,
        metrics=observed.metrics,
        fits=fits,
        refinements=refinements(observed, fits, adjustments),
        overall=[it for rule in rules for it in _overall(fits, rule)],
        notes=observed.notes,
    )


def _overall(fits: Sequence[ComparedFit], rule: Rule) -> list[Overall]:
    """By one rule, of ours and of the printed parameters on the same observations."""
    counted = [it for it in fits if it.rule in (None, rule)]
    ours = [cell for it in counted for cell in it.cells]
    printed = [cell for it in counted for cell in it.published_cells]
    sides: dict[Literal["fitted", "published"], list[Cell]] = {"fitted": ours, "published": printed}
    return [
        Overall(
            **msgspec.structs.asdict(block_fit.errors(cells)),
            parameters=parameters,
            rule=rule,
            cells=len(cells),
        )
        for parameters, cells in sides.items()
        if cells
    ]
