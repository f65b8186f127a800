"""The short form of the attack, with fixed seeds, and whether an attack sees what it looks for."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from attack import processes, stored
from attack.attempt import Attempt
from attack.failure import Ended, Failure
from attack.kinds import KINDS, kernels, plans
from attack.processes import Running, Streams
from attack.result import Result, Results
from attack.runner import schedule
from attack.setting import PACKAGE, TESTS, Setting
from ciphermark.run.engine import Engine
from library_fixture import SOURCES, compiled
from wrapped_kernels import Tally

SHORT = {
    "text,stored_texts,corrupt,plans": 160,
    "command_lines,others,reads,bombs": 80,
    "streams,disk,signals,kill,namespaces": 18,
    "kernels,alignments,replaced,containers": 10,
}
"""Kinds, and how many tries of them: of those that take long some few."""

MINUTES = 4
"""A bound for machines that are busy: all tries take one."""


@pytest.mark.engine
@pytest.mark.deep
@pytest.mark.long
@pytest.mark.parametrize("kinds", SHORT)
def test_the_short_attack_finds_nothing(engine: Engine, tmp_path: Path, kinds: str) -> None:
    line = [sys.executable, "-m", "attack", "--seed", "1", "--tries", str(SHORT[kinds]),
            "--minutes", str(MINUTES), "--only", kinds, "--folder", str(tmp_path)]  # fmt: skip
    environment = os.environ | {
        "CIPHERMARK_ENGINE": str(engine.path),
        "PYTHONPATH": f"{TESTS}:{PACKAGE}",
    }
    seconds = 120 + 120 * MINUTES
    done = subprocess.run(line, env=environment, capture_output=True, text=True, timeout=seconds)
    print(done.stdout[-6000:])
    assert done.returncode == 0, f"{done.stdout[-6000:]}\n{done.stderr[-2000:]}"


@pytest.mark.engine
@pytest.mark.parametrize("workload", ["single", "sessions", "packets"])
def test_plans_are_run_before_they_are_spoilt(engine: Engine, workload: str) -> None:
    """Plans that are all refused for what goes with what show nothing about measuring."""
    described = json.loads(subprocess.check_output([engine.path, "describe"], timeout=60))
    some = (plans.plan(random.Random(seed), described) for seed in range(60))
    refusals = []
    for plan in (plan for plan in some if plan["workload"] == workload):
        text = json.dumps(plan | {"cases": plan["cases"][:1]})
        line = [engine.path, "run", "--plan", "-"]
        done = subprocess.run(line, input=text, capture_output=True, text=True, timeout=90)
        if done.returncode == 0:
            return
        refusals.append(done.stderr)
    pytest.fail(f"no plan was run: {refusals}")


@pytest.fixture
def attempt(tmp_path: Path) -> Attempt:
    setting = Setting(tmp_path, tmp_path / "no-engine")
    return Attempt(setting, 1, "text", 7, tmp_path / "try")


@pytest.fixture
def forked(tmp_path: Path) -> Callable[[Callable[[], None]], Running]:
    """A process that does what it is told, with files for its streams."""

    def start(call: Callable[[], None]) -> Running:
        files = [tmp_path / "output", tmp_path / "messages"]
        with files[0].open("wb") as output, files[1].open("wb") as messages:
            streams = Streams(None, output.fileno(), messages.fileno())
            pid = processes.forked(call, dict(os.environ), streams)
        return Running("planted", pid, *files)

    return start


def test_a_try_is_what_its_seed_and_number_say(attempt: Attempt, tmp_path: Path) -> None:
    same = Attempt(attempt.setting, 1, "text", 7, tmp_path / "again")
    other = Attempt(attempt.setting, 2, "text", 7, tmp_path / "other")
    first = attempt.lots.random()
    assert same.lots.random() == first != other.lots.random()


def test_every_kind_has_its_turn_at_numbers_of_its_own() -> None:
    turns = schedule(1, list(KINDS))
    some = [next(turns) for _ in range(sum(weight for _, weight in KINDS.values()))]
    assert {kind for kind, _ in some} == set(KINDS)
    assert len(set(some)) == len(some)


@pytest.mark.parametrize(
    ("code", "messages", "kind"),
    [
        (1, b"Traceback (most recent call last)\n  File x\nKeyError: 'a'", "traceback"),
        (101, b"thread 'main' panicked at src/run.rs:1:\nno", "panic"),
        (-11, b"", "panic"),
        (120, b"", "other"),
        (2, b"ciphermark: " + b"x" * 20_000, "other"),
        (2, b"ciphermark: no such run", None),
        (1, b"", None),
    ],
)
def test_what_no_user_must_see_is_seen(code: int, messages: bytes, kind: str | None) -> None:
    ended = Ended("ciphermark", code, b"", messages)
    if kind is None:
        ended.check()
    else:
        with pytest.raises(Failure) as failure:
            ended.check()
        assert failure.value.kind == kind


def test_an_error_that_nobody_caught_is_seen(forked: Callable) -> None:
    def fail() -> None:
        raise KeyError("planted")

    with pytest.raises(Failure, match="KeyError: 'planted'"):
        forked(fail).end().check()


def test_a_hang_is_seen_and_ended(forked: Callable) -> None:
    running = forked(lambda: time.sleep(600))
    with pytest.raises(Failure, match="not ended after 0.2 s"):
        running.end(0.2)
    assert running.code == -signal.SIGKILL


def test_whoever_is_left_behind_is_seen_and_ended(forked: Callable) -> None:
    """In a process of its own, which has no other children."""

    def leave_one() -> None:
        processes.become_reaper()
        sleeper = "import subprocess; subprocess.Popen(['sleep', '600'])"
        subprocess.run([sys.executable, "-c", sleeper], check=True)
        [left] = processes.orphans(seconds=0.1)
        assert "sleep 600" in left
        assert processes.orphans(seconds=0.1) == []

    ended = forked(leave_one).end(30)
    assert ended.code == 0, ended.messages


def test_a_run_that_is_nowhere_is_seen(attempt: Attempt) -> None:
    ended = Ended("ciphermark survey", 1, b"", b"ciphermark: no room")
    with pytest.raises(Failure, match="what was measured is nowhere: ciphermark: no room"):
        stored.expect_kept(attempt, ended)
    half_written = attempt.runs / ".new-20261121-091500-7f3a-1"
    half_written.mkdir(parents=True)
    (half_written / "context.parquet").touch()
    with pytest.raises(Failure):
        stored.expect_kept(attempt, ended)
    half_written.rename(attempt.data / "20261121-091500-7f3a")
    stored.expect_kept(attempt, ended)


@pytest.mark.parametrize(("wrong", "figure", "fails"), [(1, 3.5, True), (1, None, False),
                                                       (0, 3.5, False)])  # fmt: skip
def test_a_figure_beside_a_wrong_answer_is_seen(
    attempt: Attempt, wrong: int, figure: float | None, fails: bool
) -> None:
    row = {"provider": "kernel@lying", "algorithm": "sha256", "operation": "digest",
           "cycles_per_byte": figure}  # fmt: skip
    tally = [Tally("sha256", 6, 1000, wrong, wrong)]
    if fails:
        with pytest.raises(Failure, match="answered 1 of 1000 wrongly and has 1 of 1 figures"):
            kernels.compare(attempt, [row], tally, 1000)
    else:
        kernels.compare(attempt, [row], tally, 1000)
    assert attempt.lies == [(1000, 1000, wrong, figure is None)]


def test_a_file_of_others_that_is_changed_is_seen(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("theirs")
    before = stored.contents(tmp_path)
    (tmp_path / "new").touch()
    stored.expect_unchanged(before, tmp_path, "site")
    (tmp_path / "secret").write_text("ours")
    with pytest.raises(Failure, match="site: changed .'secret'. of others"):
        stored.expect_unchanged(before, tmp_path, "site")


FAILS = """
import sys
from pathlib import Path
from attack import faults
folder, number, error, lasting = Path(sys.argv[1]), *map(int, sys.argv[2:])
faults.fail(folder, number, error, bool(lasting))
for turn in range(3):
    try:
        print(len((folder / "file").read_bytes()))
    except OSError as failed:
        print(failed.errno)
