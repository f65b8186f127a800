"""`ciphermark study`, with an engine that makes up its samples."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner, Result

import synthetic
from ciphermark.cli.main import app
from ciphermark.command.measuring import Kept
from ciphermark.errors import UsageError
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.studies import gateway, plans, registry
from lent_engine import LentEngine

COSTS = {
    ("aes-128-gcm", "seal"): 1.0,
    ("aes-256-gcm", "seal"): 1.2,
    ("aes-128-cbc", "encrypt"): 2.6,
    ("aes-256-cbc", "encrypt"): 3.6,
    ("camellia-128-cbc", "encrypt"): 14.0,
    ("camellia-256-cbc", "encrypt"): 18.0,
    ("camellia-128-gcm", "seal"): 16.0,
    ("camellia-256-gcm", "seal"): 20.0,
    ("md5", "digest"): 4.8,
    ("sha1", "digest"): 1.9,
    ("sha256", "digest"): 2.0,
    ("sha512", "digest"): 3.5,
}
"""Cycles per byte."""

COSTS |= {
    (f"esp:{cipher}{tag}", "seal"): cost + (2.5 if tag else 0.1)
    for (cipher, _), cost in COSTS.items()
    for tag in (("",) if cipher.endswith("gcm") else ("+hmac-sha1-96", "+hmac-sha256-128"))
    if cipher.endswith(("gcm", "cbc"))
}
RECEIVING = {"seal": "open", "encrypt": "decrypt"}
COSTS |= {
    (algorithm, RECEIVING[operation]): cost
    for (algorithm, operation), cost in COSTS.items()
    if operation in RECEIVING
}
COSTS |= {
    (f"hmac-{algorithm}", operation): cost + 1
    for (algorithm, digest), cost in COSTS.items()
    for operation in ("mac", "verify")
    if digest == "digest"
}

CASES = 2 * (12 + 6 + 4 * 2 + 10 * 2) + 3 * 4
"""Twelve functions, the receiving end of six, both of four MACs and of ten suites by two libraries;
hashes of one from three distances."""

GCM, LINK = "gcm-slower-than-cbc", "aes-128-gcm-fills-100m-link"


def nothing(*asked: object) -> list[object]:
    """In place of other programs and of tunnels, which take seconds."""
    return []


@pytest.fixture(scope="module", autouse=True)
def engine(run: Run) -> Iterator[None]:
    """Makes up samples of all functions; the run of other tests is made before."""
    with pytest.MonkeyPatch.context() as patch:
        for function, per_byte in COSTS.items():
            costs = {"openssl": (400.0, per_byte), "rustcrypto": (200.0, 2 * per_byte)}
            patch.setitem(synthetic.COSTS, function, costs)
        patch.setattr("ciphermark.run.engine.Engine", LentEngine)
        patch.setattr(gateway, "aside", nothing)
        patch.setattr(gateway, "besides", nothing)
        yield


@pytest.fixture(autouse=True)
def unwritten(monkeypatch: pytest.MonkeyPatch) -> None:
    """A report takes a second."""

    def path(store: Store, kept: Kept, output: Path | None) -> Path:
        return output or store.folder(kept.id) / "report.html"

    monkeypatch.setattr("ciphermark.command.measuring.report_path", path)


def study(store: Store, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["study", "gateway", "--runs", str(store.root), *arguments])


def document(result: Result) -> dict[str, Any]:
    return json.loads(result.stdout)


class Measured(NamedTuple):
    """A store with a run of the study, and what the command printed when it was measured."""

    store: Store
    result: Result


@pytest.fixture(scope="module")
def measured(engine: None, tmp_path_factory: pytest.TempPathFactory) -> Measured:
    store = Store(tmp_path_factory.mktemp("study") / "runs")
    return Measured(store, study(store, "--json", "--check"))


@pytest.mark.slow
def test_it_measures_keeps_and_prints(store: Store) -> None:
    result = study(store)
    assert result.exit_code == 0, "a claim that does not hold changes it only with --check"
    [summary] = store.summaries()
    assert (summary.plan_name, summary.cases) == ("gateway", CASES)
    for text in (" hold here, ", GCM, f"Saved     run {summary.run}", "--tables"):
        assert text in result.stdout
    assert str(store.folder(summary.run) / "report.html") in result.stdout.splitlines()
    [title, *_] = [
        it["title"] for it in document(study(store, "--from", "last", "--json"))["tables"]
    ]
    assert title not in result.stdout
    assert title in study(store, "--from", "last", "--tables").stdout


@pytest.mark.slow
def test_the_report_of_a_stored_run_has_tables_and_claims_and_goes_where_it_is_wanted(
    measured: Measured, tmp_path: Path
) -> None:
    report = tmp_path / "mine.html"
    typed = ("--from", "last", "--output", str(report))
    result = study(measured.store, *typed)
    assert result.exit_code == 0 and f"\n{report}\n" in result.stdout
    assert "is there already" in str(study(measured.store, *typed).exception)
    html = report.read_text()
    assert "<h1>Ten functions of a VPN gateway" in html
    shown = html[html.index('id="study"') : html.index('id="decision"')]
    for text in ("Michael Tremer", "Atom N2600", "camellia-256-cbc", "does not hold, recomputed"):
        assert text in shown
    places = [shown.index(text) for text in (" hold here, ", GCM, "<figure>", "<table")]
    assert places == sorted(places)
    assert len(re.findall('<table(?! class="matrix")', shown)) == 11
    assert len(re.findall(r">[✓✗?]</span> <strong>[\w.-]+: ", shown)) == 31


@pytest.mark.slow
def test_the_report_goes_where_it_is_wanted(store: Store, tmp_path: Path) -> None:
    result = study(store, "--output", str(tmp_path / "mine.html"))
    assert f"\n{tmp_path / 'mine.html'}\n" in result.stdout
    (tmp_path / "mine.html").touch()
    result = study(store, "--output", str(tmp_path / "mine.html"))
    assert "is there already" in str(result.exception)
    assert len(store.summaries()) == 1, "said before measuring"


@pytest.mark.slow
def test_one_table_is_exported(measured: Measured) -> None:
    typed = ["export", "last", "--runs", str(measured.store.root), "--table"]
    listed = CliRunner().invoke(app, [*typed, "list"]).stdout.splitlines()
    titles = [table["title"] for table in document(measured.result)["tables"]]
    assert [line.partition("  ")[2] for line in listed] == titles
    table = CliRunner().invoke(app, [*typed, "#1", "--format", "latex"]).stdout
    assert "\\begin{tabular}" in table and "camellia-256-cbc" in table


@pytest.mark.slow
def test_json_has_tables_and_claims(measured: Measured) -> None:
    found = document(measured.result)
    assert found["study"] == "gateway"
    assert found["run"] == measured.store.summaries()[0].run
    assert [len(table["rows"]) for table in found["tables"]][:3] == [10, 10, 10]
    claims = {claim["claim"]: claim for claim in found["claims"]}
    assert (claims[GCM]["holds"], claims[LINK]["holds"]) == (False, True)
    assert all(claim["published"] and claim["here"] for claim in claims.values())
    headings = [column["heading"] for column in found["tables"][1]["columns"]]
    [md5] = [row for row in found["tables"][1]["rows"] if row[0] == "md5"]
    assert md5[headings.index("fastest here")] == "openssl"


@pytest.mark.slow
def test_a_claim_that_does_not_hold_changes_the_exit_code_only_when_checked(
    measured: Measured,
) -> None:
    assert measured.result.exit_code == 1
    assert study(measured.store, "--from", "last", "--json").exit_code == 0
    assert study(measured.store, "--from", "last", "--json", "--check").exit_code == 1


@pytest.mark.slow
def test_a_claim_that_cannot_be_tested_has_not_failed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    providers = ("openssl", "rustcrypto")
    monkeypatch.setattr(LentEngine, "crashing", [("aes-256-cbc", name) for name in providers])
    study(store)
    found = study(store, "--from", "last", "--check", "--json")
    claims = {claim["claim"]: claim["holds"] for claim in document(found)["claims"]}
    assert (claims[GCM], claims[LINK]) == (None, True)


@pytest.mark.slow
def test_a_failed_case_is_said_and_changes_the_exit_code(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LentEngine, "crashing", [("md5", "rustcrypto")])
    result = study(store)
    assert result.exit_code == 1
    assert "1 case failed" in result.stdout
    assert "SIGSEGV" in result.stdout


@pytest.mark.slow
def test_only_chosen_providers_are_measured(store: Store) -> None:
    study(store, "--providers", "rustcrypto", "--precision", "2%", "--budget", "5", "--cpus", "0")
    [summary] = store.summaries()
    plan = store.context(summary.run).plan
    assert {case.provider for case in plan.cases} == {"rustcrypto"}
    assert (plan.precision, plan.cpu) == (0.02, 0)
    # The second run has its share of the five seconds.
    assert plan.budget_s == pytest.approx(5 * 180 / 325)


def test_a_study_keeps_to_the_cpus_that_it_is_left(store: Store) -> None:
    listed = document(study(store, "--dry-run", "--json", "--cpus", "1"))
    sessions = [it for then in listed["then"] for it in then["cases"] if it["sessions"]]
    assert {tuple(it["sessions"]["cpus"]) for it in sessions} == {(1,)}
    refused = study(store, "--dry-run", "--cpus", "77")
    assert isinstance(refused.exception, UsageError) and "77" in str(refused.exception)


@pytest.mark.slow
def test_a_stored_run_is_shown_again(measured: Measured) -> None:
    again = document(study(measured.store, "--json", "--from", "last"))
    assert again == document(measured.result)
    assert len(measured.store.summaries()) == 1


def test_a_run_of_another_plan_is_refused(store: Store, run, run_rows) -> None:  # noqa: ANN001
    store.save(run, run_rows)
    result = study(store, "--from", "last")
    assert isinstance(result.exception, UsageError)
    assert "is of survey and not of the study gateway" in str(result.exception)


@pytest.mark.slow
def test_a_dry_run_lists_the_cases_and_the_expected_time(store: Store) -> None:
    result = study(store, "--dry-run")
    assert "camellia-128-cbc" in result.stdout
    assert f"{CASES} cases · about " in result.stdout
    assert "Then gateway-cores" in result.stdout
    found = document(study(store, "--dry-run", "--json"))
    assert len(found["cases"]) == CASES
    assert {case["sessions"]["sessions"] for case in found["then"][0]["cases"]} == {1, 2}
    assert 0 < found["expected_s"] <= 325
    assert not store.root.exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "precision", "budget_s"),
    [
        ((), 0.01, 180),
        (("--quick",), 0.05, 30),
        (("--full",), 0.005, 3600),
        (("--quick", "--budget", "7.8"), 0.05, 3),
    ],
)
def test_the_effort_decides_how_sure_the_figures_become(
    store: Store, options: tuple[str, ...], precision: float, budget_s: float
) -> None:
    study(store, "--providers", "rustcrypto", *options)
    [summary] = store.summaries()
    plan = store.context(summary.run).plan
    assert (plan.precision, plan.budget_s) == (precision, budget_s)


def test_other_sizes_and_another_build_are_measured_in_all_plans(store: Store) -> None:
    mine = ("--library", "openssl=/opt/openssl/libcrypto.so")
    found = document(study(store, "--quick", "--sizes", "512", *mine, "--dry-run", "--json"))
    every = [*found["cases"], *(case for plan in found["then"] for case in plan["cases"])]
    assert {case["message_bytes"] for case in every} == {512}
    assert {case["provider"] for case in found["then"][0]["cases"]} == {"openssl"}


def test_sessions_are_chosen_of_a_study_that_has_them() -> None:
    plan = registry.load("mac-sessions").plan
    found = {part.sessions.sessions for part in plans.with_sessions("x", plan, "7,9").parts}
    # The harness, which other programs check, is of one.
    assert found == {(1,), (7, 9)}
    with pytest.raises(UsageError, match="the study gateway has no sessions to choose"):
        plans.with_sessions("gateway", registry.load("gateway").plan, "7")
    for typed in ("many", "0", ","):
        with pytest.raises(UsageError, match="write numbers such as 10,100"):
            plans.with_sessions("mac-sessions", plan, typed)


def test_runs_are_put_beside_a_stored_one_of_a_study_that_judges_several(
    store: Store, run, run_rows
) -> None:  # noqa: ANN001
    run.context.plan_name = "gateway"
    store.save(run, run_rows)
    alone = study(store, "--beside", "last")
    assert "name that with --from" in str(alone.exception)
    refused = study(store, "--from", run.context.run, "--beside", "last")
    assert "the study gateway judges one machine" in str(refused.exception)


def test_a_paper_is_cited_without_an_engine(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("ciphermark.run.engine.Engine.describe")
    assert study(store, "--cite").stdout.startswith("@misc{tremer2015feature,")
    assert document(study(store, "--cite", "--json"))["paper"]["year"] == 2015


def test_a_paper_that_is_not_known_by_name_is_not_cited() -> None:
    refused = CliRunner().invoke(app, ["study", "mac-sessions", "--cite"])
    assert "which begins “With the increased popularity" in str(refused.exception)


def test_claims_are_listed_with_their_place_without_an_engine(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("ciphermark.run.engine.Engine.describe")
    assert GCM in study(store, "--claims").stdout
    found = document(study(store, "--claims", "--json"))
    assert {GCM, f"{GCM}-printed", LINK} < {claim["claim"] for claim in found["claims"]}
    assert all(claim["place"] for claim in found["claims"])
    assert not store.root.exists()


@pytest.mark.parametrize(
    "options",
    [
        ("--claims", "--dry-run"),
        ("--cite", "--claims"),
        ("--claims", "--from", "last"),
        ("--dry-run", "--from", "x"),
        ("--quick", "--full"),
    ],
)
def test_options_that_ask_for_different_things_are_refused(
    store: Store, options: tuple[str, ...]
) -> None:
    result = study(store, *options)
    assert isinstance(result.exception, UsageError)
    assert "exclude each other" in str(result.exception)


def test_a_folder_that_cannot_be_written_is_refused_before_measuring(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = study(Store(tmp_path / "file"))
    assert isinstance(result.exception, UsageError)
    assert "runs cannot be stored" in str(result.exception)
