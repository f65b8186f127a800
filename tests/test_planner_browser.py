"""The planner in a browser: its figures are those of `ciphermark capacity`, whatever is chosen."""

from __future__ import annotations

import math
import random
import shlex
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec
import pytest
import typer

from browser_fixture import MARKS, Browser
from ciphermark.answers.capacity import path, planner, sources
from ciphermark.answers.capacity.answer import Answer, answer
from ciphermark.answers.capacity.command import CapacityOptions, question_of, use_of
from ciphermark.answers.capacity.show import best
from ciphermark.cli import main
from ciphermark.command.options import TunnelLoadOptions
from ciphermark.command.report import PLANNER, TEMPLATES, templates, write_report
from ciphermark.plan import profiles
from ciphermark.record.store import Store
from engine_fixture import Command
from planner_example import planner_rows, planner_run, stored

support = pytest.importorskip("selenium.webdriver.support.wait", reason="selenium is not installed")
WebDriverWait = support.WebDriverWait

pytestmark = MARKS

NEAR = 1e-3
"""By which a figure of the page may differ from that of Python."""

BY_COMMAND = 10


class Page(NamedTuple):
    """A report with the planner, in a browser, and the store that it was written from."""

    browser: Browser
    report: Path
    store: Store
    run: str


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Page:
    folder = tmp_path_factory.mktemp("runs")
    store = Store(folder)
    run = stored(store)
    report = write_report(planner_run(), planner_rows(), store.folder(run), store=store)
    return Page(browser, report, store, run)


def opened(page: Page, address: str = "") -> Browser:
    """The report, at an address."""
    page.browser.get("about:blank")  # or the browser only moves within the page
    page.browser.get(page.report.as_uri() + address)
    return page.browser


FILL = """
const [plans] = arguments;
const letters = ["a", "b"];
const field = (plan, name) => document.querySelector(`#planner-${name}-${plan}`);
const tell = (element) => element.dispatchEvent(new Event("input", { bubbles: true }));
function choose(plan, name, value) {
  const element = field(plan, name);
  if (element.type === "checkbox") element.checked = value;
  else if (element.tagName === "SELECT") {
    element.value = value;
    if (element.value !== value) element.value = element.options[0].value;
  } else element.value = value;
  if (name === "suite") tell(element);
}
const found = [];
for (let place = 0; place < plans.length; place += 2) {
  letters.forEach((plan, number) => {
    for (const [name, value] of Object.entries(plans[place + number])) choose(plan, name, value);
  });
  tell(field("a", "cores"));
  for (const plan of letters) {
    const figures = {};
    const cells = document.querySelectorAll(`#planner td[data-plan="${plan}"] data`);
    for (const it of cells) figures[it.dataset.figure] = it.value;
    const faults = [...document.querySelectorAll(`[data-plan="${plan}"] > .fault`)];
    found.push({
      figures,
      command: document.querySelector(`[data-command="${plan}"]`).textContent,
      faults: faults.map((it) => it.textContent),
    });
  }
}
return found;
"""


def random_plan(chance: random.Random, suites: list[str]) -> dict[str, Any]:
    """What somebody may choose, field by field in the order of the page."""

    def sometimes(text: str, share: float = 0.5) -> str:
        return text if chance.random() < share else ""

    def rate(low: float, high: float) -> str:
        value = math.exp(chance.uniform(math.log(low), math.log(high)))
        return f"{value / 1e6:.3f}M" if chance.random() < 0.7 else f"{value / 8e6:.4f}MB/s"

    named = [it.name for it in profiles.PROFILES.all()]
    traffic = chance.choice([chance.choice(named), "imix", "voip", "one size", "own mix"])
    mix = ", ".join(
        f"{chance.randint(1, 20)}x{chance.randint(20, 9000)}" for _ in range(chance.randint(1, 6))
    )
    plan = {
        "suite": chance.choice(suites),
        "providers": chance.choice(["", "", "openssl", "nettle", "botan"]),
        "both-ways": chance.random() < 0.5,
        "link": sometimes(rate(1e7, 4e11)),
        "cores": str(chance.choice([1, 2, 3, 4, 8, 16, 64])),
        "tunnels": sometimes(str(chance.choice([1, 3, 10, 57, 400, 20_000]))),
        **dict.fromkeys(("rate", "all-rate", "peak", "buffer"), ""),
        "keep-free": chance.choice(["0%", "20%", "0.35"]),
        "clock": sometimes(f"{chance.uniform(0.6, 5):.2f}GHz", 0.3),
        "path-cost": chance.choice(["", "", "none", "900ns", "2.5us"]),
        "mtu": chance.choice(["1500", "1280", "9000", "576"]),
        "profile": traffic,
    }
    if chance.random() < 0.6:
        name, most = chance.choice([("rate", 2e10), ("all-rate", 2e12)])
        plan[name] = rate(1e5, most)
    if traffic.startswith("voip"):
        plan["peak"], plan["buffer"] = (
            sometimes(rate(1e5, 1e11)),
            sometimes(chance.choice(["1", "64K", "3MiB", "1g"])),
        )
    if traffic == "one size":
        plan["size"] = str(chance.randint(1, 16_384))
    if traffic == "own mix":
        plan["mix"] = chance.choice([mix, mix, "imix:aaaaabbd", "imix:5a2B:B=700"])
    return plan


