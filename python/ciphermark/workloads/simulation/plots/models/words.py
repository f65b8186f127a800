"""What the plots of models share: words, hues, and calls by what their figures are."""

from __future__ import annotations

from collections.abc import Iterable

from ciphermark.answers.models.backtests import Model, Tested
from ciphermark.contract.simulation import Metric
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
