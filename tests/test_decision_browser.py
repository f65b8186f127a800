"""The page for decision makers in a browser: its picture is drawn, and it fits a telephone."""

from __future__ import annotations

import pytest

from browser_fixture import MARKS, Browser, count, narrow_page_fits, opened
from ciphermark.command.report import write_report
from decision_example import COSTS, decision_rows, decision_run
from lent_engine import all_algorithms

pytestmark = MARKS


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Browser:
    folder = tmp_path_factory.mktemp("run")
    report = write_report(decision_run(), decision_rows(), folder, facts=all_algorithms())
    opened(browser, report, "dark")
    return browser


def test_it_stands_before_all_figures(page: Browser) -> None:
    first = page.execute_script("return document.querySelector('main > section').id")
    assert first == "decision"
    assert page.get_log("browser") == []


def test_the_picture_has_a_curve_for_each_suite_and_the_lines(page: Browser) -> None:
    text = page.execute_script(
        "return document.querySelector('#decision-chart .panel svg').textContent"
    )
    for said in ("AES-128-GCM", "ChaCha20-Poly1305", "100 Mbit/s", "1 Gbit/s", "10 Gbit/s"):
        assert said in text
    assert count(page, "#decision-chart .panel svg") == 1
    assert count(page, "#decision tbody tr") == len(COSTS)


def test_every_picture_is_drawn_once(page: Browser) -> None:
    assert count(page, ".panel svg") == count(page, ".panel")
    assert count(page, '.panel[data-plot="decision"]') == 1


def test_a_telephone_shows_what_each_suite_carries(page: Browser) -> None:
    sheet = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", sheet)
    ends = page.execute_script(
        "return [...document.querySelectorAll('#decision td')]"
        ".map(cell => cell.getBoundingClientRect().right)"
    )
    page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert ends and max(ends) <= 390


def test_a_narrow_page_does_not_scroll_sideways(page: Browser) -> None:
    assert narrow_page_fits(page)
