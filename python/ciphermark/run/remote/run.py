"""A run on a box as it is seen from here: its events from an offset on, over as many connections as
it takes."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ciphermark.errors import StillRunning, UsageError, WorkError
from ciphermark.run.interrupts import PATIENCE_S, Interrupts
from ciphermark.run.remote.box import Box, answers
from ciphermark.run.remote.client import Stranger
from ciphermark.run.remote.connection import Connection, Gone, Lost

RETRY_SECONDS = 120.0
"""How long a lost connection is tried to come back: a router that starts again takes a minute."""
_WAITS = (1, 2, 4, 8, 15)
"""Seconds between two tries; the last one from then on."""


class Start(NamedTuple):
    """What begins a run."""

    plan: bytes
    seconds: int
    """After which the box ends it, whoever is there."""
    keeps: bool
    """Whether it outlives a lost connection."""


class RemoteRun:
    """One run, until it has ended."""

    def __init__(
        self,
        connection: Connection,
        run: str,
        start: Start | None,
        tell: Callable[[str], None],
    ) -> None:
        """With `start` it is begun first; else it was, by another process. `tell` is told of
        connections that are lost and found."""
        self.connection = connection
        self.code = 0
        """How the engine ended, as a shell says it; when `lines` has ended."""
        self.words = b""
        """What it then said."""
        self._run, self._start, self._tell = run, start, tell
        self._keeps = start is None or start.keeps
        self._offset = 0
        self._asked_at: float | None = None
        self._asked: list[subprocess.Popen[bytes]] = []

    def lines(self, interrupts: Interrupts) -> Iterator[bytes]:
        """The lines that the engine writes, each once. Raises StillRunning, or WorkError when the
        run is lost."""
        with interrupts.answered_by(self._stop):
            while True:
                try:
                    self._begin()
                    if interrupts.requested:
                        self._stop()
                    yield from self._follow()
                    self._end()
                    return
                except Lost as lost:
                    self._reconnect(lost, interrupts)

    def _begin(self) -> None:
        """Starts the engine there, unless that was done: to ask twice does no harm."""
        if self._start is None:
            return
        plan, seconds, keeps = self._start
        given = (self._run, len(plan), seconds, "keep" if keeps else "drop")
        done = self.connection.ask("start", *given, given=plan)
        if done.returncode != 0:
            said = done.stderr.decode("utf-8", "replace").strip()
            raise WorkError(f"{self.connection.name} did not take the plan ({said}): try again")
        self._start = None

    def _follow(self) -> Iterator[bytes]:
        """Lines from where the last connection ended; one that is torn comes again as a whole."""
        with self.connection.reading("follow", self._run, self._offset) as output:
            for line in output:
                if line.endswith(b"\n"):
                    self._offset += len(line)
                    yield line

    def _end(self) -> None:
        """How it ended."""
        for process in self._asked:
            process.wait()
        told = self.connection.ask("ended", self._run).stdout
        said = told.decode("utf-8", "replace").splitlines(keepends=True)
        found = answers(said[:2])
        if found.get("code") != "0" and found.get("full"):
            raise WorkError(
                f"{self.connection.name} has no room left for events in "
                f"{self.connection.box.folder} ({found['full']}): make room there, or measure less"
            )
        if not found.get("code", "").isdigit():
            raise WorkError(
                f"the engine on {self.connection.name} was ended from outside, or the machine "
                "restarted"
            )
        self.code = int(found["code"])
        self.words = "".join(said[2:]).encode()

    def _stop(self) -> None:
        """Passes an interrupt on. An engine that does not end by it is ended by the next."""
        now = time.monotonic()
        overdue = self._asked_at is not None and now - self._asked_at > PATIENCE_S
        if self._asked_at is None or overdue:
            self._asked_at = self._asked_at or now
            signal = "KILL" if overdue else "TERM"
            self._asked.append(self.connection.begin_asking("stop", self._run, signal))

    def _reconnect(self, lost: Lost, interrupts: Interrupts) -> None:
        if not self._keeps:
            raise lost
        self._tell(
            f"{lost}; the engine goes on measuring, and the connection is tried again for "
            f"{RETRY_SECONDS:.0f} s"
        )
        was = self.connection.box
        folder = was.folder.rpartition("/")[2]
        self.connection.drop()
        deadline = time.monotonic() + RETRY_SECONDS
        waits = iter(_WAITS)
        why: Exception = lost
        while time.monotonic() < deadline and not interrupts.requested:
            time.sleep(next(waits, _WAITS[-1]))
            try:
                self.connection = Connection(self.connection.name, [folder])
            except Stranger as error:
                raise StillRunning(str(error)) from None  # not asked again: it may be an attack
            except (UsageError, WorkError) as error:
                why = error
                continue
            if self.connection.box.last == "gone":
                self.connection.drop()
                self._check_identity(was)
                raise Gone(f"{lost}, and the results are gone: the machine may have restarted")
            self._asked_at = None
            self._tell(f"{self.connection.name} is back; nothing was lost")
            return
        raise StillRunning(str(why))

    def _check_identity(self, was: Box) -> None:
        """Raises StillRunning where the name leads to another machine than it did."""
        now = self.connection.box
        if now.identity != was.identity:
            raise StillRunning(
                f"{self.connection.name} is another machine now: {now.node} instead of {was.node}"
            )
