"""Who is writing: named so that another process can tell whether that writer still lives.

A folder of runs may be shared by machines and containers, whose process numbers mean nothing to
each other. A process is judged only by those that see it: of the same boot and PID namespace.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
from pathlib import Path
from typing import NamedTuple

_FORM = re.compile(r"(?P<pid>\d{1,10})\.(?P<started>\d{1,20})\.(?P<space>[0-9a-f]{16})")

NOBODY = "0" * 16
"""The space of a process that cannot tell its own; nobody is judged by it."""


class Writer(NamedTuple):
    """A process, as the names of its unfinished files say."""

    pid: int
    started: int
    """In clock ticks since boot: a process number is used again, but not with the same start."""
    space: str
    """Of boot and PID namespace together: where the number means that process."""

    def __str__(self) -> str:
        return f"{self.pid}.{self.started}.{self.space}"

    @classmethod
    def named(cls, text: str) -> Writer | None:
        """The writer that a name ends with; None where it tells of none."""
        form = _FORM.fullmatch(text)
        return form and cls(int(form["pid"]), int(form["started"]), form["space"])

    @property
    def is_seen_from_here(self) -> bool:
        """Whether its number means the same process to this one."""
        return self.space == current().space != NOBODY

    @property
    def is_known_dead(self) -> bool:
        """Whether this process can tell that the writer has ended."""
        if not self.is_seen_from_here:
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except (PermissionError, OverflowError):
            pass  # of another user; its start is told all the same
        return _started(str(self.pid)) not in (self.started, None)


def current() -> Writer:
    """This process."""
    return _of(os.getpid())  # anew after a fork


@functools.lru_cache(maxsize=1)
def _of(pid: int) -> Writer:
    started, space = _started("self"), _space(pid)
    return Writer(pid, started or 0, space if started is not None else NOBODY)


def _space(pid: int) -> str:
    try:
        # In a namespace without a /proc of its own, that of the parent has other numbers.
        if os.readlink("/proc/self") != str(pid):
            return NOBODY
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        both = f"{boot} {os.readlink('/proc/self/ns/pid')}"
    except (OSError, ValueError):
        return NOBODY
    return hashlib.sha256(both.encode()).hexdigest()[:16]


def _started(process: str) -> int | None:
    """The 22nd field of its stat; None where that cannot be read."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text("utf-8", "replace")
        return int(stat.rpartition(")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return None
