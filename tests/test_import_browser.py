"""The report of an imported run in a browser: its plot is drawn, and its table answers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from browser_fixture import MARKS, Browser, browser_with, count, opened
from ciphermark.command.report import write_report
from ciphermark.workloads.imported.rows import imported_rows
from imports_example import imported_example

pytestmark = MARKS


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    run = imported_example("botan-2.19.json")
    report = write_report(run, imported_rows(run), tmp_path_factory.mktemp("run"), facts=())
    with browser_with(tmp_path_factory.mktemp("profile")) as driver:
        opened(driver, report, "light")
        yield driver


def test_every_panel_is_drawn_and_the_console_is_silent(page: Browser) -> None:
    assert count(page, ".panel svg") == count(page, ".panel") > 0
    assert page.get_log("browser") == []


def test_the_table_is_filtered_and_what_is_not_known_stands_above(page: Browser) -> None:
    shown = "#summary tbody tr:not([hidden])"
    assert count(page, shown) == 9
    page.find_element("css selector", "#filter").send_keys("sha3")
    assert count(page, shown) == 1
    assert "verified neither" in page.find_element("css selector", "#origin").text
