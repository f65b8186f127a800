"""Studies that measure more than one workload: one run after the other, kept together."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import two_ways_example
from ciphermark import studies
from ciphermark.cli.main import app
from ciphermark.errors import UsageError, WorkError
from ciphermark.plan import planfile
from ciphermark.plan.build import build
from ciphermark.plan.sampling import PAIRED_PROCESSES
from ciphermark.plan.selection import Selection
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.run.interrupts import Interrupts
from ciphermark.studies import registry
from lent_engine import LentEngine, description
from tunnel_example import lacking, tunnel_run


@pytest.fixture(autouse=True)
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A study that somebody adds, and an engine that makes up what it measures."""
    monkeypatch.setattr(studies, "__path__", two_ways_example.add(tmp_path))
    monkeypatch.setattr("ciphermark.run.engine.Engine", LentEngine)
    monkeypatch.setattr("ciphermark.command.measuring.report_path", lambda *_, **__: None)
    importlib.invalidate_caches()
    yield
    sys.modules.pop("ciphermark.studies.two_ways", None)
    vars(studies).pop("two_ways", None)


def study(store: Store, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["study", "two-ways", "--runs", str(store.root), *arguments])


def test_what_comes_then_has_what_the_first_says_and_efforts_of_its_own() -> None:
    plan = registry.load("two-ways").plan
    [then] = plan.then
    assert (then.title, then.source, then.sizes) == (plan.title, plan.source, [1024])
    assert [(part.algorithms, part.sizes) for part in then.also] == [(["hmac-sha256"], [1024])]
    assert [it.budget_s for it in plan.in_turn] == [30, 10]
    quick = plan.at("quick")
    assert [it.budget_s for it in quick.in_turn] == [30, 4]
    assert quick.then[0].also == []


def test_both_runs_are_measured_and_kept_together(store: Store) -> None:
    result = study(store, "--json")
    assert result.exit_code == 0, result.output
    [summary] = store.summaries()
    run = store.load(summary.run)
    [cores] = run.also
    assert (summary.plan_name, summary.workload) == ("two-ways", "single")
    assert (cores.context.plan_name, cores.context.workload) == ("two-ways-cores", "sessions")
    # RustCrypto has SHA-256 quicker there, and OpenSSL HMAC, which the first run has not.
    assert json.loads(result.stdout)["tables"][0]["rows"] == [
        ["sha256", "rustcrypto", 1, 1],
        ["sha256", "rustcrypto", 2, 2],
        ["hmac-sha256", "openssl", 1, 1],
        ["hmac-sha256", "openssl", 2, 2],
    ]
    again = study(store, "--from", "last", "--json")
    assert again.stdout == result.stdout


def test_what_no_engine_measures_is_kept_with_the_run(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def besides(engine: LentEngine, effort: str, interrupts: Interrupts) -> list[Run]:
        asked.append((type(engine), effort))
        return [tunnel_run([lacking()])]

    module = importlib.import_module("ciphermark.studies.two_ways")
    monkeypatch.setattr(module, "besides", besides, raising=False)
    monkeypatch.setattr(module, "tables", lambda run, rows: [])
    assert study(store, "--quick", "--json").exit_code == 0
    assert asked == [(LentEngine, "quick")]
    [summary] = store.summaries()
    workloads = {run.context.workload: run for run in store.load(summary.run).also}
    assert workloads.keys() == {"sessions", "tunnel"}
    assert workloads["tunnel"].tunnels == [lacking()]


def test_the_run_within_is_shown_by_its_path(store: Store) -> None:
    study(store)
    folder = store.folder(store.summaries()[0].run) / "also"
    [within] = folder.iterdir()
    shown = CliRunner().invoke(app, ["show", str(within), "--json"])
    assert shown.exit_code == 0, shown.output
    assert len(json.loads(shown.stdout)["rows"]) == 4


def test_a_dry_run_lists_both(store: Store) -> None:
    shown = study(store, "--dry-run").stdout
    assert "Then two-ways-cores: each function by the library that will have been" in shown
    found = json.loads(study(store, "--dry-run", "--json").stdout)
    assert [len(found["cases"]), len(found["then"][0]["cases"])] == [2, 4]
    assert found["expected_s"] > 0.6 * 4


def test_a_budget_is_shared_as_the_plan_shares_it(store: Store) -> None:
    study(store, "--budget", "20")
    run = store.load(store.summaries()[0].run)
    assert (run.context.plan.budget_s, run.also[0].context.plan.budget_s) == (15, 5)


def test_a_share_that_is_too_short_leaves_a_run_out(store: Store) -> None:
    result = study(store, "--budget", "2")
    assert result.exit_code == 0, result.output
    assert "two-ways-cores is left out: its share of --budget is 0.5 s" in result.stderr
    assert store.load(store.summaries()[0].run).also == []


def test_what_the_user_tells_is_kept(store: Store) -> None:
    assert json.loads(study(store, "--given", "price=30", "--json").stdout)["claims"][0]["holds"]
    assert store.load(store.summaries()[0].run).given == {"price": 30.0}
    shown = study(store, "--from", "last", "--given", "price=5", "--json")
    assert json.loads(shown.stdout)["claims"][0]["holds"] is False
    refused = study(store, "--given", "prise=5")
    assert isinstance(refused.exception, UsageError)


def test_an_engine_that_dies_in_the_second_run_leaves_the_first(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure = LentEngine.measure

    def dying(self: LentEngine, plan, *more):  # noqa: ANN001, ANN002, ANN202
        yield from (
            measure(self, plan, *more)
            if plan.workload == "single"
            else [*measure(self, plan, *more)][:2]
        )
        if plan.workload == "sessions":
            raise WorkError("the engine has died")

    monkeypatch.setattr(LentEngine, "measure", dying)
    result = study(store)
    assert result.exit_code == 1
    assert "the engine has died; the results until then are kept" in result.stderr
    run = store.load(store.summaries()[0].run)
    assert not run.context.interrupted and run.also[0].context.interrupted


def test_an_error_in_the_second_run_changes_the_exit_code(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LentEngine, "crashing", [("hmac-sha256", "openssl")])
    assert study(store).exit_code == 1


def test_only_a_study_has_plans_that_come_then(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="which only a study has: leave out its"):
        planfile.read(tmp_path / "two-ways.toml", "single")


def test_features_are_hidden_where_a_part_says_so() -> None:
    facts = description()
    facts.providers[0].switches = {
        "sha_ni": {"OPENSSL_ia32cap": "~0x0:~0x20000000"},
        "ssse3": {"OPENSSL_ia32cap": "~0x20000000000:~0x0"},
        "aes": {"OPENSSL_ia32cap": "~0x200000000000000:~0x0"},
    }
    for it in facts.implementations:
        it.features = ["ssse3", "sha_ni"] if it.algorithm == "sha256" else []
    plan = registry.load("two-ways").plan
    plan.ablate = True
    plan.also = [planfile.Part(algorithms=["sha256"], operations=["digest"], sizes=[1024])]
    plan.also[0].hidden = ["sha_ni", "ssse3", "avx2"]
    built = build(plan, Selection(), facts)
    assert [(it.provider, it.switches.get("OPENSSL_ia32cap")) for it in built.plan.cases] == [
        ("openssl", None),
        ("openssl", "~0x0:~0x20000000"),
        ("openssl", "~0x20000000000:~0x0"),
        ("rustcrypto", None),
        ("openssl", "~0x20000000000:~0x20000000"),
    ]
    assert built.plan.sampling.min_processes == PAIRED_PROCESSES
