"""Ctrl-C and worse, at any moment: what was measured is kept and marked, and nobody stays behind.

How soon a command ends is bounded generously, as these tests share the machine; it takes under a
second.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ciphermark.record.store import Store
from engine_fixture import (
    FEW,
    HUNDRED_SIZES,
    SECONDS,
    Command,
    Ended,
    contents,
    ended,
    measuring_begins,
)
from library_fixture import Build

pytestmark = pytest.mark.engine

SOON = 60.0
"""Seconds within which what is asked to happen must have happened."""

SOME_SAMPLES_S = 1.0
"""Seconds of measuring that yield samples on any machine."""

LONG = (*FEW, *HUNDRED_SIZES, "--precision", "0.0001%", "--budget", "60")
"""Options of a survey that does not end before it is stopped."""


def appears(file: Path) -> None:
    deadline = time.monotonic() + SECONDS
    while not file.exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def press_ctrl_c(survey: subprocess.Popen[str]) -> None:
    """As the terminal does: for the whole group of processes."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(survey.pid, signal.SIGINT)


def end_of(survey: subprocess.Popen[str]) -> Ended:
    """How it ends, which it must do soon."""
    output, messages = survey.communicate(timeout=SOON)
    assert "Traceback" not in messages
    return Ended(survey.returncode, output, messages)


@pytest.fixture
def hanging(command: Command, library: Build, tmp_path: Path) -> tuple[Path, Path]:
    """A library that hangs when a message has 1000 bytes, and the file that it makes then."""
    mark = tmp_path / "hanging"
    command.environment["HANGING"] = str(mark)
    hang = '(close(creat(getenv("HANGING"),0600)),pause())'
    return library("digest", WHEN="bytes==1000", MISDEED=hang), mark


@pytest.mark.parametrize("times", [5, pytest.param(1, marks=pytest.mark.deep)])
def test_ctrl_c_while_measuring_keeps_what_was_measured(command: Command, times: int) -> None:
    survey = command.start("survey", *LONG)
    measuring_begins(survey)
    time.sleep(SOME_SAMPLES_S)
    for _ in range(times):
        press_ctrl_c(survey)
    end = end_of(survey)
    context = command.only_run()
    assert end.code == 0
    last = end.messages.splitlines()[-1]
    assert last.startswith("ciphermark: interrupted; ")
    assert last.endswith(f" of 200 cases were measured and are kept in run {context.run}")
    assert context.interrupted and context.bye is not None and context.bye.samples > 0
    command.wait_for_no_process(SOON)


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, pytest.param(signal.SIGHUP, marks=pytest.mark.deep)]
)
def test_other_requests_to_end_are_like_ctrl_c(command: Command, number: int) -> None:
    survey = command.fork("survey", *LONG)
    measuring_begins(survey)
    time.sleep(SOME_SAMPLES_S)
    survey.send_signal(number)
    end = end_of(survey)
    context = command.only_run()
    assert end.code == 0 and f"are kept in run {context.run}" in end.messages
    assert context.interrupted and context.bye is not None and context.bye.samples > 0
    command.wait_for_no_process(SOON)


def test_a_terminal_that_is_dropped_loses_nothing(command: Command) -> None:
    """Its process gets SIGHUP, and nothing can be written to the terminal any more."""
    ours, terminal = os.openpty()
    survey = command.fork(
        "survey",
        *LONG,
        stdout=terminal,
        stderr=terminal,
        preexec_fn=lambda: fcntl.ioctl(terminal, termios.TIOCSCTTY, 0),
    )
    os.close(terminal)
    deadline, seen = time.monotonic() + SOON, b""
    while b"Measuring" not in seen:
        assert time.monotonic() < deadline
        seen += os.read(ours, 4096)
    time.sleep(SOME_SAMPLES_S)
    os.close(ours)
    assert survey.wait(SOON) == 1, "the table could not be written"
    context = command.only_run()
    assert context.interrupted and context.bye is not None and context.bye.samples > 0
    command.wait_for_no_process(SOON)


