"""Programs that end in time: compilers and simulators."""

from __future__ import annotations

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


def run(*command: str | Path) -> Ended:
    """Runs a program to its end."""
    words = [str(word) for word in command]
    try:
        # A program of ours that has gone astray may write anything.
        ended = subprocess.run(words, capture_output=True, errors="replace", timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        raise WorkError(f"{' '.join(words)} did not end in {_SECONDS} s") from None
    except OSError as error:
        raise WorkError(f"{words[0]} cannot be run: {error.strerror}") from None
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def check(*command: str | Path) -> str:
    """What a program prints that has to succeed."""
    ended = run(*command)
    if ended.status != 0:
        words = " ".join(str(word) for word in command)
        raise WorkError(f"{words} failed ({ended.status}): {ended.messages or ended.output}")
    return ended.output
