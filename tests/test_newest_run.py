"""Which stored run commands take that go by the newest one: the newest that has figures."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from advice_example import rows as suite_rows
from advice_example import stored as store_suites
from ciphermark.contract.others import Simulation
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.workload import rows as analysed
from ciphermark.workload import rows_table as analysed_table
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.rows import rows
from ciphermark.workloads.single.workload import WORKLOAD as SINGLE
from engine_fixture import Command, Ended
from simulation_example import CODE_BYTES, TARGETS, failure, simulated_run, simulations
from synthetic import CRASH, all_disturbed, synthetic_cases, synthetic_run

GOOD, GOOD_TOO, WITHOUT = "0001", "0002", "0003"
"""Ends of the identifiers of the stored runs, from old to new."""


@pytest.fixture
def typed(tmp_path: Path) -> Command:
    """A command that finds two runs and a newer one whose every sample was disturbed."""
    store = Store(tmp_path / "runs")
    for seed in (1, 2):
        keep(store, synthetic_run(seed=seed))
    keep(store, all_disturbed(synthetic_run(seed=3)))
    return Command(tmp_path / "runs", tmp_path / "no-engine")


def keep(store: Store, run: Run, **context: str) -> None:
    run.context = msgspec.structs.replace(run.context, **context)
    store.save(run, SINGLE.rows_table(rows(run)))


def passed_over(ended: Ended, run: str, why: str = "every sample was disturbed") -> bool:
    """Whether that, and nothing else, was said."""
    return ended.sentence.startswith("passed over run ") and ended.sentence.endswith(
        f"-{run} (it has no figure: {why})"
    )


def test_compare_takes_the_newest_with_figures(typed: Command) -> None:
    ended = typed("compare", "last", GOOD, "--json")
    assert ended.code == 0
    assert [it[-4:] for it in ended.document["runs"]] == [GOOD_TOO, GOOD]
    assert passed_over(ended, WITHOUT)


def test_two_libraries_are_compared_in_the_same_run(typed: Command) -> None:
    ended = typed("compare", "last:openssl", "last:rustcrypto", "--json")
    assert [it[-4:] for it in ended.document["runs"]] == [GOOD_TOO, GOOD_TOO]
    assert passed_over(ended, WITHOUT)


def test_what_is_named_is_taken_as_named(typed: Command) -> None:
    ended = typed("compare", WITHOUT, GOOD, "--json")
    assert [it[-4:] for it in ended.document["runs"]] == [WITHOUT, GOOD]
    assert not ended.messages
    ended = typed("advise", "--for", "tls", "--run", WITHOUT)
    assert f"{WITHOUT} has no figure for" in ended.sentence


def test_show_shows_the_newest_whatever_it_has(typed: Command) -> None:
    ended = typed("show", "--json")
    assert ended.document["run"].endswith(WITHOUT) and not ended.messages


def test_capacity_answers_from_the_newest_with_figures(typed: Command) -> None:
    ended = typed("capacity", "--json")
    assert ended.code == 0
    assert all(it["source"].endswith(GOOD_TOO) for it in ended.document["answers"])
    assert passed_over(ended, WITHOUT)


def test_advice_goes_by_the_newest_with_figures(typed: Command) -> None:
    ended = typed("advise", "--for", "tls", "--json")
    assert ended.code == 0
    assert ended.document["run"].endswith(GOOD_TOO)
    assert passed_over(ended, WITHOUT)


def test_suites_without_figures_give_way_to_parts_with_figures(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    measured = store_suites(store, [_without(it) for it in suite_rows()])
    keep(store, synthetic_run())
    ended = Command(tmp_path / "runs", tmp_path / "no-engine")("advise", "--for", "ipsec", "--json")
    assert ended.code == 0
    assert ended.document["run"] != measured
    assert passed_over(ended, "7f3a")


def test_a_run_that_lacks_only_what_is_needed_is_passed_over(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    keep(store, synthetic_run(seed=1))
    keep(store, all_disturbed(synthetic_run(seed=2), ["sha256"]))
    ended = Command(tmp_path / "runs", tmp_path / "no-engine")("advise", "--for", "hash", "--json")
    assert ended.document["run"].endswith(GOOD)
    assert ended.sentence.endswith("(it lacks figures for this: every sample was disturbed)")


def test_studies_take_the_newest_of_theirs(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    keep(store, synthetic_run(seed=1), plan_name="gateway")
    keep(store, all_disturbed(synthetic_run(seed=2)), plan_name="gateway")
    keep(store, all_disturbed(synthetic_run(seed=3)))
    command = Command(tmp_path / "runs", tmp_path / "no-engine")
    ended = command("study", "gateway", "--from", "last", "--json")
    assert ended.document["run"].endswith(GOOD)
    assert passed_over(ended, "0002")


def test_models_are_fitted_to_the_newest_simulation_with_figures(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    found = simulations()
    for run in (simulated_run(found, seed=1), simulated_run(list(map(failure, found)), seed=2)):
        store.save(run, analysed_table(analysed(run), "simulation"))
    ended = Command(tmp_path / "runs", tmp_path / "no-engine")(
        *("model", "fit", "--data", "simulated", "--json")
    )
    assert passed_over(ended, "0002", "every case failed")


def test_models_take_the_newest_figure_of_each_function(tmp_path: Path) -> None:
    """An older simulation of all functions, and a newer one of a hash alone, at a tenth of it."""
    store = Store(tmp_path / "runs")
    older = simulations()
    newer = [it for it in simulations(factors=dict.fromkeys(TARGETS, 0.1)) if is_md5(it)]
    for it in newer:
        it.code_bytes = 700
    for run in (simulated_run(older, seed=1), simulated_run(newer, seed=2)):
        store.save(run, analysed_table(analysed(run), "simulation"))
    found = Command(tmp_path / "runs", tmp_path / "no-engine")(
        *("model", "feasible", "--target", "cortex-m4", "--deadline", "1s", "--size", "16"),
        *("--flash", "16K", "--json"),
    ).document
    cycles = {it["algorithm"]: it["cycles"] for it in found["functions"]}
    was = [it.value for it in older if it.case.target == "cortex-m4" and is_md5(it)]
    assert cycles["md5"] == pytest.approx(min(filter(None, was)) / 10, rel=0.01)
    assert {"idea-ecb", "rc4-128"} <= set(cycles)
    flash = {
        it["algorithm"]: need["takes"]
        for it in found["functions"]
        for need in it["needs"]
        if need["what"] == "flash"
    }
    assert (flash["md5"], flash["idea-ecb"]) == (700, CODE_BYTES)


def is_md5(simulation: Simulation) -> bool:
    return simulation.case.algorithm == "md5"


def test_the_reasons_are_told_apart(tmp_path: Path) -> None:
    """Runs with failed cases, without samples, with both, and more than are named."""
    store = Store(tmp_path / "runs")
    cases = synthetic_cases(sizes=(64,))
    half = {it.case: CRASH for it in cases[::2]}
    keep(store, synthetic_run(cases, seed=1))
    keep(store, all_disturbed(synthetic_run(cases, seed=2)))
    keep(store, all_disturbed(synthetic_run(cases, seed=3, failed=half)))
    keep(store, synthetic_run(cases, seed=4, failed={it.case: CRASH for it in cases}))
    keep(store, synthetic_run(cases, rounds=0, seed=5))
    ended = Command(tmp_path / "runs", tmp_path / "no-engine")("capacity", "--json")
    one, two, three, more = ended.sentence.split("; ")
    assert one.endswith("0005 (it has no figure: it ended before a case was measured)")
    assert two.endswith("0004 (it has no figure: every case failed)")
    assert three.endswith("0003 (it has no figure: every sample was disturbed, or the case failed)")
    assert more == "and 1 more"


def test_where_no_run_has_figures_the_command_says_what_to_do(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    keep(store, all_disturbed(synthetic_run(seed=3)))
    ended = Command(tmp_path / "runs", tmp_path / "no-engine")("capacity")
    assert ended.code == 2
    first, second = ended.messages.splitlines()
    assert "passed over run" in first
    assert "packets or messages: measure with 'ciphermark esp'" in second


def _without(row: Row) -> Row:
    """The row of a case whose every sample was disturbed."""
    figures = ("cycles_per_message", "ns_per_message", "cycles_per_byte", "mbytes_per_second")
    nothing = dict.fromkeys(figures)
    return msgspec.structs.replace(row, **nothing, disturbed=row.samples, converged=False)
