"""The site in a browser: search, hostile runs, as files and from a server."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from browser_fixture import MARKS, Browser, count, narrow_page_fits, wait_until_drawn
from ciphermark.record.store import Store
from ciphermark.site.pages import PAGES
from ciphermark.workload import rows_table
from machines_example import machine_run
from planner_example import planner_rows, planner_run
from sessions_example import sessions_example
from site_example import HOSTILE, add, built, hostile, team
from synthetic import synthetic_cases, synthetic_run

pytestmark = [*MARKS, pytest.mark.slow]

NODE_MODULES = Path(__file__).parents[1] / ".venv" / "page-checks" / "node_modules"
AXE = NODE_MODULES / "axe-core" / "axe.min.js"
READY = "'ready' in document.documentElement.dataset"
A4_PIXELS = 794
"""Width of a page of A4 at 96 to the inch."""

LEAST_SHIFT = 0.01
"""Of layout: what a reader sees moving is far more; 0.1 is called good (web.dev, CLS)."""

WCAG = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, Path]:
    """A team's store with a hostile run in it and two of one machine, and its site."""
    folder = tmp_path_factory.mktemp("site")
    store = team(folder / "runs")
    hostile(store)
    store.save(planner_run(), rows_table(planner_rows(), "single"))
    add(
        store,
        machine_run(71, "twin"),
        machine_run(72, "twin", slower={"sha256": 1.2, "aes-128-gcm": 0.9}),
        synthetic_run(synthetic_cases(["sha256"]), rounds=3, seed=73, machine="twin"),
    )
    run, its_rows = sessions_example()
    run.context = msgspec.structs.replace(run.context, run="20261119-101500-5e55")
    store.save(run, rows_table(its_rows, "sessions"))
    assert built(store, folder / "site", reports=6).problems == []
    return store, folder / "site"


Opened = Callable[..., Browser]


