"""What somebody is told who has to decide: capacity by hand, advice, and what is left out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from capacity_example import HZ
from ciphermark import contract
from ciphermark.answers.advice.decision import (
    LINES,
    Decided,
    blocks,
    decided_on,
    decision,
    line_load,
)
from ciphermark.answers.advice.decision_plot import chart
from ciphermark.answers.capacity import sources
from ciphermark.answers.capacity.answer import answer
from ciphermark.command.report import write_report
from ciphermark.record.run import Run
from ciphermark.view.blocks import Notes, Section, Table, Template
from ciphermark.view.plots import drawing
from ciphermark.view.plots.panel import picture
from ciphermark.workloads.imported.rows import imported_rows
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.rows import rows
from decision_example import COSTS, OPENING, decision_rows, decision_run
from imports_example import imported_example
from lent_engine import all_algorithms
from pictures import drawn

GCM = "esp:aes-128-gcm"

IMIX = {40: 7, 576: 4, 1500: 1}
"""Bytes and weights, as routers are tested with."""


FACTS = {it.name: it for it in all_algorithms()}


def decided(run: Run, found: list[Row], facts: Mapping[str, contract.Algorithm] = FACTS) -> Decided:
    """The scenario of a run that has one."""
    known = sources.of_run(run.context, found, None, facts)
    [it] = decision(run.context, known)
    return it


def sentences(found: Decided) -> list[str]:
    """The scenario, and all notes below it."""
    shown = blocks([found]).blocks
    return [note.text for it in shown if isinstance(it, Notes) for note in it.notes]


@pytest.fixture(scope="module")
def found() -> Decided:
    return decided(decision_run(), decision_rows())


def on_the_link(n: int) -> int:
    """Bytes of ESP with AES-GCM on Ethernet, counted by hand: a packet of 1500 goes as two."""
    sealed = 20 + 8 + 8 + math.ceil((n + 2) / 4) * 4 + 16
    if sealed <= 1500:
        return sealed + 38
    first = 20 + (1500 - 20) // 8 * 8
    return first + 38 + (sealed - 20 - (first - 20)) + 20 + 38


def mean(cost) -> float:
    return sum(weight * cost(n) for n, weight in IMIX.items()) / sum(IMIX.values())


MIXED_CYCLES = 16 * sum(share * math.log2(1 / share) for share in (7 / 12, 4 / 12, 1 / 12))
"""What branches that are foretold wrongly add to an operation: 16 cycles a bit of the entropy."""


def test_capacity_is_the_mix_over_its_cost(found: Decided) -> None:
    a, b = COSTS[GCM]
    ns = (mean(lambda n: (1 + OPENING) * (a + b * n)) + 2 * MIXED_CYCLES) / HZ * 1e9
    answer = next(it for it in found.answers if it.suite == GCM)
    assert found.question.load.both_ways
    assert math.isclose(answer.carried.value, 8e9 * mean(float) / ns, rel_tol=1e-9)
    assert answer.carried.low < answer.carried.value < answer.carried.high


def test_a_line_takes_its_packets_times_their_cost(found: Decided) -> None:
    a, b = COSTS[GCM]
    ns = (mean(lambda n: (1 + OPENING) * (a + b * n)) + 2 * MIXED_CYCLES) / HZ * 1e9
    packets_per_second = 1e9 / (8 * mean(on_the_link))
    answer = next(it for it in found.answers if it.suite == GCM)
    load = line_load(answer, LINES["1 Gbit/s"])
    assert math.isclose(load.value, packets_per_second * ns * 1e-9, rel_tol=1e-9)
    assert math.isclose(line_load(answer, LINES["10 Gbit/s"]).value, 10 * load.value)


def test_those_that_carry_most_come_first(found: Decided) -> None:
    carried = [it.carried.value for it in found.answers]
    assert carried == sorted(carried, reverse=True)
    assert {it.suite for it in found.answers} == set(COSTS)


def test_the_advice_is_for_the_protocols_of_the_run(found: Decided) -> None:
    assert found.question.use.name == "ipsec"
    assert found.advice.recommendation.facts.name == GCM


def test_the_card_and_the_table_have_one_scenario(found: Decided) -> None:
    """A share of a core is the same wherever it stands."""
    shares = {it.suite: it.demand.cores for it in found.answers}
    for ranked in found.advice.ranking:
        assert found.advice.carries[ranked.facts.name].cpu_share == shares[ranked.facts.name]
    assert line_load(found.answers[0], 1e9).value == pytest.approx(
        found.answers[0].demand.cores.value
    )
    scenario = sentences(found)[0]
    assert "imix (packets of 340 bytes on average), 1 core, a link of 1.00 Gbit/s" in scenario
    assert "both ways, one key in use, cryptography alone" in scenario
    known = found.question.known
    again = answer(GCM, found.question.scenario, known)
    assert again.demand.cores == shares[GCM]


def test_its_words(found: Decided) -> None:
    shown = blocks([found]).blocks
    [advice] = [it.content for it in shown if isinstance(it, Template)]
    assert advice["headline"].startswith("Use AES-128-GCM (openssl, aesni): a full line of")
    labels = [label for label, _ in advice["facts"]]
    assert "not in it" in labels, "what the figures leave out"
    assert labels == list(dict.fromkeys(labels)), "each label once"
    assert {"carries", "limit", "safe?", "refused"} <= set(labels)
    [table] = [it for it in shown if isinstance(it, Table)]
    lines = [cells for _, cells in table.lines()]
    assert [len(line) for line in lines] == 4 * [sum(len(it["columns"]) for it in table.heads())]
    assert not any("This run has too few" in it for it in sentences(found))
    legacy = next(line for line in lines if "CBC" in line[0].text)
    assert legacy[0].note == "legacy"


def test_those_that_carry_less_and_other_scenarios_are_folded(found: Decided) -> None:
    many = found._replace(answers=found.answers * 3)
    *_, other = blocks([many, found]).blocks
    assert (
        isinstance(other, Section)
        and other.folded
        and other.title.startswith("For an IPsec tunnel")
    )
    shown = blocks([many]).blocks
    [table] = [it for it in shown if isinstance(it, Table)]
    [more] = [it for it in shown if isinstance(it, Section)]
    assert (len(table.rows), more.title, more.folded) == (10, "and 2 more that carry less", True)


def test_without_the_other_direction_answers_are_one_way() -> None:
    sending = [row for row in decision_rows() if row.operation == "seal"]
    found = decided(decision_run(), sending)
    assert not found.question.load.both_ways and len(found.answers) == len(COSTS)


def test_ciphers_alone_are_no_tunnel_and_the_page_says_so() -> None:
    run = imported_example("cryptsetup.txt")
    found = decided(run, imported_rows(run))
    assert found.advice is None and found.answers
    said = " ".join(sentences(found))
    assert "ciphers alone" in said and "This run has too few figures for advice" in said


def test_what_cannot_be_answered_says_what_to_measure() -> None:
    run = imported_example("dpdk.txt")
    found = decided(run, imported_rows(run))
    assert found.answers == []
    assert all(it.is_empty for it in blocks([found]).blocks if isinstance(it, Table))
    assert any("aes-128-gcm" in it for it in sentences(found)[1:])


def test_a_run_of_hashes_has_nothing_to_decide() -> None:
    run = imported_example("openssl-public-key.txt")
    known = sources.of_run(run.context, imported_rows(run), None, {})
    assert decision(run.context, known) == []


def test_rivals_are_of_one_kind() -> None:
    run = imported_example("botan-2.19.json")
    assert decided_on(run.context, imported_rows(run)) == ["aes-128-gcm", "chacha20-poly1305"]


@pytest.mark.slow
def test_an_imported_run_is_answered_as_far_as_it_goes(tmp_path: Path) -> None:
    run = imported_example("openssl-3.0-elapsed.txt")
    html = write_report(run, imported_rows(run), tmp_path, facts=all_algorithms()).read_text()
    head = html.partition('<section id="origin">')[0]
    assert "To decide" in head and "another program" in head
    assert "one way (sending)" in head
    assert "none: no other suite that fulfils the wishes has a figure in this run" in head


def test_a_slope_alone_answers_nothing(tmp_path: Path) -> None:
    run = imported_example("bench-slope.csv")
    html = write_report(run, imported_rows(run), tmp_path, facts=()).read_text()
    assert "<h2>To decide" not in html


def test_the_picture_has_every_suite_and_every_line() -> None:
    run = decision_run()
    shown = chart(run.context, decision_rows())
    [panel] = shown.panels
    with drawn():
        svg, png = drawing.pictured(picture(shown, "Made up"))
    assert svg.startswith(b"<svg") and len(png) > 10_000
    [points, labels, references] = panel.data.values()
    assert {it["algorithm"] for it in points} == {it.title for it in run.context.algorithms}
    assert {it["value"] for it in references} == {0.1, 1.0, 10.0}
    assert {"100 Mbit/s", "1 Gbit/s", "10 Gbit/s"} < {it["text"] for it in labels}
    gcm = next(it for it in points if it["bytes"] == 1420 and "128-GCM" in it["algorithm"])
    a, b = COSTS[GCM]
    assert math.isclose(gcm["value"], 8 * 1420 * HZ / (a + b * 1420) / 1e9)
    assert math.isclose(gcm["low"], gcm["value"] / 1.01)
    assert math.isclose(gcm["high"], gcm["value"] / 0.99)


def test_of_many_suites_the_sound_ones_that_carry_most_are_drawn() -> None:
    run, found = decision_run(), decision_rows()
    context, more = run.context, list(found)
    for number in range(5):
        name = f"{GCM}-{number}"
        facts = next(it for it in context.algorithms if it.name == GCM)
        named = msgspec.structs.replace(facts, name=name, title=f"GCM {number}")
        context = msgspec.structs.replace(context, algorithms=[*context.algorithms, named])
        more += [msgspec.structs.replace(it, algorithm=name) for it in found if it.algorithm == GCM]
    [panel] = chart(context, more).panels
    drawn = {it["algorithm"] for it in panel.data["points_0"]}
    assert len(drawn) == 6 and "ESP AES-128-CBC + HMAC-SHA1-96" not in drawn


def test_each_protocol_has_a_panel() -> None:
    run, found = decision_run(), decision_rows()
    renamed = [
        msgspec.structs.replace(it, name=it.name.replace("esp:", "tls13:"), title=f"TLS {it.title}")
        for it in run.context.algorithms
    ]
    more = [
        msgspec.structs.replace(it, algorithm=it.algorithm.replace("esp:", "tls13:"))
        for it in found
    ]
    context = msgspec.structs.replace(run.context, algorithms=[*run.context.algorithms, *renamed])
    panels = chart(context, [*found, *more]).panels
    assert [it.chart["title"] for it in panels] == ["esp · seal", "tls13 · seal"]


@pytest.mark.slow
def test_other_runs_have_no_such_page(tmp_path: Path, run: Run) -> None:
    html = write_report(run, rows(run), tmp_path, facts=all_algorithms()).read_text()
    assert 'id="decision"' not in html
    assert not (tmp_path / "plots" / "decision.svg").exists()
