"""A headless browser in which reports are looked at."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

LONGEST_SCRIPT_S = 180
"""Beside a busy neighbour axe-core takes over half a minute for a long page."""

MARKS = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not (CHROMIUM.exists() and DRIVER.exists()),
        reason="no browser: apt-get install chromium chromium-driver",
    ),
]
"""Of every test that needs it."""

Browser = Any
"""A webdriver of selenium, which may not be installed."""


@contextmanager
def browser_with(profile: Path) -> Iterator[Browser]:
    """A browser that keeps what it keeps in that folder."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(str(DRIVER)))
    driver.set_script_timeout(LONGEST_SCRIPT_S)
    yield driver
    driver.quit()


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """The browser of all tests of a process: starting one takes seconds."""
    with browser_with(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture(scope="module")
def browser(chromium: Browser) -> Browser:
    """A browser with a wide light window and an empty log."""
    chromium.get("about:blank")
    chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    for kind in ("browser", "performance"):
        chromium.get_log(kind)
    return chromium


def opened(browser: Browser, report: Path, theme: str) -> None:
    """Opens a report and waits until every plot is drawn."""
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": theme}]},
    )
    browser.get(report.as_uri())
    wait_until_drawn(browser, theme)


def wait_until_drawn(browser: Browser, theme: str) -> None:
    """Waits until every plot is drawn in the colours of a theme."""
    from selenium.webdriver.support.wait import WebDriverWait

    undrawn = f"return document.querySelectorAll('.panel:not([data-drawn={theme}])').length"
    WebDriverWait(browser, 60).until(lambda _: browser.execute_script(undrawn) == 0)


def count(browser: Browser, selector: str) -> int:
    """How many elements a page has of a kind."""
    return browser.execute_script("return document.querySelectorAll(arguments[0]).length", selector)


def narrow_page_fits(browser: Browser) -> bool:
    """Whether a page on a telephone need not be scrolled sideways."""
    metrics = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    width = browser.execute_script("return document.documentElement.scrollWidth")
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    return width <= 390
