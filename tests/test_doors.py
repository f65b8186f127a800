"""What one types first: --version, -h, --dry-run, what a stored run is narrowed to, completion."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

import ciphermark
from ciphermark.cli.groups import GONE, GROUPS
from ciphermark.cli.main import app
from ciphermark.record.store import Store
from ciphermark.workloads.single.rows import rows
from ciphermark.workloads.single.workload import WORKLOAD as SINGLE
from engine_fixture import Command
from synthetic import synthetic_run

VERBS = sorted(typer.main.get_command(app).commands)  # type: ignore[attr-defined]  # of a group


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """A command with a stored run, on a machine that has no engine."""
    folder = tmp_path_factory.mktemp("typed")
    run = synthetic_run(rounds=8)
    Store(folder / "runs").save(run, SINGLE.rows_table(rows(run)))
    return Command(folder / "runs", folder / "no-engine")


def test_the_version_is_told(typed: Command) -> None:
    ended = typed("--version")
    assert (ended.code, ended.output) == (0, f"ciphermark {ciphermark.__version__}\n")


def test_every_command_stands_under_one_heading(typed: Command) -> None:
    output = typed("--help").output
    headings = [line for line in output.splitlines() if line.rstrip(":") in GROUPS]
    assert [it.rstrip(":") for it in headings] == list(GROUPS)
    assert "More:" not in output, "name the new command in cli/groups.py"
    listed = [line for line in output.partition(headings[0])[2].splitlines() if line[:2] == "  "]
    assert sorted(line.split()[0] for line in listed) == VERBS
    assert all(line.endswith(".") and not line.endswith("...") for line in listed), listed


@pytest.mark.parametrize("removed", list(GONE))
def test_a_removed_command_names_its_replacement(typed: Command, removed: str) -> None:
    ended = typed(*removed.split(), "--json")
    said = f"ciphermark: {removed} {GONE[removed]}"
    assert (ended.code, ended.output, " ".join(ended.messages.split())) == (2, "", said)


@pytest.mark.parametrize("verb", VERBS)
def test_a_short_option_helps(typed: Command, verb: str) -> None:
    short, long = typed(verb, "-h"), typed(verb, "--help")
    assert short.code == 0 and short.output == long.output != ""


def test_completion_offers_commands_and_options(
    typed: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(typed.environment, "COMP_WORDS", "ciphermark advise --al")
    monkeypatch.setitem(typed.environment, "COMP_CWORD", "2")
    monkeypatch.setitem(typed.environment, "_CIPHERMARK_COMPLETE", "complete_bash")
    offered = typed().output.split()
    assert {"--all-rate", "--allow-legacy", "--algorithms"} <= set(offered)


def test_a_run_is_narrowed_to_algorithms_and_libraries(typed: Command) -> None:
    every = typed("show", "--json").document["rows"]
    some = typed("show", "--algorithms", "sha*", "--providers", "openssl", "--json")
    expected = [
        row for row in every if row["algorithm"].startswith("sha") and row["provider"] == "openssl"
    ]
    assert some.document["rows"] == expected != every
    assert "rustcrypto" not in typed("show", "--providers", "openssl").output
    wrong = typed("show", "--algorithms", "shq*")
    assert wrong.code == 2 and "'shq*' fits no algorithm in this run" in wrong.sentence


@pytest.mark.slow
@pytest.mark.parametrize("opens", [True, False])
def test_a_report_is_opened(typed: Command, monkeypatch: pytest.MonkeyPatch, opens: bool) -> None:
    asked: list[str] = []

    def browser(address: str) -> bool:
        asked.append(address)
        return opens

    monkeypatch.setattr("webbrowser.open", browser)
    ended = typed("report", "--open")
    assert ended.code == 0, ended.messages
    path = Path(ended.output.strip())
    assert path.is_file() and asked == [path.as_uri()]
    assert ("no browser could be started" in ended.messages) is not opens


@pytest.mark.engine
def test_a_dry_run_of_a_survey_measures_nothing(command: Command) -> None:
    few = ("--algorithms", "sha256", "--providers", "openssl", "--sizes", "64,1000")
    ended = command("survey", *few, "--dry-run", "--json")
    assert ended.code == 0, ended.messages
    cases = ended.document["cases"]
    assert [case["message_bytes"] for case in cases] == [64, 1000]
    assert Store(command.runs).run_ids() == []


@pytest.mark.engine
def test_a_list_measures_only_when_asked_to(command: Command) -> None:
    few = ("--algorithms", "aes-128-gcm", "--providers", "openssl")
    ended = command("list", "implementations", *few)
    assert ended.code == 0, ended.messages
    assert Store(command.runs).run_ids() == []
    assert "add --measure" in " ".join(ended.output.split())
