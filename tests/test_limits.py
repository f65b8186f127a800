"""`benchmarks/limits.py`: rates of instructions, and kernels beside their limits."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "benchmarks" / "limits.py"


def printed(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, SCRIPT, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"PYTHONPATH": ""},
        check=False,
    )


@pytest.mark.engine
@pytest.mark.measures
def test_one_kernel_is_counted_and_timed_here() -> None:
    asked = ("--algorithms", "umac64", "--backends", "portable", "--sizes", "44")
    ended = printed(*asked)
    assert (ended.returncode, ended.stderr) == (0, "")
    [line] = [it for it in ended.stdout.splitlines() if it.startswith("umac-64")]
    _, backend, _, size, *costs = line.split()
    assert (backend, size) == ("portable", "44")
    if platform.machine() == "x86_64":
        instructions, loads, stores, limit, time = map(float, costs[:5])
        assert instructions > loads + stores > 0
        assert time > 0 < limit
        assert {it.split()[0] for it in ended.stdout.splitlines() if it} >= {"any", "load", "logic"}


@pytest.mark.engine
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--algorithms", "umac-65"), "there is no algorithm 'umac-65'; near: umac-"),
        (("--lanes", "5000"), "--lanes 5000 is not a number of packets from 1 to 4096"),
        (("--sizes", "2M"), "--sizes 2M is not a list of sizes from 1 byte to 1M"),
    ],
)
def test_a_wrong_choice_is_refused_in_a_sentence(arguments: tuple[str, ...], said: str) -> None:
    ended = printed(*arguments)
    assert ended.returncode == 1
    assert ended.stderr.startswith(f"limits.py: {said}")
