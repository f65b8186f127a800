"""A survey on another machine: the shortest one, one that takes its time, and what it says."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from ciphermark.record.run import Context
from ciphermark.record.store import Store
from engine_fixture import HUNDRED_SIZES, SECONDS, Command

FEW = ("--algorithms", "sha256", "--providers", "rustcrypto", "--sizes", "64")
PLANNED = ("sessions", *FEW, "--dry-run", "--json")
"""A command that asks the engine and the machine, and measures nothing."""
SHORT = (*FEW, "--precision", "5%", "--budget", "1")
STEADY = (
    *("--algorithms", "md5,sha1,sha256,sha512", "--providers", "rustcrypto"),
    *(*HUNDRED_SIZES, "--precision", "0.0001%", "--budget", "3"),
)
"""Options of a survey that takes all of its budget."""

SOON = 60.0
"""Seconds within which what is waited for must happen; alone on a machine it takes one or two."""


@pytest.fixture
def lent(command: Command, tmp_path: Path) -> Command:
    """The command with an engine that is copied in no time: box and workbench share their files."""
    engine = tmp_path / "ciphermark-engine"
    engine.write_text(f'#!/bin/sh\nexec {command.environment["CIPHERMARK_ENGINE"]} "$@"\n')
    engine.chmod(0o755)
    command.environment["CIPHERMARK_ENGINE"] = str(engine)
    return command


class Survey:
    """A survey in a process of its own, and what it says."""

    def __init__(self, command: Command, *arguments: object) -> None:
        self._said = command.runs.with_name("said")
        with self._said.open("w") as said:
            self.process = command.fork("survey", *arguments, stderr=said)

    def says(self, words: str) -> None:
        """Waits until it does."""
        deadline = time.monotonic() + SOON
        while words not in self.said:
            assert self.process.poll() is None and time.monotonic() < deadline, self.said
            time.sleep(0.02)

    def measures(self) -> None:
        """Waits until some samples are here."""
        self.says("Verifying")
        time.sleep(0.8)

    @property
    def said(self) -> str:
        return self._said.read_text()

    def end(self) -> int:
        self.process.communicate(timeout=SECONDS)
        return self.process.returncode


def whole(command: Command) -> Context:
    """The only run, which has every sample that the engine took, each once."""
    context = command.only_run()
    samples = Store(command.runs).load(context.run).samples
    assert context.bye is not None
    assert samples.num_rows == context.bye.samples > 0
    return context
