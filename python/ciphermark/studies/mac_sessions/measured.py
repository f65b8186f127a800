"""Which rows of a run stand for what the paper asks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ciphermark.show.findings import NotTestable
from ciphermark.studies.mac_sessions.builds import FULL, LIBRARY, STAND_IN, Build
from ciphermark.studies.mac_sessions.paper import BY_ALGORITHM, SESSIONS, Function

if TYPE_CHECKING:
    from ciphermark.workloads.sessions.row import SessionRow

NOT_VALID = "? no attempt at it was valid; shown is the last"
"""Of a figure, below a table."""

ONCE, PER_MESSAGE = "reused-key", "rekeyed"
"""When the key is set up, as patterns of the plan."""

IN_PIECES = "incremental"
"""Once, and the message comes in pieces."""


class Measured:
    """The rows of a run by function, size, build and CPUs."""

    def __init__(self, rows: Iterable[SessionRow]) -> None:
        macs = [row for row in rows if row.operation == "mac"]
        self.rows = [row for row in macs if row.offload == "none"]
        self._offloaded = [row for row in macs if row.offload != "none"]
        with_figures = [row for row in self.rows if row.absolute_cycles_per_byte is not None]
        providers = {row.provider for row in with_figures}
        self.library = LIBRARY if LIBRARY in providers or not providers else STAND_IN
        """The provider whose figures are shown: what is not there is stood in for."""
        self._with_figures = [row for row in with_figures if row.algorithm in BY_ALGORITHM]
        of_sessions = self._of(SESSIONS, None, ONCE)
        self.cores = sorted({row.cores for row in of_sessions})
        """Numbers of CPUs that the workload of 100 sessions ran on."""

    @property
    def is_stood_in_for(self) -> bool:
        """Whether the kernels of ciphermark stand for Crypto++."""
        return self.library == STAND_IN

    @property
    def sizes(self) -> list[int]:
        """Sizes of messages of figures 4–7, bytes, ascending."""
        return sorted({row.message_bytes for row in self.loaded()})

    def loaded(self, pattern: str = ONCE) -> list[SessionRow]:
        """Rows of 100 sessions on all CPUs."""
        return self._of(SESSIONS, max(self.cores, default=0), pattern)

    def row(
        self, function: Function, message_bytes: int, build: Build = FULL, pattern: str = ONCE
    ) -> SessionRow | None:
        """That of 100 sessions on all CPUs."""
        return _best(self.loaded(pattern), function, message_bytes, build)

    def alone(
        self,
        function: Function,
        message_bytes: int,
        provider: str | None = None,
        pattern: str = ONCE,
    ) -> SessionRow | None:
        """That of one session on one CPU, also by another provider."""
        return _best(self._of(1, 1, pattern, provider), function, message_bytes, FULL)

    def on_cores(self, function: Function, message_bytes: int) -> dict[int, SessionRow]:
        """Those of 100 sessions by the number of CPUs, ascending."""
        found = {
            cores: _best(self._of(SESSIONS, cores, ONCE), function, message_bytes, FULL)
            for cores in self.cores
        }
        return {cores: row for cores, row in found.items() if row is not None}

    def offloaded(self) -> list[tuple[SessionRow, SessionRow]]:
        """Rows whose work a device does, each with that of the same sessions without it."""
        whole = [row for row in self._of(SESSIONS, None, ONCE) if not row.switches]
        beside = {_question(row): row for row in whole}
        return [
            (beside[_question(row)], row)
            for row in self._offloaded
            if row.absolute_cycles_per_byte is not None and _question(row) in beside
        ]

    def firm(
        self, function: Function, message_bytes: int, build: Build = FULL, pattern: str = ONCE
    ) -> float:
        """Absolute cycles per byte of 100 sessions on all CPUs; else NotTestable."""
        row = self.row(function, message_bytes, build, pattern)
        if row is None or row.absolute_cycles_per_byte is None:
            raise NotTestable(
                f"{function.name} at {message_bytes} bytes has no figure ({build.title}): "
                f"{self._why_none(function, message_bytes)}"
            )
        return row.absolute_cycles_per_byte

    def _of(
        self, sessions: int, cores: int | None, pattern: str, provider: str | None = None
    ) -> list[SessionRow]:
        """Rows of so many sessions on so many CPUs, or on any, by the library that is shown unless
        another is named."""
        return [
            row
            for row in self._with_figures
            if (_asked(row), row.pattern) == (sessions, pattern)
            and cores in (None, row.cores)
            and row.provider == (provider or self.library)
        ]

    def _why_none(self, function: Function, message_bytes: int) -> str:
        failed = [
            f"{row.provider}: {row.error.message}"
            for row in self.rows
            if (row.algorithm, row.message_bytes) == (function.algorithm, message_bytes)
            and row.error
        ]
        return "; ".join(dict.fromkeys(failed)) or "not in this run"


def _question(row: SessionRow) -> tuple[str, int | None, int, int]:
    """What sessions do, and on how many CPUs, whoever does their work."""
    return row.algorithm, row.message_bytes, _asked(row), row.cores


def _asked(row: SessionRow) -> int:
    """Sessions that the plan has; an attempt that was repeated may have fewer."""
    return row.attempts[0].sessions if row.attempts else row.sessions


def _best(
    rows: list[SessionRow], function: Function, message_bytes: int, build: Build
) -> SessionRow | None:
    """The quickest code path that the build may use; of several looks at it the longest."""
    by_path: dict[str, list[SessionRow]] = {}
    for row in rows:
        is_asked = (row.algorithm, row.message_bytes) == (function.algorithm, message_bytes)
        if is_asked and build.has(row):
            by_path.setdefault(row.backend, []).append(row)
    looks = [_longest(found) for found in by_path.values()]
    return min(looks, key=lambda row: row.absolute_cycles_per_byte, default=None)


def _longest(rows: list[SessionRow]) -> SessionRow | None:
    """A valid one before others, then the one with the longest window."""
    return max(rows, key=lambda row: (row.valid, row.window_ms or 0), default=None)
