"""What `sessions` and `packets` refuse before they measure, and how `sessions` ends when something
goes wrong. What is no value of an option is asked in test_option_values.py."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import time
from pathlib import Path

import pytest

from ciphermark.record.store import Store
from engine_fixture import Command, ended, measuring_begins, refusal

pytestmark = pytest.mark.engine

SESSIONS = 2
SHORT = (
    *("--algorithms", "hmac-sha256", "--providers", "rustcrypto", "--pattern", "reused-key"),
    *("--sessions", SESSIONS, "--sizes", "64"),
)
"""A case that starts at once."""

BEYOND = os.cpu_count() or 1
"""A CPU that is not there."""


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("packets --packets 0", "--packets '0' is not a number from 1 to 1000000: write for "),
        (f"packets --cpus {BEYOND}", f"CPU {BEYOND} is not there or not allowed to this process"),
        ("packets --algorithms uea1 --sizes 5000", "uea1 has no message of 5000 bytes: write at"),
        (
            "packets --sweep --plan x.toml",
            "--sweep, --break-even and --plan exclude each other: give one of them",
        ),
        ("packets --quick --plan x.toml", "--quick and --plan exclude each other"),
        ("packets --plan /nowhere.toml", "the plan /nowhere.toml cannot be read"),
        ("packets --budget 1", "and the budget is 1 s: write --budget"),
        (
            "packets --packets 1000000 --sizes 16M --algorithms aes-128-gcm",
            "1000000 packets of 16777216 bytes need ",
        ),
        ("packets --offload cores --cores all", "the offload cores has no CPU left where"),
        (f"sessions --cpus {BEYOND}", f"CPU {BEYOND} is not there or not allowed to this process"),
        (
            f"sessions --offload cores --cpus 0 --offload-cpus {BEYOND}",
            f"CPU {BEYOND} is not there or not",
        ),
        (
            "sessions --offload cores --cpus 0 --offload-cpus 0",
            "its 0 are among the 0 that run sessions",
        ),
        ("sessions --sweep --soak 1m", "--sweep, --soak and --plan exclude each other: give one"),
        ("sessions --soak 1m --duration 5s", "--soak and --duration exclude each other"),
        ("sessions --soak never", "--soak 'never' is not a time"),
        (
            "sessions --soak 1m --sessions 1,2 --providers openssl",
            "--soak runs one case, and these are 2: name one with",
        ),
        (
            "sessions --sessions 1000000 --threads per-session --duration 1s --providers openssl",
            "sessions need 1000016 threads (16 of them to spare), and ",
        ),
        (
            "sessions --sessions 20000 --threads per-cpu --sizes 64M --algorithms hmac-sha256",
            "of the memory may be used: write at most --sessions",
        ),
    ],
    ids=lambda value: value[:40],
)
def test_what_cannot_be_is_refused(command: Command, typed: str, said: str) -> None:
    assert said in refusal(command, *shlex.split(typed))


@pytest.mark.parametrize("workload", ["sessions", "packets"])
def test_plans_of_another_workload_are_sent_to_their_command(
    command: Command, tmp_path: Path, workload: str
) -> None:
    plan = tmp_path / "own.toml"
    plan.write_text(
        'title = "Own"\nworkload = "single"\nalgorithms = ["sha256"]\noperations = ["digest"]\n'
        "sizes = [64]\nprecision = 0.05\nbudget_s = 1\nmax_cases = 10\n"
    )
    sentence = refusal(command, workload, "--plan", plan)
    assert f"write ciphermark survey --plan {plan}" in sentence


def test_a_report_is_not_written_over_something(command: Command, tmp_path: Path) -> None:
    there = tmp_path / "report.html"
    there.write_text("mine")
    assert f"{there} is there already" in refusal(command, "packets", "--output", there)
    assert there.read_text() == "mine"


def test_more_cores_than_there_are_leave_the_others(command: Command) -> None:
    listed = command(
        *("packets", "--algorithms", "sha256", "--operations", "digest", "--sizes", "64"),
        *("--providers", "rustcrypto", "--cores", f"1,{BEYOND + 1}", "--dry-run", "--json"),
    )
    assert listed.code == 0
    assert [len(case["packets"]["cpus"]) for case in listed.document["cases"]] == [1]
    assert f"{BEYOND + 1} cores cannot process packets" in listed.document["notes"][0]


def test_a_core_without_siblings_is_no_smt(command: Command) -> None:
    siblings = Path("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list")
    if not siblings.exists() or not siblings.read_text().strip().isdigit():
        pytest.skip("CPU 0 has siblings, or the kernel does not tell")
    assert "--cpus smt" in refusal(command, "sessions", "--cpus", "smt")


def test_a_cpu_that_is_not_allowed_is_refused(command: Command, only_cpu: tuple[int, int]) -> None:
    first, other = only_cpu
    sentence = refusal(command, "sessions", "--cpus", f"{first},{other}")
    assert sentence == (
        f"CPU {other} is not there or not allowed to this process; allowed: {first}"
    )


def busy(command: Command) -> tuple[subprocess.Popen[str], int]:
    """A command while its sessions run, and the worker that they run in: the one that has a thread
    for each of them, once all answers are verified."""
    process = command.fork("sessions", *SHORT, "--duration", "40s", "--attempts", "1")
    measuring_begins(process)
    deadline = time.monotonic() + 30
    while True:
        if workers := [it for it in command.processes() if runs_sessions(it)]:
            return process, workers[0]
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.2)


def runs_sessions(process: int) -> bool:
    folder = Path(f"/proc/{process}")
    try:
        is_worker = b"worker" in (folder / "cmdline").read_bytes().split(b"\0")
        return is_worker and len(os.listdir(folder / "task")) > SESSIONS
    except OSError:  # ended meanwhile
        return False


def test_ctrl_c_keeps_what_was_measured_and_leaves_nothing_running(command: Command) -> None:
    process, _ = busy(command)
    process.send_signal(signal.SIGINT)
    stopped = ended(process)
    command.wait_for_no_process(5)
    assert stopped.code == 0
    assert "Traceback" not in stopped.messages
    assert "interrupted; " in stopped.messages.splitlines()[-1]
    (summary,) = Store(command.runs).summaries()
    assert summary.interrupted


def test_a_worker_that_dies_is_one_sentence_and_leaves_nothing_running(command: Command) -> None:
    process, worker = busy(command)
    # SIGKILL may be the system's, and the first SIGSEGV that no fault caused is let pass.
    os.kill(worker, signal.SIGABRT)
    died = ended(process)
    command.wait_for_no_process(5)
    assert died.code == 1
    assert "Traceback" not in died.messages
    assert "SIGABRT" in died.output