class Asked:
    """Answers to commands, from what the store tells of the run."""

    def __init__(self, page: Page) -> None:
        self._command = typer.main.get_command(main.app).commands["capacity"]
        self._known = planner.stored(page.store, page.run, {}).known

    def best_of(self, typed: str) -> Answer | None:
        """The answer that the command's first line is of; None where nothing answers."""
        given = self._command.make_context("capacity", shlex.split(typed)[2:]).params
        options = CapacityOptions(**_of(CapacityOptions, given))
        load = TunnelLoadOptions(**_of(TunnelLoadOptions, given))
        [mix] = profiles.from_option(options.profile or "imix")
        question = question_of(options, load, mix)
        known = msgspec.structs.replace(
            self._known, parts_error=sources.parts_error(self._known.sources, question)
        )
        if load.path_cost is not None:
            known.paths = path.told(load.path_cost)
        _, hz = sources.machine_and_clock(options.on)
        if hz is not None:
            known = sources.at_clock(known, hz)
        question.cores = sources.cpus_of(known, options.cores)
        wanted = sources.wanted(use_of(options.use), load.suites, {})
        names = sources.names_of(wanted, known, question)
        found = [answer(name, question, known) for name in names]
        answers = [it for it in found if isinstance(it, Answer)]
        return best(answers) if answers else None


def _of(options: type, given: dict[str, Any]) -> dict[str, Any]:
    return {name: given[name] for name in options.__dataclass_fields__ if name in given}


def check(shown: dict[str, str], answered: dict[str, Any], command: str) -> None:
    """Holds each figure of a plan against the answer as JSON."""
    assert (answered["demand"] is not None) == ("demand.cores.value" in shown), command
    assert (answered["held"] is not None) == ("held.tunnels" in shown), command
    assert (answered["key"] is not None) == ("key.seconds" in shown), command
    assert (answered["bursts"] is not None) == ("bursts.peak_bits_per_second" in shown), command
    assert {"payload_bits_per_second", "limit", "suite"} <= shown.keys(), command
    for name, text in shown.items():
        wanted = answered
        for part in name.split("."):
            wanted = wanted[part]
        if isinstance(wanted, str):
            assert text == wanted, f"{name}: {command}"
        elif wanted is None:  # JSON has no infinity
            assert text == "Infinity", f"{name}: {command}"
        else:
            got = float(text.replace("Infinity", "inf"))
            assert got == pytest.approx(wanted, rel=NEAR), f"{name}: {command}"


