"""The plots of what models are worth."""

from __future__ import annotations

import altair as alt
import pytest
import vl_convert

from ciphermark.answers.models import backtests, report_plots
from ciphermark.answers.models.backtests import MODELS
from ciphermark.answers.models.operation_model import OperationModel
from ciphermark.show.plots.panel import Panel, Plot
from operations_example import observed


@pytest.fixture(scope="module")
def tested() -> list[backtests.Tested]:
    found = observed(noise=0.1)
    return backtests.by_processor(found, OperationModel(found))


def panels(plot: Plot) -> list[Panel]:
    return plot.panels(None, [], [])  # type: ignore[arg-type]  # they need no run


@pytest.mark.slow
def test_each_model_has_a_point_for_each_call(tested: list[backtests.Tested]) -> None:
    found = panels(report_plots.predicted_plot(tested))
    metrics = {it.metric for it in tested}
    assert len(found) == len(MODELS) * len(metrics)
    drawn = [it for panel in found for name, it in panel.data.items() if "predicted" in name]
    assert sum(map(len, drawn)) == len(MODELS) * len(tested)


def test_errors_rise_to_all_calls(tested: list[backtests.Tested]) -> None:
    points = panels(report_plots.errors_plot(tested))[0].data["errors_0"]
    for model in {point["model"] for point in points}:
        curve = [it for it in points if it["model"] == model]
        shares = [point["share"] for point in curve]
        assert shares == sorted(shares)
        assert shares[-1] == pytest.approx(100)
        assert [it["percent"] for it in curve] == sorted(it["percent"] for it in curve)


@pytest.mark.slow
@pytest.mark.parametrize("module", [report_plots, report_plots])
def test_the_pictures_can_be_drawn(module: object, tested: list[backtests.Tested]) -> None:
    for panel in panels(module.plot(tested)):
        assert "<svg" in vl_convert.vegalite_to_svg({"$schema": alt.SCHEMA_URL} | panel.spec())
