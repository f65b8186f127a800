"""What models predict of processors that they have not seen, against what was simulated there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt

from ciphermark.answers.models.backtests import MODELS, Model, Tested
from ciphermark.contract.simulation import Metric
from ciphermark.show import figures
from ciphermark.show.plots import theme
from ciphermark.show.plots.axes import logarithmic
from ciphermark.show.plots.panel import Panel, Plot, Points
from ciphermark.workloads.simulation.plots.models.words import AXIS_ROOM, HUES, TITLES, by_metric
from ciphermark.workloads.simulation.remarks import METRICS, UNITS

FACTOR = 2
"""Between a prediction and the dashed lines, the worst that the paper found of its model; and
between the outermost values and the ends of the axes, so that these lines lie between them."""

DASHES = alt.Scale(domain=["no", "yes"], range=[[1, 0], [5, 3]])
"""Of a line by whether it is dashed."""


def plot(tested: Sequence[Tested]) -> Plot:
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
        panels=lambda context, rows, cards: list(_panels(tested)),
        columns=2,
    )


def _panels(tested: Sequence[Tested]) -> Iterator[Panel]:
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
    of_points, of_lines = map(alt.NamedData, data)
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    axis = logarithmic(low, high, theme.PANEL_WIDTH // 2)
    x = alt.X("simulated:Q", title=f"simulated, {UNITS[metric]}", scale=scale, axis=axis)
    y = alt.Y("predicted:Q", title=f"predicted, {UNITS[metric]}", scale=scale, axis=axis)
    lines = (
        alt.Chart(of_lines)
        .mark_rule()
        .encode(
            x=x,
            y=y,
            x2="to_simulated:Q",
            y2="to_predicted:Q",
            strokeDash=alt.StrokeDash("dashed:N", legend=None, scale=DASHES),
        )
    )
    marks = alt.Chart(of_points).mark_point(filled=True, size=22, opacity=0.55, clip=True)
    chart = alt.layer(
        lines, marks.encode(x=x, y=y, color=alt.value(HUES[model]), tooltip=_tooltip())
    ).properties(
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


def _tooltip() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("call:N"),
        alt.Tooltip("target:N"),
        alt.Tooltip("simulated:Q", format=",.0f"),
        alt.Tooltip("predicted:Q", format=",.0f"),
        alt.Tooltip("error:N"),
    ]