@pytest.fixture(scope="module")
def opened(browser: Browser, site: tuple[Store, Path]) -> Opened:
    """Opens a page as a file, and waits until its script is done and nothing is to be drawn."""

    def open_page(name: str, base: str | None = None, theme: str = "light") -> Browser:
        features = [{"name": "prefers-color-scheme", "value": theme}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        browser.get("about:blank")
        browser.get_log("browser")
        browser.get(f"{base or site[1].as_uri()}/{name}")
        if not name.startswith(("machines", "functions", "studies")):
            wait(browser, f"return {READY}")
        wait_until_drawn(browser, theme)
        return browser

    return open_page


def wait(browser: Browser, script: str) -> None:
    from selenium.webdriver.support.wait import WebDriverWait

    WebDriverWait(browser, 60).until(lambda _: browser.execute_script(script))


def listed(browser: Browser) -> list[str]:
    """The runs that the list shows."""
    rows = "[...document.querySelectorAll('#runs tbody tr')]"
    return browser.execute_script(f"return {rows}.map(row => row.cells[0].textContent)")


def pages(out: Path) -> list[str]:
    """Every page with everything that it can show."""
    kinds = ("run", "machine", "function", "study")
    of_kinds = [
        f"{kind}.html?{kind}={path.stem}"
        for kind in kinds
        for path in sorted((out / "data" / kind).glob("*.js"))
    ]
    return [*(page.name for page in PAGES if not page.kind), *of_kinds]


def one_of_each(site: tuple[Store, Path]) -> list[str]:
    """A page of each kind with all that it can show, of runs one of each workload."""
    store, out = site
    workloads = {it.run: it.workload for it in store.summaries()}
    named: dict[object, str] = {}
    for name in pages(out):
        page, _, key = name.partition("?")
        run = key.removeprefix("run=")
        has_report = not (out / "data/figures" / f"{run}.js").exists()
        named[page, workloads.get(run), has_report] = name
    plans = "planner.html?protocol=all&ways=both&rate=1&packets=one+size&size=900"
    return [*named.values(), plans]


class Visit(NamedTuple):
    """What a page was seen to be."""

    name: str
    hit: object
    console: list[dict[str, Any]]
    foreign: int
    """Elements that no page of the site has: a text has become one."""
    shows_script: bool
    """Whether a script of the hostile run is there as text."""
    fits_telephone: bool
    figures: list[tuple[str, str]]
    """Numbers below the costs of messages on a function's page, each with the address behind it."""


@pytest.fixture(scope="module")
def visits(site: tuple[Store, Path], opened: Opened) -> list[Visit]:
    """All pages, each opened once: some take seconds to draw."""
    return [visit(opened(name), name) for name in pages(site[1])]


def visit(page: Browser, name: str) -> Visit:
    return Visit(
        name,
        hit=page.execute_script("return window.hit"),
        console=page.get_log("browser"),
        foreign=count(page, "img, b.x, script:not([src], [type='application/json'])"),
        shows_script=page.execute_script(
            "return document.body.textContent.includes('<script>window.hit=1</script>')"
        ),
        fits_telephone=narrow_page_fits(page),
        figures=page.execute_script(
            """return [...document.querySelectorAll("section:not(#figures) td.number")].map(
              (cell) => [cell.textContent, cell.firstElementChild?.search ?? ""])"""
        ),
    )


def test_no_page_runs_what_a_run_has_in_its_texts_and_no_console_has_a_word(
    visits: list[Visit],
) -> None:
    for page in visits:
        assert (page.hit, page.console, page.foreign) == (None, [], 0), page.name
    assert sum(page.shows_script for page in visits) >= 4  # it is shown, as text


def test_reports_of_hostile_runs_run_nothing_either(
    site: tuple[Store, Path], browser: Browser, tmp_path: Path
) -> None:
    from ciphermark.command.report import write_report
    from ciphermark.workload import rows

    [run] = [it for it in site[0].run_ids() if HOSTILE in site[0].context(it).command]
    loaded = site[0].load(run)
    path = write_report(loaded, rows(loaded), tmp_path, facts=())
    browser.get("about:blank")
    browser.get_log("browser")
    browser.get(path.as_uri())
    wait_until_drawn(browser, "light")
    assert browser.execute_script("return window.hit") is None
    assert browser.get_log("browser") == []


def test_search_and_filters_leave_the_runs_that_have_all_of_it(
    site: tuple[Store, Path], opened: Opened
) -> None:
    from selenium.webdriver.support.select import Select

    store, _ = site
    page = opened("index.html")
    every = store.run_ids()
    assert sorted(listed(page), reverse=True) == every
    words = page.find_element("id", "words")
    words.send_keys("XEON aes-128-gcm")
    [run] = listed(page)
    assert store.context(run).machine_name == "xeon"
    assert page.find_element("id", "shown").text == f"1 of {len(every)} runs"
    words.clear()
    words.send_keys(" ")
    Select(page.find_element("id", "workload")).select_by_visible_text("simulated processors")
    assert {store.context(it).workload for it in listed(page)} == {"simulation"}
    Select(page.find_element("id", "workload")).select_by_visible_text("all")
    Select(page.find_element("id", "algorithm")).select_by_visible_text("chacha20-poly1305")
    assert 0 < len(listed(page)) < len(every)
    # A link keeps what was chosen, and so does the way back.
    before = listed(page)
    page.find_elements("css selector", "#runs tbody a")[0].click()
    wait(page, f"return document.body.dataset.kind === 'run' && {READY}")
    page.back()
    wait(page, f"return document.getElementById('runs') && {READY}")
    assert listed(page) == before


def test_a_keyboard_finds_and_opens_a_run(site: tuple[Store, Path], opened: Opened) -> None:
    from selenium.webdriver import ActionChains, Keys

    page = opened("index.html")

    def press(*keys: str) -> Any:
        ActionChains(page).send_keys(*keys).perform()
        return page.switch_to.active_element

    def until(script: str) -> Any:
        """Goes from one element to the next until one fits."""
        for _ in range(60):
            press(Keys.TAB)
            if page.execute_script(f"return document.activeElement.{script}"):
                return page.switch_to.active_element
        pytest.fail(f"no element is reached that {script}")

    skip = press(Keys.TAB)
    assert skip.text == "Skip to the content" and skip.rect["x"] >= 0
    press(Keys.ENTER)
    assert press(Keys.TAB).get_attribute("id") == "words", "the navigation is skipped"
    press("twin")
    run = until("matches('#runs a')").text
    press(Keys.ENTER)
    wait(page, f"return document.body.dataset.kind === 'run' && {READY}")
    assert run in page.find_element("class name", "origin").text
    page = opened("planner.html")
    headline = "return document.getElementById('headline').textContent"
    assert "Yes" not in page.execute_script(headline)
    until("matches('[name=rate]')")
    press(".", "1")
    assert page.execute_script(headline).startswith("Yes: 0.100 Gbit/s")


def test_the_page_of_a_run_names_the_commands_that_compare_it(
    site: tuple[Store, Path], opened: Opened
) -> None:
    run = next(it.run for it in site[0].summaries() if it.machine_name == "epyc-a")
    page = opened(f"run.html?run={run}")
    typed = [it.text for it in page.find_elements("css selector", "#compare code")]
    assert typed[0] == f"ciphermark compare {run} OTHER"
    assert typed[1].startswith(f"ciphermark compare {run}:openssl {run}:")


def test_a_plain_server_shows_the_same(site: tuple[Store, Path], opened: Opened) -> None:
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(site[1]))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        base = f"http://127.0.0.1:{server.server_port}"
        files = listed(opened("index.html"))
        page = opened("index.html", base)
        assert listed(page) == files and page.get_log("browser") == []
        page = opened(f"run.html?run={files[0]}", base, "dark")
        assert count(page, ".panel svg") == count(page, ".panel")
        assert page.get_log("browser") == []
        loaded = page.execute_script(
            "return performance.getEntriesByType('resource').map(it => it.name)"
        )
        assert loaded and all(it.startswith((base, "data:")) for it in loaded)
    finally:
        server.shutdown()


