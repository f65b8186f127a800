"""What the report says of both models: predictions of left-out processors, and their errors."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
import vl_convert
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.answers.models import backtests, report
from ciphermark.answers.models.backtests import MODELS, ModelTests, model_tests
from ciphermark.answers.models.operation_model import OperationModel
from ciphermark.contract.others import Metric
from ciphermark.view.blocks import Block, Chart, Notes, Section, Table
from ciphermark.view.plots import vegalite
from operations_example import observed
from simulation_example import SIZES, simulated_run, simulations


def call(
    error: float = 0.1, metric: Metric = "cycles-model", processor: str = "sa1110"
) -> backtests.Tested:
    """A call that the paper's model predicts with this error, and the other rightly."""
    return backtests.Tested(
        processor=processor,
        algorithm="md5",
        operation="digest",
        message_bytes=64,
        metric=metric,
        observed=1000.0,
        predicted={"paper-model": 1000.0 * (1 + error), "operation-model": 1000.0},
        low=900.0,
        high=1100.0,
        weight=1.0,
    )


def errors(tests: ModelTests) -> list[Block]:
    """The blocks of the section of errors that are not empty."""
    section = report.blocks(tests)[0]
    assert isinstance(section, Section)
    return [it for it in section.blocks if not it.is_empty]


def test_without_counted_operations_the_reason_is_said() -> None:
    found = model_tests(simulated_run(simulations(["atmega128", "sa1110"])))
    assert found.tested == []
    assert "needs" in found.reason and "ciphermark simulate all" in found.reason
    [said] = errors(found)
    assert isinstance(said, Notes) and found.reason in said.notes[0].text
    assert all(it.is_empty for it in report.blocks(found)[1:])


def test_a_run_without_figures_has_a_reason_too() -> None:
    assert model_tests(simulated_run([])).reason


def test_many_sizes_are_judged_by_three() -> None:
    targets = ("rv32i", "atmega128", "sa1110", "cortex-m4", "octeon")
    found = simulations(targets)
    more = [
        msgspec.structs.replace(it, case=msgspec.structs.replace(it.case, message_bytes=size))
        for it in found
        if it.case.operation == "encrypt" and it.case.message_bytes == SIZES[0]
        for size in range(200, 400, 8)
    ]
    tested = model_tests(simulated_run([*found, *more])).tested
    sizes = {it.message_bytes for it in tested if it.operation == "encrypt"}
    assert len(sizes) == 3 and {SIZES[0], 392} < sizes
    assert {it.processor for it in tested} == {*targets} - {"rv32i"}


def test_errors_are_told_of_all_of_each_metric_and_each_processor() -> None:
    tested = [call(), call(0.5, "instructions", "octeon"), call(-0.3)]
    [table] = errors(ModelTests(tested, ""))
    assert isinstance(table, Table)
    rows = [[cell.text for cell in cells] for _, cells in table.lines()]
    assert [row[0] for row in rows] == [
        *("all", "cycles (model)", "instructions"),
        *("sa1110", "octeon"),
    ]
    assert rows[0][1:] == ["3", "30 %", "50 %", "50 %", "0 %", "0 %", "0 %", "100 %"]


def test_metrics_are_never_between_the_same_axes() -> None:
    tested = [call(), call(metric="instructions"), call(metric="cycles-simulated")]
    drawn = report.predicted_plot(tested).panels
    assert len(drawn) == 3 * len(backtests.MODELS)
    titles = [panel.spec()["title"] for panel in drawn]
    assert len(set(titles)) == len(titles)
    for panel in drawn:
        [points] = [it for name, it in panel.data.items() if name.startswith("predicted")]
        assert len(points) == 1


def test_one_metric_needs_no_panel_of_all() -> None:
    titles = [panel.spec()["title"] for panel in report.errors_plot([call()]).panels]
    assert titles == ["cycles (model)"]


@pytest.mark.slow
@given(st.lists(st.floats(min_value=-0.9, max_value=9), min_size=1, max_size=30))
def test_a_curve_of_errors_rises_within_its_axis(off: list[float]) -> None:
    tested = list(map(call, off))
    for model in backtests.MODELS:
        points = report._curve(tested, model)
        assert [it["share"] for it in points] == [*range(1, 101)]
        percents = [it["percent"] for it in points]
        assert percents == sorted(percents)
        assert report.LEAST_ERROR <= percents[0] <= percents[-1] <= report.GREATEST_ERROR


@pytest.mark.parametrize("ends", ((1.0, 10.0), (50.0, 1e7)))
def test_guiding_lines_stay_within_the_axes(ends: tuple[float, float]) -> None:
    low, high = ends
    for line in report._lines(low, high):
        values = (it for name, it in line.items() if name != "dashed")
        assert all(low <= it <= high for it in values)


@pytest.fixture(scope="module")
def tested() -> list[backtests.Tested]:
    found = observed(noise=0.1)
    return backtests.by_processor(found, OperationModel(found))


@pytest.mark.slow
def test_each_model_has_a_point_for_each_call(tested: list[backtests.Tested]) -> None:
    found = report.predicted_plot(tested).panels
    metrics = {it.metric for it in tested}
    assert len(found) == len(MODELS) * len(metrics)
    drawn = [it for panel in found for name, it in panel.data.items() if "predicted" in name]
    assert sum(map(len, drawn)) == len(MODELS) * len(tested)


def test_errors_rise_to_all_calls(tested: list[backtests.Tested]) -> None:
    points = report.errors_plot(tested).panels[0].data["errors_0"]
    for model in {point["model"] for point in points}:
        curve = [it for it in points if it["model"] == model]
        shares = [point["share"] for point in curve]
        assert shares == sorted(shares)
        assert shares[-1] == pytest.approx(100)
        assert [it["percent"] for it in curve] == sorted(it["percent"] for it in curve)


@pytest.mark.slow
@pytest.mark.parametrize("plot", [report.predicted_plot, report.errors_plot])
def test_the_pictures_can_be_drawn(
    plot: Callable[[list[backtests.Tested]], Chart], tested: list[backtests.Tested]
) -> None:
    for panel in plot(tested).panels:
        assert "<svg" in vl_convert.vegalite_to_svg({"$schema": vegalite.SCHEMA} | panel.spec())