def test_nohup_outlives_the_terminal(command: Command) -> None:
    survey = command.fork(
        "survey", *FEW, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)
    )
    measuring_begins(survey)
    survey.send_signal(signal.SIGHUP)
    assert ended(survey).code == 0
    assert not command.only_run().interrupted


def becomes_a_file(runs: Path) -> None:
    runs.rename(runs.with_name("elsewhere"))
    runs.write_text("")


def vanishes(runs: Path) -> None:
    runs.rename(runs.with_name("elsewhere"))


def cannot_be_written(runs: Path) -> None:
    runs.chmod(0o500)
    if os.access(runs, os.W_OK):  # permissions do not bind root
        runs.rmdir()
        runs.symlink_to("/proc/self/task")


@pytest.mark.parametrize(
    "harm", [becomes_a_file, vanishes, pytest.param(cannot_be_written, marks=pytest.mark.deep)]
)
def test_a_folder_that_is_lost_while_measuring_loses_no_run(
    command: Command, harm: Callable[[Path], None]
) -> None:
    survey = command.fork("survey", *FEW)
    measuring_begins(survey)
    harm(command.runs)
    end = ended(survey)
    assert "Traceback" not in end.messages
    if harm is vanishes:
        assert end.code == 0 and not command.only_run().interrupted
        return
    last = end.messages.splitlines()[-1]
    assert end.code == 1 and "; it is kept in " in last
    kept = Path(last.rpartition(" --runs ")[2])
    [run] = Store(kept).run_ids()
    assert command("show", run, "--runs", kept).code == 0
    if command.runs.is_dir() and not command.runs.is_symlink():
        command.runs.chmod(0o700)
    else:
        command.runs.unlink()
    again = command("survey", *FEW)
    assert f"run {run}, which was kept in {kept}, is stored in {command.runs}" in again.messages
    assert run in Store(command.runs).run_ids() and len(Store(command.runs).run_ids()) == 2


def test_ctrl_c_while_verifying_blames_no_case(
    command: Command, hanging: tuple[Path, Path]
) -> None:
    broken, mark = hanging
    library = f"openssl={broken}"
    survey = command.fork("survey", *LONG, "--sizes", "64,1000", "--library", library, "--json")
    appears(mark)
    press_ctrl_c(survey)
    end = end_of(survey)
    assert end.code == 0
    assert "interrupted; 0 of 4 cases were measured" in end.messages
    assert command.only_run().interrupted
    assert [row["error"] for row in end.document["rows"]] == [None] * 4
    command.wait_for_no_process(SOON)


def test_ctrl_c_before_anything_is_measured_stores_nothing(
    command: Command, tmp_path: Path
) -> None:
    engine, mark = tmp_path / "ciphermark-engine", tmp_path / "started"
    engine.write_text(f"#!/bin/sh\ntouch {mark}\nexec sleep 60\n")
    engine.chmod(0o755)
    survey = command.start("survey", *FEW, "--engine", engine)
    appears(mark)
    press_ctrl_c(survey)
    assert end_of(survey) == Ended(1, "", "ciphermark: stopped\n")
    assert contents(command.runs) == {}
    command.wait_for_no_process(SOON)


@pytest.mark.parametrize("cases", [1, 2000], ids=["that waits", "that does not read its plan"])
def test_an_engine_that_does_not_listen_is_ended_by_one_ctrl_c(
    command: Command, tmp_path: Path, cases: int
) -> None:
    engine, mark = tmp_path / "ciphermark-engine", tmp_path / "started"
    real = command.environment["CIPHERMARK_ENGINE"]
    deaf = f"trap '' INT; touch {mark}; while :; do sleep 1; done"
    engine.write_text(f'#!/bin/sh\n[ "$1" = run ] || exec {real} "$@"\n{deaf}\n')
    engine.chmod(0o755)
    sizes = ",".join(str(64 + size) for size in range(cases))
    survey = command.fork("survey", *FEW, "--sizes", sizes, "--engine", engine)
    appears(mark)
    press_ctrl_c(survey)
    assert end_of(survey) == Ended(
        1, "", "ciphermark: stopped before anything was measured; nothing was stored\n"
    )
    assert contents(command.runs) == {}


