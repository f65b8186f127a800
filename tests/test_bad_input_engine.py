"""Engines that are missing, stale or die, and plans that the engine refuses."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ciphermark import contract
from ciphermark.run.engine import Engine
from engine_fixture import FEW, Command, contents

pytestmark = pytest.mark.engine

Script = Callable[[str], Path]


@pytest.fixture
def script(engine: Engine, tmp_path: Path) -> Script:
    """Makes an engine that is a shell script; `$real` is the true one."""

    def make(text: str) -> Path:
        path = tmp_path / "ciphermark-engine"
        path.write_text(f"#!/bin/sh\nreal={shlex.quote(str(engine.path))}\n{text}\n")
        path.chmod(0o755)
        return path

    return make


def refused(command: Command, engine: Path) -> str:
    refusal = command("survey", *FEW, "--engine", engine)
    assert refusal.code == 2
    assert contents(command.runs) == {}
    return refusal.sentence


REINSTALL = ": install ciphermark again (in its source tree: make survey, or pip install .)"


def test_an_engine_that_is_missing_is_named(command: Command, tmp_path: Path) -> None:
    assert (
        refused(command, tmp_path / "none") == f"there is no engine at {tmp_path}/none{REINSTALL}"
    )
    assert refused(command, tmp_path) == f"there is no engine at {tmp_path}{REINSTALL}"


def test_an_engine_that_may_not_run_is_named(command: Command, script: Script) -> None:
    engine = script("exec $real")
    engine.chmod(0o644)
    assert refused(command, engine) == f"the engine {engine} may not be run{REINSTALL}"


def test_an_engine_that_is_no_program_is_named(command: Command, script: Script) -> None:
    engine = script("")
    engine.write_text("not a program")
    assert refused(command, engine) == (
        f"the engine {engine} does not run (Exec format error){REINSTALL}"
    )


@pytest.mark.parametrize(
    ("text", "code"), [("true", 0), ("echo \"cannot access '$1'\" >&2; exit 2", 2)]
)
def test_a_program_that_is_no_engine_is_named(
    command: Command, script: Script, text: str, code: int
) -> None:
    engine = script(text)
    assert (
        refused(command, engine) == f"{engine} is no engine, as it ends with code {code}{REINSTALL}"
    )


def test_an_engine_of_another_format_is_named_with_both_formats(
    command: Command, script: Script
) -> None:
    engine = script("""echo '{"schema": {"major": 99, "minor": 1}, "what": "has changed"}'""")
    ours = f"{contract.SCHEMA.major}.{contract.SCHEMA.minor}"
    assert refused(command, engine) == (
        f"the engine {engine} speaks format 99.1, this ciphermark {ours}{REINSTALL}"
    )


def test_an_engine_that_greets_in_another_format_is_refused(
    command: Command, script: Script
) -> None:
    hello = """'{"event": "hello", "schema": {"major": 99, "minor": 1}}'"""
    engine = script(f'[ "$1" = run ] || exec "$real" "$@"\necho {hello}')
    assert "speaks format 99.1" in refused(command, engine)


@pytest.mark.parametrize("condition", ["true", '[ "$1" = run ]'], ids=["always", "when it runs"])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("echo hello", "does not belong to this ciphermark (JSON is malformed"),
        ("echo '{}'", "does not belong to this ciphermark (Object missing required field"),
        ("echo \"error: unrecognized subcommand '$1'\" >&2; exit 2", "does not know this command"),
    ],
)
def test_a_stale_engine_is_to_be_installed_again(
    command: Command, script: Script, condition: str, text: str, said: str
) -> None:
    engine = script(f'if {condition}; then {text}; else exec "$real" "$@"; fi')
    sentence = refused(command, engine)
    assert sentence.startswith(f"the engine {engine} {said}") and sentence.endswith(REINSTALL)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kill -SEGV $$", "was ended by SIGSEGV"),
        ("echo 'the disk is on fire' >&2; exit 101", "ended with code 101: the disk is on fire"),
    ],
)
def test_an_engine_that_dies_before_it_measures_leaves_nothing(
    command: Command, script: Script, text: str, said: str
) -> None:
    engine = script(f'[ "$1" = run ] || exec "$real" "$@"\n{text}')
    ended = command("survey", *FEW, "--engine", engine)
    assert (ended.code, ended.sentence) == (1, f"the engine {engine} {said}")
    assert contents(command.runs) == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("| head -c 20000; kill -KILL $$", "was ended by SIGKILL"),
        ("| head -n 30; echo hello", "does not belong to this ciphermark (JSON is malformed"),
    ],
    ids=["cut short", "garbled"],
)
@pytest.mark.measures
def test_what_an_engine_measured_before_it_died_is_kept(
    command: Command, script: Script, text: str, said: str
) -> None:
    engine = script(f'[ "$1" = run ] || exec "$real" "$@"\n"$real" "$@" {text}')
    ended = command("survey", *FEW, "--precision", "0.01%", "--engine", engine, "--json")
    context = command.only_run()
    assert ended.code == 1
    last = ended.messages.splitlines()[-1]
    assert last.startswith(f"ciphermark: the engine {engine} {said}")
    assert last.endswith(f"; the results until then are kept in run {context.run}")
    assert context.interrupted
    assert any(row["samples"] for row in ended.document["rows"])


def test_an_event_of_a_newer_minor_format_is_ignored(command: Command, script: Script) -> None:
    novelty = """sed '1a {"event": "novelty", "value": 1}'"""
    engine = script(f'if [ "$1" = run ]; then $real "$@" | {novelty}; else exec $real "$@"; fi')
    ended = command("survey", *FEW, "--engine", engine)
    assert ended.code == 0


def plan(**changes: Any) -> dict[str, Any]:
    case = {"case": 0, "algorithm": "sha256", "operation": "digest", "provider": "rustcrypto"}
    schema = {"major": contract.SCHEMA.major, "minor": contract.SCHEMA.minor}
    return {
        "schema": schema,
        "workload": "single",
        "seed": 1,
        "precision": 0.05,
        "budget_s": 1.0,
        "cases": [case | {"backend": "default", "message_bytes": 64}],
    } | changes


CASE = plan()["cases"][0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "EOF while parsing"),
        ("not JSON", "expected"),
        ("{}", "missing field"),
        (json.dumps(plan(schema={"major": 99, "minor": 0})), "schema 99.0"),
        (json.dumps(plan(cases=[])), "no cases"),
        (json.dumps(plan(cases=[CASE, CASE])), "case 0 stands twice"),
        (json.dumps(plan(cases=[CASE | {"operation": "guess"}])), "unknown variant `guess`"),
        (json.dumps(plan(cases=[CASE | {"operation": "seal"}])), "no operation seal"),
        (json.dumps(plan(cases=[CASE | {"algorithm": "sha257"}])), "no algorithm sha257"),
        (json.dumps(plan(cases=[CASE | {"provider": "opensl"}])), "no provider opensl"),
        (json.dumps(plan(cases=[CASE | {"message_bytes": -1}])), "-1"),
        (json.dumps(plan(cases=[CASE | {"message_bytes": 2**31}])), "over 1 GiB"),
        (json.dumps(plan(precision="fine")), "fine"),
        (json.dumps(plan(cpu=999)), "CPU 999"),
    ],
    ids=lambda value: value[-40:],
)
def test_a_plan_that_is_not_valid_is_refused(
    engine: Engine, tmp_path: Path, text: str, said: str
) -> None:
    file = tmp_path / "plan.json"
    file.write_text(text)
    assert said in refusal(engine, file)


def test_a_plan_that_is_not_there_is_refused(engine: Engine, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    assert refusal(engine, file).startswith(f"the plan {file} cannot be read: No such file")


def refusal(engine: Engine, plan: Path) -> str:
    """The sentence with which the engine itself refuses a plan."""
    command = [engine.path, "run", "--plan", plan]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=20)
    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = ended.stderr.splitlines()
    return line.removeprefix("ciphermark-engine: ")
