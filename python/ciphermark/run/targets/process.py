"""Programs that end in time: compilers and simulators."""

from __future__ import annotations

import contextlib
import subprocess
from pathlib import Path
from typing import NamedTuple

from ciphermark.errors import WorkError

_SECONDS = 300
"""No compiler or simulator takes a tenth of this on an idle machine."""


class Ended(NamedTuple):
    """How a program ended."""

    status: int
    output: str
    messages: str


class _Running:
    """What runs now, so that all of it can be ended.

    Without a lock: a signal's handler stops it, and comes in the midst of any line of a thread that
    would hold one.
    """

    def __init__(self) -> None:
        self._programs: set[subprocess.Popen[str]] = set()
        self._is_stopped = False

    def start(self, words: list[str]) -> subprocess.Popen[str]:
        if self._is_stopped:
            raise WorkError(f"{words[0]} was not started: stopped")
        # A program of ours that has gone astray may write anything.
        pipe = subprocess.PIPE
        program = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, errors="replace"
        )
        self._programs.add(program)
        if self._is_stopped:  # by a signal that came before the program was in the set
            program.kill()
        return program

    def end(self, program: subprocess.Popen[str]) -> None:
        self._programs.discard(program)
        with contextlib.suppress(ProcessLookupError):
            program.kill()
        program.wait()

    def stop(self) -> None:
        self._is_stopped = True
        for program in tuple(self._programs):
            program.kill()


_running = _Running()


def stop_all() -> None:
    """Ends what runs, and lets nothing be started any more: the user has asked to stop."""
    _running.stop()


def run(*command: str | Path) -> Ended:
    """Runs a program to its end."""
    words = [str(word) for word in command]
    try:
        program = _running.start(words)
    except OSError as error:
        raise WorkError(f"{words[0]} cannot be run: {error.strerror}") from None
    try:
        output, messages = program.communicate(timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        raise WorkError(f"{' '.join(words)} did not end in {_SECONDS} s and was killed") from None
    finally:
        _running.end(program)
    return Ended(program.returncode, output, messages)


def check(*command: str | Path) -> str:
    """What a program prints that has to succeed."""
    ended = run(*command)
    if ended.status != 0:
        words = " ".join(str(word) for word in command)
        raise WorkError(f"{words} failed ({ended.status}): {ended.messages or ended.output}")
    return ended.output
