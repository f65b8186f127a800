"""What `make test`, `make test-deep` and CI run: stages one after the other, by
`tools/run_stages.sh`, and each test in one of them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Collection
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "tools" / "run_stages.sh"
SECONDS = 20

TARGETS = ("test", "test-deep")


def test_all_stages_run_whatever_one_of_them_finds() -> None:
    stages = ("one", "echo first", "two", "false; echo never", "three", "exit 124")
    ended = subprocess.run(
        [SCRIPT, *stages, "four", "echo last"], capture_output=True, text=True, timeout=SECONDS
    )
    assert (ended.returncode, ended.stderr) == (1, "")
    assert "first" in ended.stdout and "last" in ended.stdout and "never" not in ended.stdout
    table = [re.sub(r" +0:0\d +", ", ", line) for line in ended.stdout.splitlines()[-4:]]
    assert table == ["passed, one", "failed (1), two", "took too long, three", "passed, four"]


def test_stages_that_pass_are_no_failure() -> None:
    ended = subprocess.run([SCRIPT, "one", "true"], capture_output=True, text=True, timeout=SECONDS)
    assert ended.returncode == 0
    assert ended.stdout.splitlines()[-1].startswith("passed")


def test_ctrl_c_ends_all_stages() -> None:
    """Also where the stage's tool ends in its own way, as pytest does."""
    tool = "trap 'exit 2' INT; echo ready; while :; do sleep 0.05; done"
    started = subprocess.Popen(
        [SCRIPT, "one", tool, "two", "echo never"],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert started.stdout is not None
    while started.stdout.readline() != "ready\n":
        assert started.poll() is None
    # To the whole group, as a terminal does.
    os.killpg(started.pid, signal.SIGINT)
    rest, _ = started.communicate(timeout=SECONDS)
    assert started.returncode == 130
    assert "never" not in rest


def recipe(target: str) -> str:
    """What a target of the Makefile would do."""
    return subprocess.run(
        ["make", "--just-print", "--no-print-directory", target],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    ).stdout


def selections(target: str) -> list[str]:
    """The expressions of markers by which a target of the Makefile selects tests, without those
    that are run again with more examples."""
    found = re.findall(r"\s-m '([^']+)'", recipe(target))
    return [expression for expression in found if not expression.startswith("hypothesis")]


Marks = frozenset[str]


def selected(expression: str, tests: Collection[Marks], known: set[str]) -> set[Marks]:
    """What pytest makes of such an expression, which is one of Python's as well."""
    code = compile(expression, "Makefile", "eval")
    return {it for it in tests if eval(code, {name: name in it for name in known})}


def test_each_test_is_run_once_by_one_of_the_targets(
    pytestconfig: pytest.Config, marks: dict[str, Marks]
) -> None:
    known = {re.split(r"[:(]", line)[0] for line in pytestconfig.getini("markers")}
    kinds = set(marks.values())
    stages = [selected(it, kinds, known) for target in TARGETS for it in selections(target)]
    assert len(stages) == 3
    assert {
        test: [*kind] for test, kind in marks.items() if sum(kind in stage for stage in stages) != 1
    } == {}
    (checked,) = selections("check")
    assert selected(checked, kinds, known) <= stages[0]


def test_a_test_of_no_target_is_noticed() -> None:
    """As where a marker is left out of an expression: what has it is run by none."""
    plain, deep, targets = (frozenset(it) for it in ((), ("deep",), ("targets",)))
    kinds, known = {plain, deep, targets}, {"deep", "targets"}
    stages = [selected(it, kinds, known) for it in ("not deep and not targets", "deep")]
    assert stages == [{plain}, {deep}]


def test_what_is_skipped_in_rust_is_there_and_run_by_the_other_target() -> None:
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "engine").glob("*/src/**/*.rs"))
    skipped = re.findall(r"--skip (\w+)", recipe("check"))
    assert skipped
    assert [name for name in skipped if f"fn {name}(" not in sources] == []
    assert "--skip" not in recipe("test") + recipe("test-deep")


def test_ci_runs_both_targets_and_fails_if_either_fails(tmp_path: Path) -> None:
    make = tmp_path / "make"
    make.write_text('#!/bin/sh\necho "$1"\n[ "$1" != "$FAILS" ]\n')
    make.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    for fails, code in (("test", 1), ("test-deep", 1), ("none", 0)):
        ended = subprocess.run(
            [ROOT / ".ci" / "run"],
            env=os.environ | {"PATH": path, "FAILS": fails},
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        assert (ended.stdout.split(), ended.returncode) == (["test", "test-deep"], code)
