"""The command `ciphermark`, also as `python -m ciphermark`.

Ctrl-C is taken over before anything that takes time is imported, so that it is never a traceback.
So are SIGTERM and SIGHUP, which would else leave folders behind.
"""

from __future__ import annotations

import gc
import signal
import sys
from types import FrameType
from typing import NoReturn

from ciphermark import signals, streams
from ciphermark.errors import Stopped
from ciphermark.messages import say

OBJECTS_BEFORE_COLLECTING = 100_000
"""A stored run is as many small objects without a cycle among them; looking for cycles after every
700, as is usual, takes a tenth of the time of a command."""


def main() -> NoReturn:
    """Runs the command and ends the process with its exit code."""
    gc.set_threshold(OBJECTS_BEFORE_COLLECTING)
    streams.guard()
    for number in signals.heeded():
        signal.signal(number, _stop)
    code, stopped = None, None
    try:
        try:
            from ciphermark.cli.main import run

            code = run()
        except Stopped as error:
            stopped = error
        _ignore_more()
    except Stopped as error:  # asked again before that was ignored
        stopped = stopped or error
    if code is None:
        say(stopped)
        code = 1
    sys.exit(code)


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    _ignore_more()
    raise Stopped("stopped")


def _ignore_more() -> None:
    """What follows is only tidying up, which a further Ctrl-C would fill with tracebacks."""
    for number in signals.STOPPING:
        signal.signal(number, signal.SIG_IGN)


if __name__ == "__main__":
    main()