def test_what_is_not_there_is_said(
    opened: Opened, browser: Browser, site: tuple[Store, Path]
) -> None:
    for query in ("", "?run=20200101-000000-0000", "?run=../../etc/passwd", "?run=%3Cscript%3E"):
        browser.get(f"{site[1].as_uri()}/run.html{query}")
        wait(browser, "return document.querySelector('h1').textContent === 'There is no such run'")


def test_telephones_show_all_pages_without_scrolling_sideways(visits: list[Visit]) -> None:
    assert [page.name for page in visits if not page.fits_telephone] == []


def test_on_a_telephone_each_run_says_all_that_the_list_has(
    site: tuple[Store, Path], opened: Opened, browser: Browser
) -> None:
    seen_at(browser, 360)
    page = opened("index.html")
    hidden = page.execute_script(
        """return [...document.querySelectorAll('#runs tbody td')].filter((cell) => {
          const { left, right } = cell.getBoundingClientRect();
          return cell.textContent && (left < 0 || right > innerWidth);
        }).map((cell) => cell.textContent)"""
    )
    assert hidden == []
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def seen_at(browser: Browser, width: int, **media: str) -> None:
    """Looks at pages of this width, on a screen or as media say."""
    metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)


CUT_OFF = """
const style = (it) => getComputedStyle(it);
return [...document.querySelectorAll("pre, .features, ol")].filter((it) => it.checkVisibility() && (
  it.scrollWidth > it.clientWidth + 1 ||
  (it.tagName === "OL" && parseFloat(style(it).paddingLeft) < 2.5 * parseFloat(style(it).fontSize))
)).map((it) => it.outerHTML.slice(0, 80));
"""
"""Blocks that are wider than their place, and lists whose numbers of three digits have no room."""


