"""The paper's model on one source of observations: its parameters, its errors, its refinements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from ciphermark.answers.models import block_fit
from ciphermark.answers.models.block_fit import Cell, Errors
from ciphermark.answers.models.blocks import RULES, Rule
from ciphermark.answers.models.observations import Observed
from ciphermark.answers.models.published import ComparedFit, PublishedFit, compared
from ciphermark.answers.models.refinement import Adjustment, Refinement, refinements


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
    sides = {"fitted": ours, "published": printed}
    return [_of(parameters, rule, cells) for parameters, cells in sides.items() if cells]


def _of(parameters: Literal["fitted", "published"], rule: Rule, cells: Sequence[Cell]) -> Overall:
    return Overall(
        **msgspec.structs.asdict(block_fit.errors(cells)),
        parameters=parameters,
        rule=rule,
        cells=len(cells),
    )
