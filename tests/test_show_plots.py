"""The plots: each is valid Vega-Lite, names its machine, and keeps what it shows apart."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import altair as alt
import pytest
import vl_convert
from hypothesis import given
from hypothesis import strategies as st

from broad_example import PROVIDERS, broad_example
from ciphermark.record.run import Run
from ciphermark.statistics.estimate import Estimate
from ciphermark.view.blocks import Chart
from ciphermark.view.machine import caption
from ciphermark.view.plots import theme, vegalite
from ciphermark.view.plots.drawing import pictured
from ciphermark.view.plots.panel import Panel, picture
from ciphermark.workloads.single.cost_card import CostCard, cost_cards
from ciphermark.workloads.single.plots import charts, over_size
from ciphermark.workloads.single.plots.over_size import spread
from ciphermark.workloads.single.row import Row
from survey_example import COSTS, survey_example

OVER_SIZE = ["cycles-per-byte", "throughput"]
EACH_PLOT = pytest.mark.parametrize("plot", [*OVER_SIZE, "cost-card", "stability"])


def _chart(plot: str, run: Run, rows: list[Row], cards: list[CostCard] | None = None) -> Chart:
    found = charts(run.context, rows, cost_cards(rows) if cards is None else cards)
    return next(it for it in found if it.name == plot)


def _panels(plot: str, run: Run, rows: list[Row]) -> Sequence[Panel]:
    return _chart(plot, run, rows).panels


def _picture(plot: str, run: Run, rows: list[Row]) -> dict[str, Any]:
    return picture(_chart(plot, run, rows), caption(run.context))


@pytest.mark.slow
@EACH_PLOT
def test_pictures_are_valid_vega_lite(plot: str) -> None:
    run, rows = survey_example(["aes-128-gcm"])
    alt.Chart.from_dict(_picture(plot, run, rows), validate=True)


@pytest.mark.slow
@EACH_PLOT
def test_the_picture_names_the_machine_the_run_and_every_algorithm(plot: str) -> None:
    run, rows = survey_example(["aes-128-gcm", "aes-256-gcm", "md5"])
    svg = vl_convert.vegalite_to_svg(_picture(plot, run, rows), vl_version=vegalite.VERSION)
    assert run.context.cpu_name in svg
    assert run.context.machine_name in svg
    assert run.context.run in svg
    assert all(algorithm.title in svg for algorithm in run.context.algorithms)


@pytest.mark.slow
@EACH_PLOT
def test_every_axis_of_figures_has_a_unit(plot: str) -> None:
    run, rows = survey_example(["aes-128-gcm"])
    for panel in _panels(plot, run, rows):
        for layer in panel.spec()["layer"]:
            for name, channel in layer.get("encoding", {}).items():
                if name in ("x", "y") and channel.get("type") == "quantitative":
                    title = channel["title"]
                    assert any(unit in title for unit in ("cycles per", "MB/s", "message size"))


@pytest.mark.slow
@EACH_PLOT
def test_what_failed_is_not_drawn(plot: str) -> None:
    run, rows = survey_example(["camellia-256-cbc"])
    data = [panel.data for panel in _panels(plot, run, rows)]
    assert "rustcrypto" not in json.dumps(data)


@EACH_PLOT
def test_where_all_failed_there_is_nothing_to_draw(plot: str) -> None:
    run, rows = survey_example(["camellia-256-cbc"])
    assert _panels(plot, run, [row for row in rows if row.error is not None]) == []


@pytest.mark.slow
@pytest.mark.parametrize("plot", OVER_SIZE)
def test_a_single_size_can_be_drawn(plot: str) -> None:
    run, rows = survey_example(["aes-128-gcm", "md5"])
    spec = _picture(plot, run, [row for row in rows if row.message_bytes == 1024])
    assert "1 KiB" in vl_convert.vegalite_to_svg(spec, vl_version=vegalite.VERSION)


@pytest.mark.slow
@pytest.mark.parametrize("plot", OVER_SIZE)
def test_no_panel_has_more_algorithms_than_there_are_hues(plot: str) -> None:
    run, rows = survey_example()
    for algorithm in run.context.algorithms:
        algorithm.kind = "hash"
    for row in rows:
        row.operation = "digest" if row.operation != "setup" else "setup"
    panels = _panels(plot, run, rows)
    titles = [panel.spec()["title"] for panel in panels]
    assert titles == [f"Hashes · digest ({number} of 4)" for number in (1, 2, 3, 4)]
    drawn = [_algorithms(panel) for panel in panels]
    assert all(len(algorithms) <= len(theme.HUES) for algorithms in drawn)
    assert len(set.union(*drawn)) == len(COSTS)


@pytest.mark.parametrize("plot", OVER_SIZE)
def test_many_libraries_have_a_panel_for_each_algorithm_and_names_at_their_lines(
    plot: str,
) -> None:
    run, rows = broad_example(algorithms=4, share=0.9, sizes=(16, 1024))
    panels = _panels(plot, run, rows)
    for panel in panels:
        [algorithm] = _algorithms(panel)
        assert panel.spec()["title"].startswith(algorithm)
        names = {name: data for name, data in panel.data.items() if name.startswith("labels")}
        shown = [label["text"] for label in _only(names) if "bytes" in label]
        assert len(shown) == len(set(shown))
        assert set(shown) == {point["line"] for point in _points(panel)}
        places = sorted(label["label"] for label in _only(names))
        [axis] = {
            tuple(layer["encoding"]["y"]["scale"]["domain"]) for layer in panel.spec()["layer"]
        }
        assert axis[0] <= places[0] and places[-1] <= axis[1] * 1.0001
    signs: dict[str, list[Any]] = {}
    for layer in panels[0].spec()["layer"]:
        for channel in ("color", "strokeDash"):
            scale = layer["encoding"].get(channel, {}).get("scale")
            if scale:
                for name, sign in zip(scale["domain"], scale["range"], strict=True):
                    signs.setdefault(f"{channel} {name}", []).append(json.dumps(sign))
    lines = [name.removeprefix("color ") for name in signs if name.startswith("color ")]
    pairs = {(signs[f"color {it}"][0], signs[f"strokeDash {it}"][0]) for it in lines}
    assert len(pairs) == len(lines) > len(theme.HUES), "no two lines look the same"


def test_shapes_of_fourteen_libraries_are_all_different() -> None:
    assert len(set(theme.SHAPES)) >= len(PROVIDERS)


def test_a_single_size_is_drawn_as_bars_the_best_first() -> None:
    run, rows = broad_example(algorithms=2, share=0.9, sizes=(1024,))
    for plot, is_better in ((OVER_SIZE[0], min), (OVER_SIZE[1], max)):
        for panel in _panels(plot, run, rows):
            bars = _only(panel.data)
            values = [bar["value"] for bar in bars]
            assert values[0] == is_better(values) and len({bar["line"] for bar in bars}) > 5
            marks = [layer["mark"]["type"] for layer in panel.spec()["layer"]]
            assert marks == ["bar", "rule", "text"]
            assert "1 KiB" in panel.spec()["title"]


def _algorithms(panel: Panel) -> set[str]:
    return {point["algorithm"] for point in _points(panel)}


def _points(panel: Panel) -> Any:
    return next(data for name, data in panel.data.items() if name.startswith("points"))


@pytest.mark.slow
def test_an_algorithm_keeps_its_hue_from_panel_to_panel() -> None:
    run, rows = survey_example()
    hues: dict[str, set[str]] = {}
    for plot in OVER_SIZE:
        for panel in _panels(plot, run, rows):
            for layer in panel.spec()["layer"]:
                scale = layer["encoding"].get("color", {}).get("scale", {"domain": [], "range": []})
                for title, hue in zip(scale["domain"], scale["range"], strict=True):
                    hues.setdefault(title, set()).add(hue)
    assert set(hues) == {algorithm.title for algorithm in run.context.algorithms}
    assert all(len(found) == 1 for found in hues.values())


def test_unsettled_cases_carry_the_number_of_their_reason() -> None:
    run, rows = survey_example()
    stability = _chart("stability", run, rows)
    cells = [cell for panel in stability.panels for cell in _only(panel.data)]
    framed = [cell["text"] + cell["number"] for cell in cells if not cell["settled"]]
    assert framed == ["1.8 (1)", "1.8 (2)", "1.8 (3)"]
    assert stability.notes[2] == "(3) hmac-sha512 mac, openssl, 16 KiB: 61 % of samples disturbed"


def test_a_cost_at_or_below_nothing_is_drawn_hollow_at_the_edge() -> None:
    run, rows = survey_example(["aes-128-gcm"])
    cards = cost_cards(rows)
    line = cards[0].long._replace(fixed=Estimate(-15.0, -44.0, 14.0))
    cards[0].lines = [line]
    panel = _chart("cost-card", run, rows, cards).panels[0]
    points = _only(panel.data)
    (hollow,) = [point for point in points if point["value"] <= 0]
    assert hollow["drawn"] == hollow["from"] == min(point["drawn"] for point in points)
    assert hollow["drawn"] > 0
    assert hollow["shown"] == "-15.0 ±29.0"


def test_backends_of_a_provider_have_lines_of_their_own() -> None:
    run, rows = survey_example(["md5"])
    for row in rows:
        row.provider, row.backend = "openssl", f"backend-of-{row.provider}"
    (panel,) = _panels("stability", run, rows)
    assert {cell["line"] for cell in _only(panel.data)} == {
        "MD5 · openssl · backend-of-openssl",
        "MD5 · openssl · backend-of-rustcrypto",
    }


def _only(data: dict[str, Any]) -> Any:
    (values,) = data.values()
    return values


PLACES = st.lists(st.floats(0, 300), min_size=1, max_size=20)


@given(PLACES)
def test_labels_are_apart_and_in_order(wanted: list[float]) -> None:
    placed = spread(wanted, 13, 0, 300)
    pairs = sorted(zip(wanted, placed, strict=True))
    for (_, above), (_, below) in zip(pairs, pairs[1:], strict=False):
        assert below - above >= 13 - 1e-6
    assert min(placed) >= 0
    if 13 * (len(wanted) - 1) <= 300:
        assert max(placed) <= 300 + 1e-6


@given(st.lists(st.integers(0, 20), min_size=1, unique=True))
def test_labels_with_room_stay_where_they_want_to_be(steps: list[int]) -> None:
    wanted = [15.0 * step for step in steps]
    assert spread(wanted, 13, 0, 300) == wanted


@pytest.mark.parametrize("code", [*range(0x20), 0x7F, 0xFFFE, 0xFFFF])
def test_no_character_of_a_name_keeps_a_picture_from_being_drawn(code: int) -> None:
    """Those that XML forbids made the renderer abort the whole process."""
    run, rows = survey_example(["md5"])
    run.context.machine_name = f"<{chr(code)}>"
    subtitle = _picture("throughput", run, rows)["title"]["subtitle"][0]
    if code < 0x20 and chr(code) not in "\t\n\r" or code > 0xFF:
        assert "<\ufffd>" in subtitle
    else:
        assert f"<{chr(code)}>" in subtitle


def test_more_lines_than_hues_and_dashes_are_drawn() -> None:
    """A survey of 14 libraries has some 60 code paths in all."""
    names = [f"library · path {number}" for number in range(60)]
    dash = over_size._dash(dict(zip(names, theme.each(theme.HUES, names), strict=True)))
    assert len(dash["scale"]["range"]) == len(names)


def test_a_name_of_any_length_is_drawn() -> None:
    """Laying out 100,000 characters takes hours, and cannot be stopped."""
    run, rows = survey_example(["aes-128-gcm"])
    run.context.machine_name = "x" * 100_000
    svg, png = pictured(_picture("throughput", run, rows))
    assert svg.startswith(b"<svg") and png
