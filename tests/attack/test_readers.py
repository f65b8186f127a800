"""A share of the mutated inputs of `make fuzz-readers`, and whether it sees a reader's faults."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from attack import readers
from attack.setting import PACKAGE, TESTS
from ciphermark.errors import UsageError

INPUTS = 40
"""Inputs of each reader."""


@pytest.mark.slow
def test_readers_take_or_refuse_whatever_a_file_holds() -> None:
    line = [sys.executable, "-m", "attack.readers", "--inputs", str(INPUTS), "--lanes", "2"]
    environment = os.environ | {"PYTHONPATH": f"{TESTS}:{PACKAGE}"}
    done = subprocess.run(line, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{done.stdout[-6000:]}\n{done.stderr[-2000:]}"


@pytest.mark.parametrize("name", readers.readers())
def test_each_reader_takes_its_samples(name: str, tmp_path: Path) -> None:
    assert readers.readers()[name].samples
    readers._warm_up(name, tmp_path)


def waits(content: bytes) -> None:
    while True:
        pass


def lines(content: bytes) -> None:
    raise UsageError("one\ntwo")


def grows(content: bytes) -> None:
    bytearray(readers.MOST_BYTES)[::4096] = bytes(readers.MOST_BYTES // 4096)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (lambda content: content.index(b"no such"), "ValueError: subsection not found"),
        (waits, "TooLong: more than 1 s of processor time"),
        (lines, "AssertionError: a refusal of several lines"),
        (grows, "of memory"),
    ],
)
def test_a_fault_of_a_reader_is_seen(
    fault: Callable[[bytes], object], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = "sound"

    def read(path: Path) -> None:
        content = path.read_bytes()
        if sound not in content.decode(errors="replace"):
            fault(content)

    planted = {"planted": readers.Reader([sound], read)}
    monkeypatch.setattr(readers, "readers", lambda: planted)
    monkeypatch.setattr(readers, "MOST_SECONDS", 1.0)
    monkeypatch.setattr(readers.resource, "setrlimit", lambda *_: None)
    monkeypatch.setattr(readers, "MOST_FAILURES", 1)
    if fault is grows:
        monkeypatch.setattr(readers, "MOST_BYTES", 8 << 20)
    outcome = readers.some(1, "planted", range(100))
    [(number, sentence)] = outcome.failures
    assert said in sentence
    assert readers.mutated(1, "planted", number) == readers.mutated(1, "planted", number)
