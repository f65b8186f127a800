"""The planner of a site: its figures are those that `ciphermark capacity` prints."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import msgspec
import pytest
from typer.testing import CliRunner

from browser_fixture import MARKS, Browser
from ciphermark.cli.main import app
from ciphermark.record.store import Store
from ciphermark.site.planner import document
from ciphermark.view import figures
from ciphermark.workload import rows_table
from planner_example import GCM, PARTS, SIZES, WIREGUARD, planner_rows, planner_run, stored
from site_example import built

pytestmark = [*MARKS, pytest.mark.slow]

DIGITS = 6e-3
"""Share by which three digits may differ from a figure."""

BETWEEN = 0.03
"""Tolerance between two sizes: blocks of padding are steps that a line does not have."""


class Site(NamedTuple):
    """A store with one run of suites, and its site."""

    store: Path
    run: str
    out: Path

    def capacity(self, *options: str) -> list[dict[str, Any]]:
        """Returns the answers of the command."""
        line = ("capacity", "--run", self.run, "--runs", str(self.store), *options, "--json")
        return json.loads(CliRunner().invoke(app, line).stdout)["answers"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    folder = tmp_path_factory.mktemp("planner")
    store = Store(folder / "runs")
    run = stored(store)
    built(store, folder / "site", reports=0)
    return Site(folder / "runs", run, folder / "site")


def until_ready(browser: Browser) -> None:
    from selenium.webdriver.support.wait import WebDriverWait

    script = "return 'ready' in document.documentElement.dataset"
    WebDriverWait(browser, 60).until(lambda _: browser.execute_script(script))


def shown(browser: Browser, site: Site, **chosen: str) -> dict[str, dict[str, Any]]:
    """Returns the cells of the table by suite and heading."""
    browser.get("about:blank")
    browser.get(f"{(site.out / 'planner.html').as_uri()}?{urlencode(chosen)}")
    until_ready(browser)
    assert browser.get_log("browser") == []
    rows = browser.execute_script(
        "return [...document.querySelectorAll('#suites tbody tr')].map((row) => "
        "[...row.cells].map((cell) => [cell.dataset.name, cell.textContent]))"
    )
    return {row[0][1]: dict(row) for row in rows}


def figure(text: str) -> float:
    return float(text.replace(" ", ""))


def ends(text: str) -> list[float]:
    return [figure(it) for it in text.split("–")]


@pytest.mark.parametrize(
    ("chosen", "options"),
    [
        ({}, "--profile imix"),
        ({"packets": "tls-web", "ways": "both"}, "--profile tls-web --both-ways"),
        ({"packets": "one size", "size": "576", "rate": "2", "cores": "2"},
         "--profile imix:A:A=594 --all-rate 2G --cores 2"),
        ({"library": "openssl", "ways": "both", "rate": "0.5"},
         "--profile imix --providers openssl --both-ways --all-rate 500M"),
        ({"library": "nettle", "packets": "one size", "size": "1500"},
         "--profile imix:A:A=1518 --providers nettle"),
    ],
)  # fmt: skip
def test_figures_are_those_of_capacity(
    browser: Browser, site: Site, chosen: dict[str, str], options: str
) -> None:
    found = shown(browser, site, protocol="all", **chosen)
    answers = site.capacity(*options.split())
    assert {it["suite"] for it in answers} == found.keys() != set()
    for it in answers:
        row = found[it["suite"]]
        assert figure(row["Carries, Gbit/s"]) == pytest.approx(
            it["payload_bits_per_second"] / 1e9, rel=DIGITS
        )
        assert ends(row["95 %"]) == pytest.approx([it["low"] / 1e9, it["high"] / 1e9], rel=DIGITS)
        assert figure(row["ns a packet"]) == pytest.approx(it["ns_per_packet"]["value"], rel=DIGITS)
        assert row["Library"] == f"{it['provider']} · {it['backend']}"
        if it["demand"] is not None:
            cores = it["demand"]["cores"]
            assert figure(row["Cores needed"]) == pytest.approx(cores["value"], rel=DIGITS)
            wanted = [cores["low"], cores["high"]]
            assert ends(row["95 % of cores"]) == pytest.approx(wanted, rel=DIGITS, abs=1e-9)
            verdicts = {True: "Yes", False: "No", None: "Not sure"}
            assert row["Enough"] == verdicts[it["demand"]["enough"]]


@pytest.mark.parametrize("size", [45, 300, 800, 7000])
def test_a_size_between_two_has_the_wider_interval(browser: Browser, site: Site, size: int) -> None:
    found = shown(browser, site, protocol="all", packets="one size", size=str(size))
    for it in site.capacity("--profile", f"imix:A:A={size + 18}"):
        row = found[it["suite"]]
        assert figure(row["Carries, Gbit/s"]) == pytest.approx(
            it["payload_bits_per_second"] / 1e9, rel=BETWEEN
        )
        low, high = ends(row["95 %"])
        assert low <= it["low"] / 1e9 * (1 + BETWEEN)
        assert high >= it["high"] / 1e9 * (1 - BETWEEN)


def test_digits_are_those_of_terminals(browser: Browser, site: Site) -> None:
    shown(browser, site)
    draw = random.Random(5)
    values = [10 ** draw.uniform(-4, 9) for _ in range(2000)] + [9.996, 999.6, 0.0, 1000.0, 99950.0]
    found = browser.execute_script("return arguments[0].map((it) => significant(it))", values)
    assert found == [figures.significant(it) for it in values]


def test_choices_are_kept_in_the_address(browser: Browser, site: Site) -> None:
    assert GCM in shown(browser, site)
    assert WIREGUARD in shown(browser, site, protocol="wireguard", cores="2")
    browser.execute_script(
        "const rate = document.querySelector('[name=rate]'); rate.value = '3';"
        "rate.dispatchEvent(new Event('input', { bubbles: true }));"
    )
    address = browser.current_url
    assert "protocol=wireguard" in address and "cores=2" in address and "rate=3" in address
    browser.get(address)
    until_ready(browser)
    headline = browser.execute_script("return document.getElementById('headline').textContent")
    assert "3.00 Gbit/s" in headline and WIREGUARD in headline


@pytest.mark.parametrize("chosen", [{"size": "39"}, {"size": "50.5"}, {"rate": "-1"}])
def test_what_cannot_be_computed_has_a_sentence(
    browser: Browser, site: Site, chosen: dict[str, str]
) -> None:
    assert shown(browser, site, packets="one size", **chosen) == {}
    said = browser.execute_script("return document.getElementById('headline').textContent")
    assert "packets of 40 to 9000 bytes" in said


def test_a_cost_that_did_not_settle_is_marked(tmp_path: Path) -> None:
    store = Store(tmp_path)
    rows = [msgspec.structs.replace(it, not_converged_reason="too noisy") for it in planner_rows()]
    store.save(planner_run(), rows_table(rows, "single"))
    [run] = document(store, store.run_ids())["runs"]
    assert {it["unsettled"] for it in run["words"]} == {"too noisy"}
    assert set(SIZES) <= set(run["sizes"]) and run["cores"][0] == 1
    assert PARTS not in {it["suite"] for it in run["rows"]}, "it was not measured itself"