"""


@pytest.mark.parametrize(
    ("number", "error", "lasting", "seen"),
    [
        (1, 5, 0, "5 4 4"),
        (2, 5, 0, "5 4 4"),
        (1, 5, 1, "5 5 5"),
        (1, 0, 0, "4 4 4"),
        (2, 0, 1, "0 0 0"),
        (99, 5, 0, "4 4 4"),
    ],
)
def test_openings_and_readings_can_be_made_to_fail(
    compiler: str, tmp_path: Path, number: int, error: int, lasting: int, seen: str
) -> None:
    (tmp_path / "file").write_text("four")
    shim = compiled(compiler, tmp_path / "failing.so", SOURCES / "failing.c", "-ldl")
    environment = os.environ | {"LD_PRELOAD": str(shim), "PYTHONPATH": f"{TESTS}:{PACKAGE}"}
    line = [sys.executable, "-c", FAILS, tmp_path, number, error, lasting]
    printed = subprocess.check_output(list(map(str, line)), env=environment, text=True, timeout=60)
    assert printed.split() == seen.split()


def test_a_lying_library_that_was_never_called_is_a_failure() -> None:
    with pytest.raises(Failure, match="never called"):
        kernels.expect_called([Tally("sha256", 6, 0, 0, 0)])
    kernels.expect_called([Tally("sha256", 6, 0, 0, 1)])


def test_the_table_counts_and_says_how_to_repeat() -> None:
    results = Results(3)
    results.add(Result("text", 0, 0.1))
    shown = results.add(Result("text", 1, 2.0, "hang", "not ended", ["a file"]))
    assert shown[-1].endswith("python -m attack --seed 3 --only text --try 1")
    [line] = [it for it in results.table().splitlines() if it.startswith("text")]
    assert line.split() == ["text", "2", "0", "0", "1", "0", "0", "0", "0", "0", "2.0", "s"]


def test_tries_that_a_machine_does_not_allow_are_told_with_the_reason() -> None:
    results = Results(3)
    for number in range(2):
        results.add(Result("namespaces", number, 0.1, skipped="no namespaces here"))
    assert "2 tries of namespaces were skipped: no namespaces here" in results.table()
