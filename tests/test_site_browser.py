"""The site in a browser: search, comparison, hostile runs, as files and from a server."""

from __future__ import annotations

import functools
import http.server
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from typer.testing import CliRunner

from browser_fixture import MARKS, Browser, count, narrow_page_fits, wait_until_drawn
from ciphermark.cli.main import app
from ciphermark.record.store import Store
from ciphermark.site.pages import PAGES
from ciphermark.workload import rows_table
from ciphermark.workloads.single.comparison import Comparison
from ciphermark.workloads.single.comparison_table import ranked, ratio
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
        if not name.startswith(("machines", "functions", "studies")) and name != "compare.html":
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
    return browser.execute_script(f"return {rows}.map(row => row.cells[1].textContent)")


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
    a, b, _ = _sides(store)["slower-and-faster"]
    workloads = {it.run: it.workload for it in store.summaries()}
    named: dict[object, str] = {}
    for name in pages(out):
        page, _, key = name.partition("?")
        run = key.removeprefix("run=")
        has_report = (out / "data/groups" / f"{run}.js").exists()
        named[page, workloads.get(run), has_report] = name
    plans = "planner.html#plan:profile=voip&peak=1M&buffer=64K|cores=2"
    compared = f"compare.html?a={a}&b={b}&all=1"
    return [*named.values(), plans, compared]


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


def compared(store: Store, *arguments: str) -> tuple[Comparison | None, str]:
    """What the command says: as JSON, or the sentence of its refusal."""
    ended = CliRunner().invoke(app, ["compare", *arguments, "--json", "--runs", str(store.root)])
    if isinstance(ended.exception, Exception) and not isinstance(ended.exception, SystemExit):
        return None, str(ended.exception)
    return msgspec.json.decode(ended.stdout, type=Comparison), ""


def printed(store: Store, *arguments: str) -> str:
    """What the command prints on a terminal, without its line breaks."""
    ended = CliRunner().invoke(
        app, ["compare", *arguments, "--runs", str(store.root)], env={"COLUMNS": "100000"}
    )
    return " ".join(ended.stdout.split())


def shown(page: Browser) -> dict[str, Any]:
    """What the page says."""
    return page.execute_script(
        """return {
          refusal: document.getElementById('refusal')?.textContent ?? null,
          verdict: document.getElementById('verdict')?.textContent ?? null,
          said: [...document.querySelectorAll('#result dl div')].map(
            it => [it.children[0].textContent, it.children[1].textContent]),
          rows: [...document.querySelectorAll('#pairs tbody tr')].map(
            row => [...row.cells].map(cell => cell.textContent)),
        }"""
    )


def _sides(store: Store) -> dict[str, tuple[str, str, bool]]:
    """Runs that are compared: as they are typed, and whether across machines."""
    by_name: dict[str, list[str]] = {}
    for it in store.summaries():
        by_name.setdefault(it.machine_name, []).append(it.run)
    few, new, old = by_name["twin"]
    simulated, imported, packets = (
        next(it.run for it in store.summaries() if it.workload == workload)
        for workload in ("simulation", "imported", "packets")
    )
    sessions, same_sessions = (it.run for it in store.summaries() if it.workload == "sessions")
    return {
        "slower-and-faster": (new, old, False),
        "the-same": (by_name["epyc-b"][0], by_name["epyc-a"][0], False),
        "other-machines": (by_name["xeon"][0], by_name["epyc-a"][0], True),
        "too-few-rounds": (few, new, False),
        "two-libraries": (f"{new}:openssl", f"{new}:rustcrypto", False),
        "a-library-of-two-runs": (f"{new}:openssl", f"{old}:openssl", False),
        "libraries-of-two-runs": (f"{new}:openssl", f"{old}:rustcrypto", False),
        "one-run-with-itself": (new, new, False),
        "no-such-library": (f"{new}:nettle", f"{new}:openssl", False),
        "no-costs-of-messages": (simulated, new, False),
        "of-different-kinds": (packets, new, False),
        "sessions": (sessions, same_sessions, False),
        "imported": (imported, new, False),
        "imported-across": (imported, new, True),
    }


