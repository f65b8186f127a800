"""Compilers and simulators are ended when the user asks to stop, at whatever moment that is."""

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Callable
from typing import Any

import pytest

from ciphermark.errors import WorkError
from ciphermark.run.targets import process

SLEEP = ("sleep", "30")


@pytest.fixture
def running(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What runs of a process of its own."""
    running = process._Running()
    monkeypatch.setattr(process, "_running", running)
    return running


def in_time(work: Callable[[], None]) -> None:
    """Fails where it does not end: nothing here takes a second."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(10)
    assert not thread.is_alive()


def test_a_stop_in_the_midst_of_a_start_ends_what_is_started(
    running: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signal's handler may come at any line of the thread that starts a program."""
    started: list[subprocess.Popen[str]] = []
    start = subprocess.Popen

    def stopped_meanwhile(*arguments: Any, **options: Any) -> subprocess.Popen[str]:
        started.append(start(*arguments, **options))
        process.stop_all()
        return started[0]

    monkeypatch.setattr(process.subprocess, "Popen", stopped_meanwhile)
    in_time(lambda: running.end(running.start(list(SLEEP))))
    assert started[0].returncode == -signal.SIGKILL


def test_a_stop_in_the_midst_of_an_end_does_not_wait_for_it(running: Any) -> None:
    program = running.start(list(SLEEP))

    class Stopping(set[Any]):
        def discard(self, ended: Any) -> None:
            process.stop_all()
            super().discard(ended)

    running._programs = Stopping(running._programs)
    in_time(lambda: running.end(program))
    assert program.returncode == -signal.SIGKILL


def test_nothing_is_started_after_a_stop_for_good(running: Any) -> None:
    process.stop_all()
    with pytest.raises(WorkError, match="echo was not started: stopped"):
        process.check("echo")
