"""Libraries that turn on the process that has opened them: the engine goes on, ends when it is
asked, blames them for nothing that others do too, and leaves nothing of theirs behind.

What they do is in `libraries/misdeeds.h`.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ciphermark.run import bounded
from engine_fixture import Command, Ended, ended, measured
from library_fixture import Build
from test_bad_input_interrupt import LONG, SOON, appears, end_of, measuring_begins
from test_bad_input_library import CRASHED, HASH, LATER, by_provider_and_size, failed, sound

pytestmark = pytest.mark.engine

WITHIN = 5.0
"""Seconds within which Ctrl-C must have ended a survey; alone on a machine it takes half of one."""

ONE = ("--algorithms", "sha256", "--providers", "openssl,rustcrypto", "--sizes", "1000")


def survey(command: Command, library: Path) -> Ended:
    """A short one, after which nothing is left running."""
    end = command(
        *("survey", *ONE, "--precision", "5%", "--budget", "1", "--json"),
        *("--library", f"openssl={library}"),
    )
    command.wait_for_no_process(1)
    return end


def rows(end: Ended) -> dict[str, Any]:
    return {row["provider"]: row for row in end.document["rows"]}


@pytest.mark.parametrize(
    ("misdeed", "number"),
    [
        ("close_and_pause()", signal.SIGINT),
        ("half_a_line_and_pause()", signal.SIGTERM),
        pytest.param("close_and_pause()", signal.SIGTERM, marks=pytest.mark.deep),
        pytest.param("half_a_line_and_pause()", signal.SIGINT, marks=pytest.mark.deep),
    ],
)
def test_the_first_request_ends_a_survey_whatever_a_worker_does(
    command: Command, library: Build, tmp_path: Path, misdeed: str, number: signal.Signals
) -> None:
    mark = tmp_path / "begun"
    command.environment["BEGUN"] = str(mark)
    broken = library("digest", WHEN="bytes==1000", MISDEED=f'(first_time("BEGUN"),{misdeed})')
    process = command.fork("survey", *LONG, "--sizes", "1000", "--library", f"openssl={broken}")
    appears(mark)
    began = time.monotonic()
    os.killpg(process.pid, number)
    end_of(process)
    assert time.monotonic() - began < WITHIN
    assert command.only_run().bye is not None, "the engine ended by itself"
    command.wait_for_no_process(1)


def test_one_that_closes_its_pipes_and_lives_is_one_error(command: Command, library: Build) -> None:
    broken = library("digest", WHEN="bytes==1000", MISDEED="close_and_pause()")
    of = rows(survey(command, broken))
    assert of["openssl"]["error"]["kind"] == "crash"
    assert of["openssl"]["error"]["message"] == (
        "openssl closed the worker's way to the engine and went on; the process was ended"
    )
    assert of["rustcrypto"]["error"] is None


def test_a_crash_after_a_fork_is_a_crash(command: Command, library: Build) -> None:
    broken = library("digest", WHEN="bytes==1000", MISDEED="(leave_child(),raise(SIGSEGV))")
    error = rows(survey(command, broken))["openssl"]["error"]
    assert (error["kind"], error["message"]) == ("crash", f"{CRASHED} SIGSEGV")


CHILDREN = ["leave_child()", "leave_unknown_child()", "leave_daemon()"]
FIRST = "bytes==1000&&call==1"
"""Once in each process."""


@pytest.mark.parametrize("misdeed", CHILDREN)
def test_no_child_of_a_library_is_left_after_a_survey(
    command: Command, library: Build, misdeed: str
) -> None:
    of = rows(survey(command, library("digest", WHEN=FIRST, MISDEED=misdeed)))
    assert [row["error"] for row in of.values()] == [None, None]


@pytest.mark.parametrize(
    "misdeed", [*(pytest.param(it, marks=pytest.mark.deep) for it in CHILDREN[:2]), CHILDREN[2]]
)
def test_no_child_of_a_library_is_left_after_ctrl_c(
    command: Command, library: Build, misdeed: str
) -> None:
    broken = library("digest", WHEN=FIRST, MISDEED=misdeed)
    process = command.fork("survey", *LONG, "--sizes", "1000", "--library", f"openssl={broken}")
    measuring_begins(process)
    os.killpg(process.pid, signal.SIGINT)
    end_of(process)
    command.wait_for_no_process(1)


@pytest.mark.parametrize("misdeed", ["leave_child()", "leave_unknown_child()"])
def test_no_child_of_a_library_outlives_an_engine_that_is_killed(
    command: Command, library: Build, misdeed: str
) -> None:
    """One of which the C library knows nothing, and which has a session of its own, does: nobody is
    left who could know whose it is."""
    broken = library("digest", WHEN=FIRST, MISDEED=misdeed)
    process = command.fork("survey", *LONG, "--sizes", "1000", "--library", f"openssl={broken}")
    measuring_begins(process)
    engines = [it for it in command.processes() if os.getsid(it) == it != process.pid]
    assert len(engines) == 1
    os.kill(engines[0], signal.SIGKILL)
    end_of(process)
    command.wait_for_no_process(SOON)


def test_an_engine_that_a_library_stops_goes_on(command: Command, library: Build) -> None:
    of = rows(survey(command, library("digest", WHEN=FIRST, MISDEED="stop_engine()")))
    assert [row["error"] for row in of.values()] == [None, None]


def test_an_engine_that_is_stopped_while_it_describes_goes_on(
    command: Command, library: Build
) -> None:
    stops = library("at_load", MISDEED="stop_engine()")
    assert command("list", "providers", "--library", f"openssl={stops}").code == 0
    command.wait_for_no_process(1)


def test_an_engine_that_is_stopped_again_and_again_is_ended(
    command: Command, library: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded, "MOST_STOPS", 2)
    end = survey(command, library("digest", WHEN="bytes==1000", MISDEED="stop_engine()"))
    assert end.code == 1
    assert "was ended by SIGKILL" in end.messages


def test_a_stopped_engine_ends_when_its_command_is_killed(command: Command) -> None:
    process = command.fork("survey", *LONG)
    measuring_begins(process)
    (engine,) = (it for it in command.processes() if os.getsid(it) == it != process.pid)
    os.kill(process.pid, signal.SIGSTOP)
    os.kill(engine, signal.SIGSTOP)
    process.kill()
    command.wait_for_no_process(SOON)


def test_a_file_in_memory_is_bounded(command: Command, library: Build) -> None:
    of = rows(survey(command, library("digest", WHEN="bytes==1000", MISDEED="make_long_file()")))
    assert of["openssl"]["error"]["message"] == (
        "the worker process of openssl wrote a file longer than one may be (SIGXFSZ)"
    )
    assert of["rustcrypto"]["error"] is None


@pytest.fixture
def small_memory() -> Iterator[Path]:
    """A control group that has as much memory as a survey takes and 256 MiB more."""
    for folder in (Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup")):
        group = folder / f"ciphermark-test-{os.getpid()}"
        limits = [("memory.limit_in_bytes", 2**29), ("memory.max", 2**29), ("memory.swap.max", 0)]
        with contextlib.suppress(OSError):
            group.mkdir()
            for name, limit in limits:
                if (group / name).exists():
                    (group / name).write_text(str(limit))
            if any((group / name).exists() for name, _ in limits):
                break
            group.rmdir()
    else:
        pytest.skip("no control group of memory can be made here")
    yield group
    deadline = time.monotonic() + WITHIN
    while (group / "cgroup.procs").read_text() and time.monotonic() < deadline:
        time.sleep(0.05)
    for left in (*group.glob("*/"), group):
        left.rmdir()


@pytest.mark.deep
def test_a_library_that_fills_the_memory_with_files_loses_no_run(
    command: Command, library: Build, small_memory: Path
) -> None:
    fills = library("digest", WHEN="bytes==1000", MISDEED="fill_files()")
    process = command.fork(
        *("survey", *ONE, "--precision", "5%", "--budget", "1", "--json"),
        *("--library", f"openssl={fills}"),
        preexec_fn=lambda: (small_memory / "cgroup.procs").write_text(str(os.getpid())),
    )
    of = rows(ended(process))
    assert of["openssl"]["error"]["signal"] == "SIGKILL"
    assert of["openssl"]["error"]["message"].startswith(KILLED)
    assert of["rustcrypto"]["error"] is None
    command.wait_for_no_process(SOON)
    assert not [*small_memory.glob("ciphermark-*")], "groups of workers are removed"


def test_the_system_ends_workers_first_and_the_command_last(command: Command) -> None:
    process = command.fork("survey", *LONG)
    measuring_begins(process)
    scores = sorted(
        int(Path(f"/proc/{it}/oom_score_adj").read_text()) for it in command.processes()
    )
    process.kill()
    own = int(Path("/proc/self/oom_score_adj").read_text())
    assert (scores[0], scores[-1]) == (own, 1000)
    assert max(own, 900) in scores


KILLED = "the worker process of openssl was killed with SIGKILL"
TWICE = (
    "twice; the system does so when memory is short, and others may: see dmesg, and measure again"
)


def test_a_worker_that_is_killed_once_is_started_again(
    command: Command, library: Build, tmp_path: Path
) -> None:
    command.environment["KILLED"] = str(tmp_path / "killed")
    kill = 'first_time("KILLED")?raise(SIGKILL):0'
    of = rows(survey(command, library("digest", WHEN=FIRST, MISDEED=kill)))
    assert (tmp_path / "killed").exists()
    assert [row["error"] for row in of.values()] == [None, None]


def test_a_worker_that_is_killed_again_and_again_is_told_without_blame(
    command: Command, library: Build
) -> None:
    error = rows(survey(command, library("digest", WHEN=FIRST, MISDEED="raise(SIGKILL)")))[
        "openssl"
    ]["error"]
    assert (error["kind"], error["signal"]) == ("crash", "SIGKILL")
    assert error["message"] == f"{KILLED}, {TWICE}"


def test_a_worker_that_is_killed_while_it_opens_its_library_is_started_again(
    engine: Any, library: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It could be opened when the cases were planned."""
    monkeypatch.setenv("OPENED_BEFORE", str(tmp_path / "opened"))
    monkeypatch.setenv("KILLED", str(tmp_path / "killed"))
    kill = 'first_time("KILLED")?raise(SIGKILL):0'
    sound(*measured(engine, library("at_load", MISDEED=kill), **HASH))
    assert (tmp_path / "killed").exists()


