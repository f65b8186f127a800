"""What the report of simulated processors says of both models: how wrong they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ciphermark.answers.models.backtests import (
    MODELS,
    Model,
    ModelTests,
    Tested,
    covered,
    distribution,
)
from ciphermark.contract.others import Metric
from ciphermark.show import figures
from ciphermark.show.column import Cell
from ciphermark.show.plots import theme
from ciphermark.workloads.simulation.remarks import METRICS

TITLES: dict[Model, str] = {
    "paper-model": "the paper's model (blocks)",
    "operation-model": "the model of operations",
}
HUES: dict[Model, str] = dict(zip(TITLES, theme.HUES, strict=False))

AXIS_ROOM = 80
"""Pixels: the axis on the left."""


def by_metric(tested: Iterable[Tested]) -> dict[Metric, list[Tested]]:
    """Calls by what their figures are, the surest first."""
    return {
        metric: own for metric in METRICS if (own := [it for it in tested if it.metric == metric])
    }


def view(tests: ModelTests) -> dict[str, Any]:
    """The table of errors, or why there is none."""
    return {
        "reason": tests.reason,
        "heads": [TITLES[model] for model in MODELS],
        "rows": [_row(name, own) for name, own in _parts(tests.tested)],
    }


def _parts(tested: list[Tested]) -> Iterator[tuple[str, list[Tested]]]:
    """All calls, those of each metric, and those of each processor."""
    if tested:
        yield "all", tested
    for metric, own in by_metric(tested).items():
        yield METRICS[metric], own
    for processor in dict.fromkeys(it.processor for it in tested):
        yield processor, [it for it in tested if it.processor == processor]


def _row(name: str, tested: list[Tested]) -> list[Cell]:
    found = [distribution(tested, model) for model in MODELS]
    errors = [it for of in found for it in (of.median, of.nine_tenths, of.worst)]
    return [
        Cell(name),
        Cell(figures.grouped(len(tested), separator=figures.NARROW_SPACE), mark="number"),
        *(_percent(error) for error in errors),
        _percent(covered(tested)),
    ]


def _percent(share: float) -> Cell:
    return Cell(figures.percent(share), share, mark="number")
