"""Reports of other workloads in a browser: their plots are drawn, and their tables answer."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from browser_fixture import MARKS, Browser, count, narrow_page_fits, opened
from ciphermark.command.report import write_report
from ciphermark.record.run import Run
from ciphermark.workload import AnyRows, rows
from imports_example import imported_example
from workload_examples import EXAMPLES

pytestmark = MARKS


def _imported() -> tuple[Run, AnyRows]:
    run = imported_example("botan-2.19.json")
    return run, rows(run)


@pytest.mark.parametrize(
    ("example", "theme", "panels", "lines", "words", "left"),
    [
        pytest.param(EXAMPLES["sessions"], "light", 11, 13, "aes 0-1", 3, id="sessions"),
        pytest.param(EXAMPLES["simulation"], "dark", 8, 12, "octeon idea", 1, id="simulation"),
        pytest.param(EXAMPLES["tunnel"], "dark", 4, 11, "openvpn 1400", 1, id="tunnel"),
        pytest.param(_imported, "light", 1, 9, "sha3", 1, id="imported"),
    ],
)
def test_plots_are_drawn_and_the_table_is_filtered(
    browser: Browser,
    tmp_path_factory: pytest.TempPathFactory,
    example: Callable[[], tuple[Run, AnyRows]],
    theme: str,
    panels: int,
    lines: int,
    words: str,
    left: int,
) -> None:
    report = write_report(*example(), tmp_path_factory.mktemp("run"))
    opened(browser, report, theme)
    assert count(browser, ".panel") >= panels
    assert count(browser, ".panel svg") == count(browser, ".panel")
    assert browser.get_log("browser") == []
    shown = "#summary tbody tr:not([hidden])"
    assert count(browser, shown) == lines
    browser.find_element("css selector", "#filter").send_keys(words)
    assert count(browser, shown) == left
    browser.find_element("css selector", "#filter").clear()
    assert narrow_page_fits(browser)


def test_of_an_imported_run_what_is_not_known_stands_above(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    report = write_report(*_imported(), tmp_path_factory.mktemp("run"), facts=())
    opened(browser, report, "light")
    assert "verified neither" in browser.find_element("css selector", "#figures").text
