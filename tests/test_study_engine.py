"""The studies with the engine itself, smaller than a user's: each case takes the engine a second.

What tables and claims say of all figures is tested without the engine.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from ciphermark.plan import planfile
from ciphermark.plan.planfile import PlanFile
from ciphermark.record.run import CaseRecord
from ciphermark.record.store import Store
from ciphermark.studies import kasumi, umac
from engine_fixture import Command, Ended, has_figures

pytestmark = [pytest.mark.engine, pytest.mark.measures]


@pytest.fixture(autouse=True)
def unsimulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """What studies simulate beside their runs takes a compiler for each target;
    `test_study_simulated.py` has it."""
    for study in (kasumi, umac):
        monkeypatch.setattr(study, "simulated", lambda effort: [])


@pytest.fixture
def of_few(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Has plans measure no other algorithms than these."""

    def of_few(*algorithms: str) -> None:
        def smaller(plan: PlanFile) -> PlanFile:
            parts = [
                msgspec.structs.replace(it, algorithms=[*chosen])
                for it in plan.parts
                if (chosen := [name for name in it.algorithms if name in algorithms])
            ]
            then = [smaller(it) for it in plan.then]
            return msgspec.structs.replace(parts[0], also=parts[1:], then=then)

        whole = planfile.read
        monkeypatch.setattr(planfile, "read", lambda path: smaller(whole(path)))

    return of_few


def failures(command: Command) -> list[CaseRecord]:
    """The cases of the study's runs that failed, and could have been measured."""
    store = Store(command.runs)
    run = store.load(store.summaries()[0].run)
    cases = [case for part in (run, *run.also) for case in part.cases if case.error is not None]
    return [case for case in cases if case.error and case.error.kind != "unsupported"]


def look_at_end(ended: Ended, command: Command) -> None:
    """On a machine so busy that threads do not get to run, a case may fail, says so, and ends the
    study with 1; nothing else may fail."""
    failed = failures(command)
    assert all("too busy" in case.error.message for case in failed if case.error), failed
    assert ended.code == int(bool(failed)), ended.messages


@pytest.mark.deep
def test_the_gateway_study_measures_all_of_its_functions_once(
    command: Command, of_few: Callable[..., None]
) -> None:
    of_few("aes-128-gcm", "aes-128-cbc", "sha256", "hmac-sha256", "esp:aes-128-gcm")
    few = ("--providers", "openssl,rustcrypto", "--precision", "10%")
    ended = command("study", "gateway", "--quick", *few, "--json")
    look_at_end(ended, command)
    throughputs, *others = ended.document["tables"]
    places = [
        place for place, column in enumerate(throughputs["columns"]) if column["heading"] == "MB/s"
    ]
    assert len(throughputs["rows"]) == 10
    # On a busy machine all few samples of a case may have been disturbed.
    figures = [row[place] for row in throughputs["rows"] for place in places[:2]]
    assert all(figure is None or figure > 0 for figure in figures)
    [hidden] = [table for table in others if "OpenSSL without each" in table["title"]]
    assert {row[0] for row in hidden["rows"]} >= {"aes-128-cbc", "sha256"}
    assert all(claim["here"] for claim in ended.document["claims"])
    again = command("study", "gateway", "--from", "last", "--json")
    assert again.document == ended.document


@pytest.mark.deep
def test_the_umac_study_measures_its_tables_quickly(command: Command) -> None:
    few = ("--providers", "kernels,openssl", "--budget", "4")
    ended = command("study", "umac", "--quick", *few, "--json")
    look_at_end(ended, command)
    *of_tags, comparison = ended.document["tables"][:5]
    assert [len(table["rows"]) for table in of_tags] == [16] * 4
    assert len({row[0] for row in comparison["rows"]}) == 5
    assert all(claim["here"] for claim in ended.document["claims"])
    rows = command("show", "last", "--json").document["rows"]
    is_whole = all([has_figures(row) for row in rows])
    for table in of_tags:
        headings = [column["heading"] for column in table["columns"]]
        here = headings.index("c/B")
        names = {row[0] for row in table["rows"] if row[here]}
        assert len(names) == 4 or (len(names) < 4 and not is_whole)


@pytest.mark.deep
def test_the_mac_sessions_study_measures_all_of_its_figures(
    command: Command, of_few: Callable[..., None]
) -> None:
    of_few("hmac-sha1", "cmac-aes-128", "vmac-64")
    ended = command("study", "mac-sessions", "--quick", "--json")
    look_at_end(ended, command)
    by_title = {table["title"]: table for table in ended.document["tables"]}
    [by_size] = [table for title, table in by_title.items() if "figures 4–7" in title]
    assert len(by_size["rows"]) == 10
    places = [
        place for place, column in enumerate(by_size["columns"]) if column["group"] == "everything"
    ]
    assert len(places) == 3
    measured = [row for row in by_size["rows"] if row[places[0]] is not None]
    # Sessions that never had a turn on a busy machine have no figure.
    assert len(measured) <= 3
    assert all(row[place] is None or row[place] > 0 for row in measured for place in places)
    [by_cores] = [table for title, table in by_title.items() if "figures 8–11" in title]
    assert {row[0] for row in by_cores["rows"]} >= {"VMAC-AES128/64"}
    assert len(ended.document["claims"]) == 19
    assert all(claim["here"] for claim in ended.document["claims"])
