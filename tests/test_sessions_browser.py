"""The report of many sessions in a browser: its plots are drawn, and its table answers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from browser_fixture import MARKS, Browser, browser_with, count, opened
from ciphermark.command.report import write_report
from sessions_example import sessions_example

pytestmark = MARKS


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    run, rows = sessions_example()
    report = write_report(run, rows, tmp_path_factory.mktemp("run"))
    with browser_with(tmp_path_factory.mktemp("profile")) as driver:
        opened(driver, report, "light")
        yield driver


def test_every_panel_is_drawn_and_the_console_is_silent(page: Browser) -> None:
    panels = count(page, ".panel")
    assert panels >= 2 + 2 + 1 + 3 + 3
    assert count(page, ".panel svg") == panels
    assert page.get_log("browser") == []


def test_the_table_is_filtered(page: Browser) -> None:
    shown = "#summary tbody tr:not([hidden])"
    assert count(page, shown) == 13
    page.find_element("css selector", "#filter").send_keys("aes 0-1")
    assert count(page, shown) == 3
    page.find_element("css selector", "#filter").clear()


def test_a_narrow_page_does_not_scroll_sideways(page: Browser) -> None:
    metrics = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    assert page.execute_script("return document.documentElement.scrollWidth") <= 390
