"""How the errors of models are distributed, on processors that they have not seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import altair as alt
import numpy as np

from ciphermark.answers.models.backtests import MODELS, Model, Tested
from ciphermark.show import figures
from ciphermark.show.plots import theme
from ciphermark.show.plots.axes import logarithmic
from ciphermark.show.plots.panel import Panel, Plot, Points
from ciphermark.statistics.quantiles import weighted_quantile
from ciphermark.workloads.simulation.plots.models.words import AXIS_ROOM, HUES, TITLES, by_metric
from ciphermark.workloads.simulation.remarks import METRICS

LEAST_ERROR, GREATEST_ERROR = 1.0, 300.0
"""In percent: the ends of the axis of errors, at which lie those beyond."""

MARKED = 10
"""Percent of the calls from one mark of a curve to the next."""


def plot(tested: Sequence[Tested]) -> Plot:
    """The share of calls that each model predicts at least so well."""
    return Plot(
        name="errors-of-models",
        title="Errors on processors that were left out",
        explanation=(
            "The share of calls, each function counting once on each processor, whose prediction "
            "is off by no more than that. Higher is better."
        ),
        hint="",
        panels=lambda context, rows, cards: list(_panels(tested)),
        columns=2,
    )


def _panels(tested: Sequence[Tested]) -> Iterator[Panel]:
    """Of all figures, and of those of each metric where there are several."""
    parts = {METRICS[metric]: own for metric, own in by_metric(tested).items()}
    every = {"all figures": tested} if len(parts) > 1 else {}
    for number, (title, own) in enumerate((every | parts).items()):
        yield _distribution(number, title, own)


def _distribution(number: int, title: str, tested: Sequence[Tested]) -> Panel:
    data = f"errors_{number}"
    points = [point for model in MODELS for point in _curve(tested, model)]
    names = list(TITLES.values())
    legend = alt.Legend(title=None, orient="top", labelLimit=theme.PANEL_WIDTH)
    hues = alt.Scale(domain=names, range=[HUES[model] for model in TITLES])
    shapes = alt.Scale(domain=names, range=list(theme.SHAPES[: len(names)]))
    base = alt.Chart().encode(
        x=alt.X(
            "percent:Q",
            title="error at most, %",
            scale=alt.Scale(type="log", domain=[LEAST_ERROR, GREATEST_ERROR], nice=False),
            axis=logarithmic(LEAST_ERROR, GREATEST_ERROR, theme.PANEL_WIDTH),
        ),
        y=alt.Y("share:Q", title="% of calls", scale=alt.Scale(domain=[0, 100])),
        color=alt.Color("model:N", scale=hues, legend=legend),
    )
    marks = base.mark_point(filled=True, size=44, opacity=1).transform_filter(
        f"datum.share % {MARKED} == 0"
    )
    chart = alt.layer(
        base.mark_line(interpolate="step-after", strokeWidth=1.8),
        marks.encode(
            shape=alt.Shape("model:N", scale=shapes, legend=legend),
            tooltip=[alt.Tooltip("model:N"), alt.Tooltip("said:N", title="error")],
        ),
        data=alt.NamedData(data),
    ).properties(title=title, width=theme.PANEL_WIDTH, height=theme.PANEL_HEIGHT)
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
