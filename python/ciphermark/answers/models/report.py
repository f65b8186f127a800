"""Errors of both models in the report of simulated processors, and plots of their predictions for
processors that they have not seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from operator import itemgetter
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
from ciphermark.statistics.quantiles import weighted_quantile
from ciphermark.view import figures
from ciphermark.view.blocks import Block, Chart, Notes, Section, Table
from ciphermark.view.column import Column, count, of_words
from ciphermark.view.plots import theme, vegalite
from ciphermark.view.plots.panel import Panel, Points, logarithmic
from ciphermark.view.plots.vegalite import Spec, field, layer
from ciphermark.workloads.simulation.row import METRICS, UNITS

TITLES: dict[Model, str] = {
    "paper-model": "the paper's model (blocks)",
    "operation-model": "the model of operations",
}
HUES: dict[Model, str] = dict(zip(TITLES, theme.HUES, strict=False))

Errors = tuple[Any, ...]
"""A name, the number of its calls, three shares of each model, and the share within intervals."""

AXIS_ROOM = 80
"""Pixels: the axis on the left."""


def by_metric(tested: Iterable[Tested]) -> dict[Metric, list[Tested]]:
    """Groups calls by the metric of their figures, the surest first."""
    return {
        metric: own for metric in METRICS if (own := [it for it in tested if it.metric == metric])
    }


def blocks(tests: ModelTests) -> list[Block]:
    """Returns the table of errors, or why there is none, and the charts."""
    reason = f"Predictions of the models of processors cannot be judged: {tests.reason}."
    table = Table(columns=COLUMNS, rows=list(_errors(tests.tested)))
    return [
        Section(
            title="The errors of the models",
            anchor="models",
            about="" if tests.reason else ABOUT,
            blocks=[Notes.of([reason] if tests.reason else []), table],
        ),
        predicted_plot(tests.tested),
        errors_plot(tests.tested),
    ]


ABOUT = (
    "Relative errors of the same predictions: of processors that were left out in turn. "
    "“ciphermark model backtest” leaves out whole families and algorithms too, and says what a "
    "few figures of the processor itself are worth; “ciphermark model predict” answers for a "
    "processor that is not here."
)


def _errors(tested: list[Tested]) -> Iterator[Errors]:
    """Yields the errors of all calls, of those of each metric, and of each processor."""
    parts = [("all", tested)] if tested else []
    parts += [(METRICS[metric], own) for metric, own in by_metric(tested).items()]
    for name in dict.fromkeys(it.processor for it in tested):
        parts.append((name, [it for it in tested if it.processor == name]))
    for name, own in parts:
        curves = [distribution(own, model) for model in MODELS]
        shares = [share for it in curves for share in (it.median, it.nine_tenths, it.worst)]
        yield (name, len(own), *shares, covered(own))


def _percent(share: float, separator: str) -> str:
    return figures.percent(share)


COLUMNS: list[Column[Any]] = [
    of_words("Calls of", itemgetter(0)),
    Column("Calls", itemgetter(1), form=count),
    *(
        Column(head, itemgetter(2 + place), f"{TITLES[model]}\n{head}", _percent)
        for place, (model, head) in enumerate(product(MODELS, ("median", "90 % within", "worst")))
    ),
    Column("within its interval", itemgetter(-1), form=_percent),
]


FACTOR = 2
"""Between a prediction and the dashed lines, the worst that the paper found of its model; and
between the outermost values and the ends of the axes, so that these lines lie between them."""

DASHES: Spec = {"domain": ["no", "yes"], "range": [[1, 0], [5, 3]]}
"""Dashes of a line, by its field `dashed`."""


def predicted_plot(tested: Sequence[Tested]) -> Chart:
    """Returns a mark for each call; the two models stand side by side.

    Each metric has a pair of panels, as figures of different metrics do not go between the same
    axes.
    """
    return Chart.of(
        name="predicted-against-simulated",
        title="Predicted against simulated",
        explanation=(
            "Each processor was left out in turn and predicted from the others: a mark is a call. "
            f"On the line a prediction is right; the dashed lines are a factor of {FACTOR} away. "
            "The reference processor, whose instruction stream gives the counts of operations, is "
            "not predicted."
        ),
        panels=list(_scatters(tested)),
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
    """Returns the line of right predictions, and those a factor beside it."""
    of_dash = {
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
        for dashed, lines in of_dash.items()
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
"""Limits of the axis of errors, in percent; larger and smaller errors lie at them."""

MARKED = 10
"""Percent of the calls from one mark of a curve to the next."""


def errors_plot(tested: Sequence[Tested]) -> Chart:
    """Returns the plot of the share of calls that each model predicts so well."""
    return Chart.of(
        name="errors-of-models",
        title="Errors on processors that were left out",
        explanation=(
            "The share of calls, each function counting once on each processor, whose prediction "
            "is off by no more than that. Higher is better."
        ),
        panels=list(_distributions(tested)),
    )


def _distributions(tested: Sequence[Tested]) -> Iterator[Panel]:
    """Yields panels of all figures, and of each metric where there are several."""
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
    """Returns the error that each share of the calls does not exceed."""
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
