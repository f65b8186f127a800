"""What the report of simulated processors says of both models: how wrong they are, and the plots of
what they predict of processors that they have not seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

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
from ciphermark.show.plots import theme, vegalite
from ciphermark.show.plots.panel import Panel, Plot, Points, logarithmic
from ciphermark.show.plots.vegalite import Spec, field, layer
from ciphermark.statistics.quantiles import weighted_quantile
from ciphermark.workloads.simulation.remarks import METRICS, UNITS

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


FACTOR = 2
"""Between a prediction and the dashed lines, the worst that the paper found of its model; and
between the outermost values and the ends of the axes, so that these lines lie between them."""

DASHES: Spec = {"domain": ["no", "yes"], "range": [[1, 0], [5, 3]]}
"""Of a line by whether it is dashed."""


def predicted_plot(tested: Sequence[Tested]) -> Plot:
    """A mark for each call; the two models beside each other, a pair for each metric, as figures of
    different metrics do not go between the same axes."""
    return Plot(
        name="predicted-against-simulated",
        title="Predicted against simulated",
        explanation=(
            "Each processor was left out in turn and predicted from the others: a mark is a call. "
            f"On the line a prediction is right; the dashed lines are a factor of {FACTOR} away. "
            "The reference processor, whose instruction stream gives the counts of operations, is "
            "not predicted."
        ),
        hint="",
        panels=lambda context, rows, cards: list(_scatters(tested)),
        columns=2,
    )


def _scatters(tested: Sequence[Tested]) -> Iterator[Panel]:
    for metric, own in by_metric(tested).items():
        values = [value for it in own for value in (it.observed, *it.predicted.values())]
        low, high = min(values) / FACTOR, max(values) * FACTOR
        for model in MODELS:
            yield _scatter(metric, model, own, low, high)


def _scatter(metric: Metric, model: Model, own: list[Tested], low: float, high: float) -> Panel:
    name = f"{metric}_{model}".replace("-", "_")
    data = {
        f"predicted_{name}": [_point(it, model) for it in own],
        f"lines_{name}": _lines(low, high),
    }
    of_points, of_lines = data
    scale = {"type": "log", "domain": [low, high], "nice": False}
    axis = logarithmic(low, high, theme.PANEL_WIDTH // 2)
    at = {
        "x": field("simulated:Q", title=f"simulated, {UNITS[metric]}", scale=scale, axis=axis),
        "y": field("predicted:Q", title=f"predicted, {UNITS[metric]}", scale=scale, axis=axis),
    }
    line = at | {
        "x2": {"field": "to_simulated"},
        "y2": {"field": "to_predicted"},
        "strokeDash": field("dashed:N", legend=None, scale=DASHES),
    }
    mark = at | {"color": {"value": HUES[model]}, "tooltip": _tooltip()}
    style: Spec = {"filled": True, "size": 22, "opacity": 0.55, "clip": True}
    chart = vegalite.layers(
        [layer("rule", line, data=of_lines), layer("point", mark, data=of_points, **style)],
        title=f"{METRICS[metric]}: {TITLES[model]}",
        width=theme.PANEL_WIDTH,
        height=theme.PANEL_HEIGHT,
    )
    return Panel(chart, AXIS_ROOM, data)


def _lines(low: float, high: float) -> Points:
    """That of right predictions, and those a factor beside it, from end to end."""
    ends = {
        "no": [((low, low), (high, high))],
        "yes": [
            ((low, FACTOR * low), (high / FACTOR, high)),
            ((FACTOR * low, low), (high, high / FACTOR)),
        ],
    }
    return [
        {
            "dashed": dashed,
            "simulated": x,
            "predicted": y,
            "to_simulated": to_x,
            "to_predicted": to_y,
        }
        for dashed, lines in ends.items()
        for (x, y), (to_x, to_y) in lines
    ]


def _point(it: Tested, model: Model) -> dict[str, Any]:
    size = "" if it.message_bytes is None else f", {figures.message_size(it.message_bytes)}"
    return {
        "call": f"{it.algorithm} {it.operation}{size}",
        "target": it.processor,
        "simulated": it.observed,
        "predicted": it.predicted[model],
        "error": figures.percent(it.error(model)),
    }


def _tooltip() -> list[Spec]:
    return [
        field("call:N"),
        field("target:N"),
        field("simulated:Q", format=",.0f"),
        field("predicted:Q", format=",.0f"),
        field("error:N"),
    ]


LEAST_ERROR, GREATEST_ERROR = 1.0, 300.0
"""In percent: the ends of the axis of errors, at which lie those beyond."""

MARKED = 10
"""Percent of the calls from one mark of a curve to the next."""


def errors_plot(tested: Sequence[Tested]) -> Plot:
    """The share of calls that each model predicts at least so well."""
    return Plot(
        name="errors-of-models",
        title="Errors on processors that were left out",
        explanation=(
            "The share of calls, each function counting once on each processor, whose prediction "
            "is off by no more than that. Higher is better."
        ),
        hint="",
        panels=lambda context, rows, cards: list(_distributions(tested)),
        columns=2,
    )


def _distributions(tested: Sequence[Tested]) -> Iterator[Panel]:
    """Of all figures, and of those of each metric where there are several."""
    parts = {METRICS[metric]: own for metric, own in by_metric(tested).items()}
    every = {"all figures": tested} if len(parts) > 1 else {}
    for number, (title, own) in enumerate((every | parts).items()):
        yield _distribution(number, title, own)


def _distribution(number: int, title: str, tested: Sequence[Tested]) -> Panel:
    data = f"errors_{number}"
    points = [point for model in MODELS for point in _curve(tested, model)]
    names = list(TITLES.values())
    legend = {"title": None, "orient": "top", "labelLimit": theme.PANEL_WIDTH}
    hues = {"domain": names, "range": [HUES[model] for model in TITLES]}
    shapes = {"domain": names, "range": list(theme.SHAPES[: len(names)])}
    line = {
        "x": field(
            "percent:Q",
            title="error at most, %",
            scale={"type": "log", "domain": [LEAST_ERROR, GREATEST_ERROR], "nice": False},
            axis=logarithmic(LEAST_ERROR, GREATEST_ERROR, theme.PANEL_WIDTH),
        ),
        "y": field("share:Q", title="% of calls", scale={"domain": [0, 100]}),
        "color": field("model:N", scale=hues, legend=legend),
    }
    mark = line | {
        "shape": field("model:N", scale=shapes, legend=legend),
        "tooltip": vegalite.tooltip({"model": "model", "said": "error"}),
    }
    tenth = f"datum.share % {MARKED} == 0"
    chart = vegalite.layers(
        [
            layer("line", line, interpolate="step-after", strokeWidth=1.8),
            layer("point", mark, where=tenth, filled=True, size=44, opacity=1),
        ],
        title=title,
        width=theme.PANEL_WIDTH,
        height=theme.PANEL_HEIGHT,
        data=data,
    )
    return Panel(chart, AXIS_ROOM, {data: points})


def _curve(tested: Sequence[Tested], model: Model) -> Points:
    """The error that so many of the calls do not exceed."""
    errors = np.array([it.error(model) for it in tested])
    weights = np.array([it.weight for it in tested])
    return [
        {
            "model": TITLES[model],
            "share": share,
            "percent": min(GREATEST_ERROR, max(LEAST_ERROR, 100 * error)),
            "said": f"{figures.percent(error)} at most, in {share} % of calls",
        }
        for share in range(1, 101)
        for error in [weighted_quantile(errors, weights, share / 100)]
    ]