def test_workers_that_are_killed_while_they_open_their_library_are_told_without_blame(
    engine: Any, library: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENED_BEFORE", str(tmp_path / "opened"))
    rows = measured(engine, library("at_load", MISDEED="raise(SIGKILL)"), **HASH)
    of = by_provider_and_size(rows)
    for size in HASH["sizes"]:
        kind, message, signal_name = failed(of["openssl", size])
        assert (kind, signal_name) == ("crash", "SIGKILL")
        assert message == f"{KILLED} while it opened the library, {TWICE}"
    sound(of["rustcrypto", 64], of["rustcrypto", 1000])


@pytest.mark.long
def test_a_function_that_hangs_takes_nothing_from_the_budget_of_others(
    engine: Any, library: Build
) -> None:
    """It hangs once, for longer than the budget, in the first round of measuring."""
    hangs = library("digest", WHEN=f"bytes==1000&&{LATER}", MISDEED="stay()")
    of = by_provider_and_size(measured(engine, hangs, budget_s=5, **HASH))
    assert failed(of["openssl", 1000])[0] == "timeout"
    others = [of["openssl", 64], of["rustcrypto", 64], of["rustcrypto", 1000]]
    sound(*others)
    # A group is five samples; each had one at most when the budget was over otherwise.
    assert all(row.samples > 5 for row in others)