def test_ctrl_c_without_end_loses_nothing(command: Command) -> None:
    """Among the moments that it comes in are those of saving and of printing."""
    survey = command.fork("survey", *FEW)
    measuring_begins(survey)
    while survey.poll() is None:
        press_ctrl_c(survey)
        time.sleep(0.01)
    end = end_of(survey)
    context = command.only_run()
    assert end.code in (0, 1)
    assert context.run in end.messages
    assert Store(command.runs).load(context.run).samples.num_rows > 0
    assert not [path for path in contents(command.runs) if path.name.startswith(".new")]


def test_nobody_outlives_a_command_that_is_killed(command: Command) -> None:
    survey = command.fork("survey", *LONG)
    measuring_begins(survey)
    assert len(command.processes()) > 1, "itself and the engine"
    survey.kill()
    command.wait_for_no_process(SOON)


def test_nobody_outlives_a_killed_command_although_a_library_hangs(
    command: Command, hanging: tuple[Path, Path]
) -> None:
    broken, mark = hanging
    survey = command.fork("survey", *LONG, "--sizes", "1000", "--library", f"openssl={broken}")
    appears(mark)
    survey.kill()
    command.wait_for_no_process(SOON)


DIES_AFTER_A_SAMPLE = """\
#!{python}
import os, signal, subprocess, sys

engine = subprocess.Popen(["{engine}", *sys.argv[1:]], stdout=subprocess.PIPE)
for line in engine.stdout:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
    if line.startswith(b'{{"event":"sample"'):
        engine.kill()
        os.kill(os.getpid(), signal.SIGKILL)
sys.exit(engine.wait())
"""


def test_an_engine_that_is_killed_loses_nothing(command: Command, tmp_path: Path) -> None:
    engine = tmp_path / "ciphermark-engine"
    real = command.environment["CIPHERMARK_ENGINE"]
    engine.write_text(DIES_AFTER_A_SAMPLE.format(python=sys.executable, engine=real))
    engine.chmod(0o755)
    end = ended(command.fork("survey", *LONG, "--engine", engine))
    context = command.only_run()
    assert end.code == 1
    assert end.messages.splitlines()[-1] == (
        f"ciphermark: the engine {engine} was ended by SIGKILL; "
        f"the results until then are kept in run {context.run}"
    )
    assert context.interrupted
    assert Store(command.runs).load(context.run).samples.num_rows > 0
    command.wait_for_no_process(SOON)


ENDING = """
import os, signal
import ciphermark.__main__ as command
import ciphermark.cli.main
from ciphermark.errors import Stopped

ignore_more, asked = command._ignore_more, []

def asked_again():
    if not asked:
        asked.append(signal.SIGHUP)
        os.kill(os.getpid(), signal.SIGHUP)
    ignore_more()

def run():
    command._ignore_more = asked_again
    {ending}

ciphermark.cli.main.run = run
command.main()
"""


@pytest.mark.parametrize(
    ("ending", "code", "said"),
    [
        ("return 0", 0, ""),
        ("raise Stopped('stopped; run 1 is kept')", 1, "ciphermark: stopped; run 1 is kept\n"),
    ],
)
def test_who_asks_once_more_while_a_command_ends_changes_nothing(
    ending: str, code: int, said: str
) -> None:
    line = [sys.executable, "-c", ENDING.format(ending=ending)]
    end = subprocess.run(line, capture_output=True, text=True, timeout=SOON, check=False)
    assert (end.returncode, end.stdout, end.stderr) == (code, "", said)