@pytest.mark.long
@pytest.mark.parametrize("count", [100, pytest.param(1000, marks=pytest.mark.deep)])
def test_plans_are_those_of_capacity(page: Page, tmp_path: Path, count: int) -> None:
    """Each in the page and by the options of the command that the page prints; some of them by the
    command itself."""
    browser = opened(page, "#plan:|")
    suites = browser.execute_script(
        "return [...document.querySelector('#planner-suite-a').options].map((it) => it.value)"
    )
    chance = random.Random(29)
    plans = [random_plan(chance, suites) for _ in range(count)]
    shown = [
        it
        for place in range(0, count, 50)
        for it in browser.execute_script(FILL, plans[place : place + 50])
    ]
    asked = Asked(page)
    answered = 0
    for it in shown:
        assert it["faults"] == [], it
        found = asked.best_of(it["command"])
        if found is None:
            assert it["figures"] == {}, it["command"]
        else:
            answered += 1
            check(it["figures"], msgspec.to_builtins(found), it["command"])
    assert answered > count / 2
    assert browser.get_log("browser") == []
    typed = Command(page.store.root, tmp_path / "no-engine")
    with_figures = [it for it in shown if it["figures"]]
    for it in with_figures[:: len(with_figures) // BY_COMMAND][:BY_COMMAND]:
        ended = typed(*shlex.split(it["command"])[1:], "--json")
        answers = ended.document["answers"]
        [own] = [one for one in answers if one["suite"] == it["figures"]["suite"]]
        check(it["figures"], own, it["command"])


def section_text(browser: Browser) -> str:
    return browser.execute_script("return document.getElementById('planner').innerText")


def value_of(browser: Browser, name: str, plan: str = "a") -> str:
    return browser.execute_script(f"return document.querySelector('#planner-{name}-{plan}').value")


def figure_of(browser: Browser, name: str, plan: str = "a") -> float:
    found = f'#planner td[data-plan="{plan}"] data[data-figure="{name}"]'
    return float(browser.execute_script("return document.querySelector(arguments[0]).value", found))


def typed_in(browser: Browser, name: str, text: str) -> None:
    browser.execute_script(
        "const it = document.querySelector(arguments[0]); it.value = arguments[1];"
        "it.dispatchEvent(new Event('input', { bubbles: true }));",
        name if name.startswith("[") else f"#planner-{name}-a",
        text,
    )


ADDRESS = (
    "#plan:suites=esp%3Aaes-128-gcm&providers=nettle&profile=imix%3A7A4B1C%3AA%3D58%3AB%3D594%3AC"
    "%3D1518&both-ways=&link=10G&cores=4&tunnels=57&rate=100M&keep-free=20%25&clock=2.2GHz"
    "&path-cost=900ns&mtu=1280|for=ipsec&profile=imix%3AA%3AA%3D1418"
)


def test_a_link_keeps_the_choices_of_both_plans(page: Page) -> None:
    browser = opened(page, ADDRESS)
    choices = {
        **{"suite": "suite:esp:aes-128-gcm", "providers": "nettle", "profile": "own mix"},
        **{"link": "10G", "cores": "4", "tunnels": "57", "rate": "100M", "keep-free": "20%"},
        **{"clock": "2.2GHz", "path-cost": "900ns", "mtu": "1280"},
    }
    assert {name: value_of(browser, name) for name in choices} == choices
    assert value_of(browser, "suite", "b") == "for:ipsec"
    assert (value_of(browser, "profile", "b"), value_of(browser, "size", "b")) == (
        "one size",
        "1400",
    )
    before = figure_of(browser, "payload_bits_per_second")
    wait = WebDriverWait(browser, 20)
    link = "return document.querySelector('#planner [data-link]').getAttribute('href')"
    wait.until(lambda _: len(browser.execute_script(link)) > len("#plan:"))
    again = opened(page, browser.execute_script(link))
    assert figure_of(again, "payload_bits_per_second") == before
    assert again.execute_script("return document.querySelectorAll('#planner svg').length") == 2


def test_bursts_with_heavy_tails_are_left_to_the_command(page: Page) -> None:
    browser = opened(page, "#plan:suites=esp%3Aaes-128-gcm&profile=web-bursts&tunnels=200&peak=1G")
    shown = section_text(browser)
    assert "bursts with heavy tails are simulated: the command below says their delay" in shown
    assert "--profile web-bursts" in shown and "--peak 1G" in shown
    assert figure_of(browser, "bursts.peak_bits_per_second") == 1e9
    typed_in(browser, "profile", "imix")
    steady = section_text(browser)
    assert "--peak" not in steady and "Buffer that loses" not in steady


def test_the_rate_is_of_each_tunnel_or_of_all(page: Page) -> None:
    browser = opened(page, "#plan:rate=1M&all-rate=1G&tunnels=10")
    said = browser.execute_script(
        "return document.querySelector('#planner-all-rate-a-said').textContent"
    )
    assert said == "the rate of each tunnel is typed too: write one of them"
    typed_in(browser, "rate", "")
    assert "10 tunnels, 1.00 Gbit/s of payload in all," in section_text(browser).replace(
        "\u202f", " "
    )


def test_figures_follow_while_one_drags(page: Page) -> None:
    browser = opened(page, "#plan:suites=esp%3Aaes-128-gcm&path-cost=none")
    before = figure_of(browser, "payload_bits_per_second")
    typed_in(browser, '[data-plan="a"] > [data-drags="size"]', "300")
    assert value_of(browser, "profile") == "one size" and int(value_of(browser, "size")) > 1000
    larger = figure_of(browser, "payload_bits_per_second")
    assert larger > before
    typed_in(browser, '[data-plan="a"] > [data-drags="link"]', "100")
    assert value_of(browser, "link") and figure_of(browser, "payload_bits_per_second") < larger
    typed_in(browser, '[data-plan="a"] > [data-drags="link"]', "0")
    assert value_of(browser, "link") == ""
    assert figure_of(browser, "payload_bits_per_second") == larger
    wait = WebDriverWait(browser, 20)
    wait.until(lambda _: "profile=imix" in browser.execute_script("return location.hash"))


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("link", "1GB", "“1GB” is not a rate: write bits per second such as 1G"),
        ("rate", "-1", "“-1” is not a rate"),
        ("cores", "", "“” is not a number from 1 to"),
        ("cores", "1e3", "“1e3” is not a number from 1 to"),
        ("tunnels", "0", "“0” is not a number from 1 to"),
        ("keep-free", "100%", "“100%” is not a share from 0 to below 100 %"),
        ("clock", "2.4", "“2.4” is not a clock: write for example 2.4GHz"),
        ("path-cost", "0ns", "“0ns” is no time of a packet up to a second"),
        ("mtu", "20", "“20” is not a number from 68 to"),
        ("size", "NaN", "“NaN” is not a number from 1 to"),
    ],
)
def test_a_field_that_cannot_be_read_has_a_sentence(
    page: Page, name: str, text: str, sentence: str
) -> None:
    browser = opened(page)
    typed_in(browser, name, text)
    said = browser.execute_script(f"return document.querySelector('#planner-{name}-a-said')")
    assert sentence in said.text and "fault" in said.get_attribute("class")
    shown = section_text(browser)
    assert "NaN" not in shown.replace("“NaN”", "") and "undefined" not in shown
    assert browser.execute_script("return document.querySelectorAll('#planner data').length") == 0
    assert browser.get_log("browser") == []