SIDES = ("slower-and-faster", "the-same", "other-machines", "too-few-rounds", "two-libraries",
         "a-library-of-two-runs", "libraries-of-two-runs", "one-run-with-itself", "no-such-library",
         "no-costs-of-messages", "of-different-kinds", "sessions", "imported",
         "imported-across")  # fmt: skip


@pytest.mark.parametrize("name", SIDES)
def test_a_comparison_is_that_of_the_command(
    site: tuple[Store, Path], opened: Opened, name: str
) -> None:
    store, _ = site
    a, b, across = _sides(store)[name]
    options = ["--across-machines"] if across else []
    page = opened(f"compare.html?a={a}&b={b}&all=1{'&across=1' if across else ''}")
    said = shown(page)
    comparison, refusal = compared(store, a, b, *options)
    if comparison is None:
        assert said["refusal"] == refusal != ""
        return
    assert said["refusal"] is None
    pairs = ranked(comparison.pairs)
    assert [row[0] for row in said["rows"]] == [pair.verdict for pair in pairs]
    assert [row[5] for row in said["rows"]] == [ratio(pair).strip() for pair in pairs]
    text = printed(store, a, b, "--all", *options)
    assert f"Verdict {said['verdict']}" in text
    for heading, sentence in said["said"]:
        assert f"{heading} {' '.join(sentence.split())}" in text
    brief = opened(f"compare.html?a={a}&b={b}{'&across=1' if across else ''}")
    text = printed(store, a, b, *options).replace("; --all lists", "; “List all cases” lists")
    for heading, sentence in shown(brief)["said"]:
        assert f"{heading} {' '.join(sentence.split())}" in text


def test_two_that_are_ticked_are_compared(site: tuple[Store, Path], opened: Opened) -> None:
    page = opened("index.html")
    page.find_element("id", "words").send_keys("twin")
    runs = listed(page)
    for run in runs[1:]:
        page.find_element("css selector", f"input[value='{run}']").click()
    page.find_element("id", "compare").click()
    wait(page, "return document.getElementById('verdict') !== null")
    assert "1.2" in shown(page)["verdict"]
    page.back()
    wait(page, f"return document.getElementById('runs') && {READY}")
    assert count(page, "#runs input:checked") == 2


def test_a_keyboard_finds_ticks_and_compares_two_runs(
    site: tuple[Store, Path], opened: Opened
) -> None:
    from selenium.webdriver import ActionChains, Keys

    page = opened("index.html")

    def press(*keys: str) -> Any:
        ActionChains(page).send_keys(*keys).perform()
        return page.switch_to.active_element

    def until(script: str, back: bool = False) -> Any:
        """Goes from one element to the next until one fits."""
        for _ in range(60):
            if back:
                ActionChains(page).key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(
                    Keys.SHIFT
                ).perform()
            else:
                press(Keys.TAB)
            if page.execute_script(f"return document.activeElement.{script}"):
                return page.switch_to.active_element
        pytest.fail(f"no element is reached that {script}")

    skip = press(Keys.TAB)
    assert skip.text == "Skip to the content" and skip.rect["x"] >= 0
    press(Keys.ENTER)
    assert press(Keys.TAB).get_attribute("id") == "words", "the navigation is skipped"
    press("twin")
    runs = [until("matches('#runs input')"), until("matches('#runs input')")]
    # The one that was ticked keeps the focus.
    assert press(Keys.SPACE) == runs[1]
    until("matches('#runs input')")
    press(Keys.SPACE)
    assert until("matches('#compare')", back=True).text
    press(Keys.ENTER)
    wait(page, "return document.getElementById('verdict') !== null")
    assert "1.2" in shown(page)["verdict"]
    page = opened("planner.html")
    figure = "return document.querySelector('[data-headline=a]').textContent"
    before = page.execute_script(figure)
    until("matches('[data-plan=a] > [data-drags=size]')")
    press(*([Keys.ARROW_RIGHT] * 5))
    assert page.execute_script(figure) != before


