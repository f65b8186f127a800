"""Sentences and charts of scaling."""

from __future__ import annotations

import json
from typing import Any

import altair as alt
import pytest
import vl_convert
from rich.cells import cell_len

from ciphermark.view.blocks import Chart
from ciphermark.view.plots import vegalite
from ciphermark.view.plots.panel import picture
from ciphermark.workloads.flows import Latencies
from ciphermark.workloads.sessions.document import scaling
from ciphermark.workloads.sessions.plots import over_sessions, throughput
from ciphermark.workloads.sessions.row import SessionRow
from ciphermark.workloads.sessions.scaling import scalings
from on_screen import blocks_on_screen
from scaling_example import ALONE, by_law, session_row
from survey_example import survey_example

CORES = [[0], [1], [2], [3]]


def printed(rows: list[SessionRow], width: int = 160) -> str:
    run, _ = survey_example(["md5"])
    run.context.hello.environment.state.core_cpus = CORES
    return blocks_on_screen([scaling(run.context, rows)], width)


def swept(sigma: float = 0.05, counts: tuple[int, ...] = (10, 100)) -> list[SessionRow]:
    """Up to four CPUs with different numbers of sessions, slightly off Amdahl's law."""
    rows = []
    for sessions in counts:
        for cores, off in zip((1, 2, 3, 4), (1.001, 0.999, 0.998, 1.002), strict=True):
            per_second = off * by_law(cores, sigma)
            latency = int(1e9 * sessions / per_second)
            rows.append(
                session_row(
                    case=len(rows),
                    sessions=sessions,
                    cpus=list(range(cores)),
                    messages_per_second=per_second,
                    apparent_cycles_per_byte=2.0 * ALONE / per_second,
                    latency_ns=Latencies(p50=latency, p90=latency, p99=latency, p999=latency),
                )
            )
    return rows


@pytest.mark.parametrize("width", [80, 120, 160])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    rows = swept()
    text = printed(rows, width)
    assert max(map(cell_len, text.splitlines())) <= width
    assert ("Left out at 80 columns" in text) == (width == 80)


def test_a_line_has_the_law_and_the_knees() -> None:
    rows = swept(sigma=0.5, counts=(10,))
    text = printed(rows)
    line = next(line for line in text.splitlines() if line.startswith("hmac-sha256"))
    assert "hmac-sha256 mac 1 KiB, openssl · shani  10 sessions" in line
    assert " 1–4 " in line
    assert " 50 " in line
    assert ">2, >4" in line
    assert "10 % at some point" not in text


def test_what_is_not_told_is_said_once() -> None:
    rows = [row for row in swept() if row.cores < 3]
    text = printed(rows)
    assert text.count("over cores: the universal scalability law needs 4 different numbers") == 1
    assert text.count("over sessions: the universal scalability law needs 4") == 1
    assert text.count("over cores: two points give the share σ of Amdahl's law without") == 1


def test_a_law_that_misses_its_points_is_marked() -> None:
    rows = swept(counts=(10,))
    rows[1].messages_per_second = 0.7 * ALONE
    text = printed(rows)
    assert "~ the law is off by more than 10 % at some point" in text


def test_more_than_the_cpus_can_do_has_no_law() -> None:
    rows = swept(counts=(10,))
    rows[1].messages_per_second = 3 * ALONE
    found = [it for it in scalings(rows, CORES) if it.over == "cores"]
    text = printed(rows)
    assert "×3.00 is more than 2 CPUs can do" in text
    assert "!" in text
    assert found[0].law is None


def test_nothing_is_printed_of_no_curve() -> None:
    assert printed([]) == ""


def _plots(rows: list[SessionRow]) -> list[Chart]:
    return [throughput(rows, scalings(rows, CORES)), over_sessions(rows, CORES)]


def _picture(chart: Chart) -> dict[str, Any]:
    return picture(chart, "a machine")


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 1])
def test_pictures_are_valid_and_say_what_they_show(number: int) -> None:
    drawn = _picture(_plots(swept())[number])
    alt.Chart.from_dict(drawn, validate=True)
    svg = vl_convert.vegalite_to_svg(drawn, vl_version=vegalite.VERSION)
    assert "hmac-sha256 mac 1 KiB, openssl" in svg
    assert ("messages per second", "cycles per byte")[number] in svg
    assert ("CPUs", "sessions")[number] in svg


def test_the_law_is_drawn_through_what_was_measured() -> None:
    first = _plots(swept())[0].panels[0]
    marks, lines = first.data["marks_0"], first.data["lines_0"]
    assert [mark["number"] for mark in marks] == [1, 2, 3, 4]
    assert all(mark["low"] is None for mark in marks)
    assert (lines[0]["number"], lines[-1]["number"]) == (1, pytest.approx(4))
    assert all(line["low"] < line["value"] < line["high"] for line in lines)


def test_absolute_and_apparent_figures_are_lines_of_their_own() -> None:
    panels = _plots(swept())[1].panels
    assert len(panels) == 4
    assert {mark["name"] for mark in panels[0].data["marks_0"]} == {"absolute", "apparent"}


def test_without_bytes_there_is_nothing_to_draw_over_sessions() -> None:
    rows = swept()
    for row in rows:
        row.absolute_cycles_per_byte = row.apparent_cycles_per_byte = None
    assert _plots(rows)[1].panels == []
    assert json.dumps(_picture(_plots(rows)[0]))