def fits_paper(page: Browser, name: str) -> None:
    """It has no controls, and is wide enough for all of the page."""
    seen_at(page, A4_PIXELS, media="print")
    left = page.execute_script(
        """return [...document.querySelectorAll("nav, button, input, select")].filter(
          (it) => !it.closest(".sortable thead") && it.checkVisibility()
        ).map((it) => it.outerHTML)"""
    )
    assert left == [], name
    assert page.execute_script("return document.documentElement.scrollWidth") <= A4_PIXELS, name
    assert page.execute_script(CUT_OFF) == [], f"{name} cuts off what a screen would scroll"


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_moves_while_a_page_loads_and_it_fits_paper(
    site: tuple[Store, Path], opened: Opened, browser: Browser, width: int
) -> None:
    for name in one_of_each(site):
        seen_at(browser, width, media="")
        page = opened(name)
        moved = page.execute_async_script(
            """const done = arguments[arguments.length - 1];
            let sum = 0;
            new PerformanceObserver((list) => {
              for (const shift of list.getEntries()) if (!shift.hadRecentInput) sum += shift.value;
            }).observe({ type: "layout-shift", buffered: true });
            setTimeout(() => done(sum), 100);"""
        )
        assert moved < LEAST_SHIFT, f"{name} at {width}: {moved}"
        if width > A4_PIXELS:
            fits_paper(page, name)
    seen_at(browser, A4_PIXELS, media="")
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_run_that_cannot_be_read_is_left_out_and_said(browser: Browser, tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    add(store, machine_run(1, "epyc", algorithms=["sha256"]), machine_run(2, "xeon"))
    broken, sound = store.run_ids()
    (store.folder(broken) / "rows.parquet").write_bytes(b"PAR1 nothing")
    built(store, tmp_path / "site", reports=0)
    browser.get((tmp_path / "site/index.html").as_uri())
    wait(browser, f"return {READY}")
    assert listed(browser) == [sound]
    left_out = browser.find_element("id", "unreadable")
    assert "What was left out (1)" in left_out.text
    left_out.click()
    assert f"run {broken} is left out" in left_out.text


def test_every_figure_of_other_workloads_leads_to_its_run(
    site: tuple[Store, Path], visits: list[Visit]
) -> None:
    """Sessions, packets, tunnels and simulated processors on the pages of functions."""
    led: set[str] = set()
    for page in visits:
        if page.name.startswith("function.html"):
            assert all(address or not text for text, address in page.figures), page.name
            led |= {address.removeprefix("?run=") for _, address in page.figures if address}
    workloads = {it.run: it.workload for it in site[0].summaries()}
    assert {workloads[run] for run in led} >= {"sessions", "packets", "simulation", "tunnel"}


@pytest.mark.skipif(not AXE.exists(), reason="no axe-core, which needs Node: make page-checks")
@pytest.mark.parametrize(
    ("width", "theme"),
    [
        (360, "light"),
        (1280, "dark"),
        *(
            pytest.param(width, theme, marks=pytest.mark.deep)
            for width, theme in ((360, "dark"), (768, "light"), (768, "dark"), (1280, "light"))
        ),
    ],
)
def test_pages_keep_to_the_guidelines_for_accessibility(
    site: tuple[Store, Path], opened: Opened, browser: Browser, width: int, theme: str
) -> None:
    seen_at(browser, width)
    for name in one_of_each(site):
        page = opened(name, theme=theme)
        page.execute_script(AXE.read_text("utf-8"))
        found = page.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            "axe.run(document, {runOnly: arguments[0]}).then(it => done(it.violations.map("
            "one => one.id + ': ' + one.nodes.slice(0, 3).map(node => node.html).join(' | '))))",
            list(WCAG),
        )
        assert found == [], name
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