def test_arithmetic_of_the_page_is_that_of_the_command(
    site: tuple[Store, Path], opened: Opened
) -> None:
    """Thousands of figures, at random: digits of numbers, and ratios with their chances."""
    import random

    from ciphermark.show import figures
    from ciphermark.statistics.estimate import Estimate
    from ciphermark.statistics.ratio import (
        OrderStatistics,
        standard_errors,
        surprising,
        unpaired_ratio,
    )

    page = opened("compare.html")
    draw = random.Random(5)
    values = [10 ** draw.uniform(-4, 9) for _ in range(2000)] + [9.996, 999.6, 0.0, 1000.0, 99950.0]
    found = page.execute_script("return arguments[0].map(it => significant(it))", values)
    assert found == [figures.significant(it) for it in values]
    constants = json.loads((site[1] / "data/constants.js").read_text().partition(",")[2][:-3])
    inputs, expected = [], []
    for _ in range(500):
        sides = []
        for _ in range(2):
            value, count_ = draw.uniform(0.5, 2), draw.choice([6, 7, 12, 40])
            interval = (value * draw.uniform(0.8, 1), value * draw.uniform(1, 1.2))
            of = OrderStatistics(count_)
            below, above = standard_errors(value, interval, of)
            sides.append((Estimate(value, *interval), of, below, above))
        inputs.append([
            {"value": it.value, "below": below, "above": above, "degrees": of.observations - 1}
            for it, of, below, above in sides
        ])  # fmt: skip
        expected.append(unpaired_ratio(sides[0][0], sides[0][1], sides[1][0], sides[1][1]))
    ratios = page.execute_script(
        "return arguments[0].map(([a, b]) => unpairedRatio(a, b, arguments[1]))", inputs, constants
    )
    for got, right in zip(ratios, expected, strict=True):
        for field in ("value", "low", "high", "detectable", "chance"):
            assert got[field] == pytest.approx(getattr(right, field), rel=1e-9, abs=1e-300)
    chances = [it.chance for it in expected]
    called = page.execute_script(
        "return surprising(arguments[0], arguments[1])", chances, constants
    )
    assert called == surprising(chances)


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


def test_the_planner_answers_on_its_page_and_on_that_of_its_run(
    site: tuple[Store, Path], opened: Opened
) -> None:
    [run] = json.loads((site[1] / "data/planner.js").read_text().partition(",")[2][:-3])["runs"]
    headlines = []
    for name in ("planner.html", f"run.html?run={run['run']}"):
        page = opened(name)
        headlines.append(page.find_element("css selector", "[data-headline=a]").text)
        assert page.get_log("browser") == []
    assert headlines[0] == headlines[1] and "bit/s" in headlines[0]


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
          (it) => !it.closest(".planner, .sortable thead") && it.checkVisibility()
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


def test_two_libraries_that_are_ticked_are_compared(
    site: tuple[Store, Path], opened: Opened
) -> None:
    store, _ = site
    run = _sides(store)["two-libraries"][0].partition(":")[0]
    page = opened(f"index.html?words={run}")
    page.find_element("css selector", f"input[value='{run}']").click()
    page.find_element("css selector", "#chosen a").click()
    wait(page, f"return document.getElementById('libraries') && {READY}")
    for library in ("openssl", "rustcrypto"):
        page.find_element("css selector", f"#libraries input[value='{library}']").click()
    page.find_element("css selector", "#libraries a").click()
    wait(page, "return document.getElementById('verdict') !== null")
    comparison, _ = compared(store, f"{run}:openssl", f"{run}:rustcrypto")
    assert comparison is not None
    text = printed(store, f"{run}:openssl", f"{run}:rustcrypto")
    assert f"Verdict {shown(page)['verdict']}" in text


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
