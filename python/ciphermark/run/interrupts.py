"""Ctrl-C while measuring: passed on to the engine, remembered, and never a traceback. So are
SIGTERM and a terminal that is dropped.

From the first event until the run is stored a KeyboardInterrupt anywhere in our own code would
lose what was measured. So the signal is taken over: it asks the engine to end, which it does within
a second; what was measured is then stored as usual. An engine that does not is ended.
"""

from __future__ import annotations

import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from ciphermark import signals
from ciphermark.run import bounded

PATIENCE_S = 2.0
"""Time that an engine has for ending on request before it is ended."""


class Interrupts:
    """Whether the user has asked to stop. Use as a context manager around measure and store."""

    def __init__(self) -> None:
        self._requested_at: float | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._stops: bounded.Stops | None = None
        self._answer: Callable[[], None] | None = None
        self._before: dict[int, object] = {}

    @property
    def requested(self) -> bool:
        return self._requested_at is not None

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            for number in signals.heeded():
                self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
        self._before.clear()

    @contextmanager
    def passed_to(self, process: subprocess.Popen[bytes]) -> Iterator[None]:
        """Passes interrupts on to this process."""
        self._process = process
        self._stops = bounded.Stops(process)
        try:
            if self.requested:
                self._pass_on()
            yield
        finally:
            self._process = self._stops = None

    @contextmanager
    def answered_by(self, answer: Callable[[], None]) -> Iterator[None]:
        """Calls this when the user asks to stop, where it is not one process that is to end."""
        self._answer = answer
        try:
            yield
        finally:
            self._answer = None

    def look_at_process(self) -> None:
        """Ends the engine that was asked to end and has not, and continues one that was stopped; to
        be called now and then while its events are waited for."""
        if self._overdue():
            self._pass_on()
        if self._stops is not None:
            self._stops.undo()

    def request(self) -> None:
        """Asks to stop as a signal does; for who measures where no signal arrives."""
        self._handle(signal.SIGINT, None)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._requested_at is None:
            self._requested_at = time.monotonic()
        self._pass_on()
        if self._answer is not None:
            self._answer()

    def _pass_on(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL if self._overdue() else signal.SIGINT)

    def _overdue(self) -> bool:
        asked = self._requested_at
        return asked is not None and time.monotonic() - asked > PATIENCE_S
