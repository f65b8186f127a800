"""The report in a browser: its plots are drawn, its table answers, and it loads nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from broad_example import broad_example
from browser_fixture import MARKS, Browser, count, opened, wait_until_drawn
from ciphermark.command.report import write_report
from survey_example import survey_example

pytestmark = MARKS


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run, rows = survey_example()
    return write_report(run, rows, tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def page(browser: Browser, report: Path) -> Browser:
    """The browser with the report open and every plot drawn."""
    opened(browser, report, "light")
    return browser


def _rows(browser: Browser, column: int) -> list[str]:
    """The texts of a column of the table of figures, of the lines that are shown."""
    return browser.execute_script(
        "return [...document.querySelectorAll('#summary tbody tr:not([hidden])')]"
        ".map(row => row.cells[arguments[0]].textContent)",
        column,
    )


def test_every_panel_is_drawn_with_its_marks(page: Browser) -> None:
    panels = count(page, ".panel")
    assert panels == 6 + 6 + 3 + 6
    assert count(page, ".panel svg") == panels
    marks = page.execute_script(
        "return [...document.querySelectorAll('.panel')]"
        ".map(panel => panel.querySelectorAll(arguments[0]).length)",
        ".mark-line path, .mark-symbol path, .mark-rect path",
    )
    assert min(marks) > 10


def test_the_console_is_silent_and_nothing_is_loaded(page: Browser, report: Path) -> None:
    assert page.get_log("browser") == []
    events = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    # Chromium's own pages load things as well, before the report is opened.
    requested = {
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
        and event["params"]["documentURL"] == report.as_uri()
    }
    assert {url for url in requested if not url.startswith("data:")} == {report.as_uri()}


def test_the_filter_leaves_the_lines_with_all_its_words(page: Browser) -> None:
    lines = len(_rows(page, 0))
    field = page.find_element("id", "filter")
    field.send_keys("aes-128 OPENSSL gcm")
    assert _rows(page, 0) == ["AES-128-GCM", "AES-128-GCM"]
    assert page.find_element("id", "shown").text == f"2 of {lines} lines"
    field.clear()
    field.send_keys(" ")
    assert len(_rows(page, 0)) == lines


def test_a_section_can_be_chosen(page: Browser) -> None:
    from selenium.webdriver.support.select import Select

    choice = Select(page.find_element("id", "section"))
    choice.select_by_visible_text("Hashes · digest")
    assert set(_rows(page, 1)) == {"digest"}
    choice.select_by_visible_text("everything")


def test_a_heading_sorts_by_value_and_keeps_the_empty_last(page: Browser) -> None:
    column = 3 + 4
    button = page.find_elements("css selector", "#summary thead tr:last-child th button")[column]
    for reverse in (False, True):
        page.execute_script("arguments[0].click()", button)
        shown = _rows(page, column)
        filled = [text for text in shown if text]
        assert "" not in shown[: len(filled)]
        values = [float(text.lstrip("~").replace("\u202f", "")) for text in filled]
        assert values == sorted(values, reverse=reverse)


def _seen(page: Browser) -> list[str]:
    """The captions of the matrices that are seen."""
    captions = page.find_elements("css selector", "#matrix caption")
    return [it.text for it in captions if it.is_displayed()]


def test_the_matrix_shows_the_chosen_operation_and_size(page: Browser) -> None:
    from selenium.webdriver.support.select import Select

    sending = "seal, encrypt, mac, digest"
    assert _seen(page) == [f"Cycles per byte at 1 KiB: {sending}"]
    side, size = (Select(page.find_element("id", name)) for name in ("side", "size"))
    size.select_by_visible_text("16 KiB")
    assert _seen(page) == [f"Cycles per byte at 16 KiB: {sending}"]
    side.select_by_visible_text("receiving")
    assert _seen(page) == ["Cycles per byte at 16 KiB: open, decrypt"]
    side.select_by_visible_text("key setup")
    assert _seen(page) == ["Cycles per key: setup"]
    assert not page.find_element("id", "size").is_enabled()
    side.select_by_visible_text("sending")
    assert _seen(page) == [f"Cycles per byte at 16 KiB: {sending}"]


def test_a_click_on_a_line_brings_its_algorithm_out(page: Browser) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    panel = page.find_element("css selector", "#cycles-per-byte .panel")
    faint = ".mark-line path[opacity='0.12']"
    assert panel.find_elements("css selector", faint) == []
    mark = panel.find_element("css selector", ".mark-symbol path[aria-label]")
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", mark)
    ActionChains(page).move_to_element(mark).click().perform()
    lines = panel.find_elements("css selector", ".mark-line path")
    assert 0 < len(panel.find_elements("css selector", faint)) < len(lines)


def test_it_follows_the_colours_of_the_system(page: Browser, report: Path) -> None:
    def paper() -> str:
        return page.execute_script("return getComputedStyle(document.body).backgroundColor")

    light = paper()
    page.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": "dark"}]},
    )
    wait_until_drawn(page, "dark")
    assert paper() != light


def test_a_telephone_shows_it_without_scrolling_sideways(page: Browser, report: Path) -> None:
    page.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True},
    )
    opened(page, report, "light")
    assert page.execute_script("return document.documentElement.scrollWidth") <= 390


def test_a_broad_matrix_scrolls_in_its_box_and_keeps_its_names(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ciphermark.workloads.single.plots.charts", lambda *_: ())
    run, rows = broad_example(share=1.0, sizes=(1024,))
    browser.get(write_report(run, rows, tmp_path).as_uri())
    box = browser.find_element("css selector", "#matrix .scroll")
    page_width = (
        "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )
    assert browser.execute_script(page_width)
    browser.execute_script("arguments[0].scrollTo(10000, 10000)", box)
    corner = box.find_element("css selector", "thead th")
    last = box.find_elements("css selector", "tbody th[scope=row]")[-1]
    assert corner.rect["y"] == pytest.approx(box.rect["y"], abs=3)
    assert corner.rect["x"] == pytest.approx(box.rect["x"], abs=3)
    assert last.rect["x"] == pytest.approx(box.rect["x"], abs=3)


def test_scripts_that_are_not_the_reports_own_do_not_run(
    browser: Browser, report: Path, tmp_path: Path
) -> None:
    text = report.read_text("utf-8")
    assert "'unsafe-inline'" not in text.partition("script-src")[2].partition(";")[0]
    planted = tmp_path / "planted.html"
    script = "<script>document.documentElement.dataset.planted = 'ran'</script></body>"
    planted.write_text(text.replace("</body>", script), "utf-8")
    browser.get(planted.as_uri())
    assert browser.execute_script("return document.documentElement.dataset.planted") is None
    refusals = [entry["message"] for entry in browser.get_log("browser")]
    assert any("Content Security Policy" in refusal for refusal in refusals)
