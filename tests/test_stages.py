"""What `make test` and CI run: stages one after the other, by `tools/run_stages.sh`."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[1] / "tools" / "run_stages.sh"
SECONDS = 20


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