@pytest.mark.parametrize("text", ["", "7y40", "0x40", "3x99999", "imix:Q", "imix:A:A=0", "imix:"])
def test_a_mix_that_is_none_has_a_sentence(page: Page, text: str) -> None:
    browser = opened(page)
    typed_in(browser, "profile", "own mix")
    typed_in(browser, "mix", text)
    said = browser.execute_script("return document.querySelector('#planner-mix-a-said')")
    assert "fault" in said.get_attribute("class") and said.text
    assert "NaN" not in section_text(browser)


def test_an_address_is_text(page: Page) -> None:
    evil = "<img src=x onerror=document.title=1>"
    browser = opened(page, f"#plan:suites={quote(evil)}&providers={quote(evil)}&link={quote(evil)}")
    assert section_text(browser).count(evil) == 3
    assert browser.execute_script("return document.querySelectorAll('#planner img').length") == 0
    assert browser.execute_script("return document.title") != "1"


def test_controls_have_names(page: Page) -> None:
    browser = opened(page, "#plan:|")
    unnamed = browser.execute_script(
        """return [...document.querySelectorAll("#planner :is(input, select)")].filter((it) =>
            !it.ariaLabel && !(it.getAttribute("aria-labelledby") ?? "").split(" ").every(
                (id) => document.getElementById(id)?.textContent)).map((it) => it.outerHTML)"""
    )
    assert unnamed == []


def test_the_first_plan_is_the_scenario_of_the_page(browser: Browser, tmp_path: Path) -> None:
    """Without a tunnel cryptography alone, as on the page for decision makers."""
    report = write_report(planner_run(), planner_rows(), tmp_path)
    browser.get(report.as_uri())
    assert value_of(browser, "path-cost") == "none"
    assert (value_of(browser, "suite"), value_of(browser, "link")) == ("for:ipsec", "1G")
    assert "cryptography alone" in section_text(browser)


def test_a_page_of_files_with_a_strict_policy_compares_machines(page: Page, tmp_path: Path) -> None:
    """As a site has it: scripts and styles are files, and the data comes by a call."""
    first = planner.stored(page.store, page.run, {})
    slower = msgspec.structs.replace(
        first.known,
        machine=msgspec.structs.replace(first.known.machine, name="</script><b>other", cpus=64),
    )
    document = planner.document([first, planner.Planned("20261101-000000-0001", slower)])
    for name in (*PLANNER, "planner.css"):
        (tmp_path / name).write_bytes((TEMPLATES / name).read_bytes())
    (tmp_path / "data.js").write_text(f"startPlanner({planner.embedded(document)});")
    scripts = "".join(f'<script src="{it}"></script>' for it in (*PLANNER, "data.js"))
    fragment = templates().get_template("planner.html.jinja").render(planner=None)
    (tmp_path / "planner.html").write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Plan</title>'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        'script-src file:; style-src file:">'
        f'<link rel="stylesheet" href="planner.css"><main>{fragment}</main>{scripts}'
    )
    browser = page.browser
    browser.get((tmp_path / "planner.html").as_uri() + "#plan:cores=8|run=20261101-000000-0001")
    assert browser.get_log("browser") == []
    shown = section_text(browser)
    assert "</script><b>other" in shown and "--run 20261101-000000-0001" in shown
    assert figure_of(browser, "payload_bits_per_second", "b") > 0


def test_reports_without_suites_have_no_planner(report_of: Any) -> None:
    assert b'id="planner"' not in report_of("single").read_bytes()
