"""The paper's model: t ≈ (a + b·blocks) / (clock · bus width), fitted to the relative error.

a and b are in cycles·bits, and so independent of clock and bus. A function is fitted to all
processors at once by least squares of (a + b·blocks)/cost − 1, which is how the paper's own
parameters come about.
Source: Ganesan, Venugopalan, Peddabachagari, Dean, Mueller, Sichitiu, Analyzing and Modeling
Encryption Overhead for Sensor Network Nodes, WSNA 2003, equation (1).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from ciphermark.answers.models.block_points import Function, Point, function_blocks, points
from ciphermark.answers.models.blocks import RULES, Blocks, Rule, blocks_of
from ciphermark.answers.models.observations import Observed
from ciphermark.statistics import line


class Parameters(NamedTuple):
    """a + b·blocks, cycles·bits."""

    a: float
    b: float

    def cost(self, blocks: int) -> float:
        return self.a + self.b * blocks


class Cell(msgspec.Struct, kw_only=True):
    """One observation beside what the model says of it."""

    processor: str
    message_bytes: int | None
    """None of key setup alone; else, of a cipher, key setup and message together."""
    blocks: int
    observed_cycles: float
    model_cycles: float
    relative_error: float
    """(model − observed) / observed."""


class Errors(msgspec.Struct, kw_only=True):
    """How far a model is off, over several cells."""

    median_relative_error: float
    """Of the absolute values."""
    worst_relative_error: float
    worst_factor: float
    """The larger of model/observed and observed/model, where that is largest."""
    within_10_percent: float
    """Share of the cells."""
    within_20_percent: float


class BlockFit(Errors, kw_only=True):
    """A function's parameters. Errors are of all its cells."""

    function: str
    algorithm: str
    operation: str
    rule: Rule | None
    """How blocks were counted; None where both rules give the same."""
    a: float | None
    """Cycles·bits; None, as b, where the observations do not tell them apart."""
    b: float | None
    """Per block of `block_bits`; 0 of key setup, which has none."""
    a_plus_b: float
    """What one block costs, which they always tell."""
    block_bits: int
    true_block_bits: int
    processors: int
    cells: list[Cell]


def fits(observed: Observed, rules: Sequence[Rule] = RULES) -> list[BlockFit]:
    """The fits of all functions; by both rules where they count blocks differently."""
    return [
        _fit(observed, function, them, rule)
        for function, them in points(observed).items()
        for rule in _rules(observed, function, them, rules)
    ]


def solve(them: Sequence[Point], blocks: Blocks, rule: Rule) -> Parameters | None:
    """The parameters of the least relative error; None where all have the same blocks, so that a
    and b cannot be told apart, unless that is none: then there is no b."""
    counts = np.array([it.blocks(blocks, rule) for it in them], float)
    costs = np.array([it.cost for it in them])
    if not counts.any():
        return Parameters(_constant(costs), 0.0)
    if len(set(counts)) == 1:
        return None
    found = line.fitted(counts, costs, costs, np.zeros_like(costs))
    return Parameters(found.a, found.b)


def errors(cells: Sequence[Cell]) -> Errors:
    """What the cells say together."""
    off = np.abs([it.relative_error for it in cells])
    ratios = np.array([it.model_cycles / it.observed_cycles for it in cells])
    return Errors(
        median_relative_error=float(np.median(off)),
        worst_relative_error=float(off.max()),
        worst_factor=_worst_factor(ratios),
        within_10_percent=float(np.mean(off <= 0.1)),
        within_20_percent=float(np.mean(off <= 0.2)),
    )


def cells(
    observed: Observed, them: Sequence[Point], model: Parameters, blocks: Blocks, rule: Rule
) -> list[Cell]:
    """Each point beside the model."""
    found = []
    for it in them:
        count = it.blocks(blocks, rule)
        width = observed.processors[it.processor].processor.bus_width_bits
        found.append(
            Cell(
                processor=it.processor,
                message_bytes=it.message_bytes,
                blocks=count,
                observed_cycles=it.cost / width,
                model_cycles=model.cost(count) / width,
                relative_error=model.cost(count) / it.cost - 1,
            )
        )
    return found


def _fit(
    observed: Observed, function: Function, them: Sequence[Point], rule: Rule | None
) -> BlockFit:
    blocks = function_blocks(observed, function)
    counted = rule or RULES[0]
    separate = solve(them, blocks, counted)
    # With one number of blocks everywhere any a and b of this sum are as good.
    model = separate or Parameters(_constant(np.array([it.cost for it in them])), 0.0)
    found = cells(observed, them, model, blocks, counted)
    return BlockFit(
        **msgspec.structs.asdict(errors(found)),
        function=function.name,
        algorithm=function.algorithm,
        operation=function.operation,
        rule=rule,
        a=separate and separate.a,
        b=separate and separate.b,
        a_plus_b=model.cost(1),
        block_bits=blocks.bits,
        true_block_bits=blocks_of(function.algorithm).bits,
        processors=len({it.processor for it in them}),
        cells=found,
    )


def _rules(
    observed: Observed, function: Function, them: Sequence[Point], rules: Sequence[Rule]
) -> Sequence[Rule | None]:
    """The rules that count the blocks of these points differently, or None for all of them."""
    blocks = function_blocks(observed, function)
    counts = {tuple(it.blocks(blocks, rule) for it in them) for rule in RULES}
    return rules if len(counts) > 1 else [None]


def _constant(costs: np.ndarray) -> float:
    """The constant c of least sum of (c/cost − 1)²."""
    return float(np.sum(1 / costs) / np.sum(1 / costs**2))


def _worst_factor(ratios: np.ndarray) -> float:
    """A model that gives nothing, or less, is off by any factor."""
    if (ratios <= 0).any():
        return float("inf")
    return float(np.exp(np.abs(np.log(ratios)).max()))
