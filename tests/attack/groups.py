"""Control groups of a try, which bound the memory of processes (cgroups(7), both versions)."""

from __future__ import annotations

import contextlib
import functools
import os
import secrets
import time
from collections.abc import Callable, Iterator
from pathlib import Path

PLACES = (
    (Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes"),
    (Path("/sys/fs/cgroup"), "memory.max"),
)
"""Where a hierarchy with memory is mounted, and the file of its bound."""


@contextlib.contextmanager
def bounded(most_bytes: int) -> Iterator[Callable[[], None] | None]:
    """Yields a function by which a process joins a group of so much memory; None where none can be
    made here."""
    group = next(filter(None, (_made(*place, most_bytes) for place in PLACES)), None)
    try:
        yield group and functools.partial(_join, group)
    finally:
        if group is not None:
            _remove(group)


def _made(place: Path, file: str, most_bytes: int) -> Path | None:
    group = place / f"ciphermark-attack-{secrets.token_hex(4)}"
    try:
        group.mkdir()
    except OSError:
        return None
    try:
        if (group / file).exists():  # made by the kernel
            (group / file).write_text(str(most_bytes))
            return group
    except OSError:
        pass
    group.rmdir()
    return None


def _join(group: Path) -> None:
    (group / "cgroup.procs").write_text(str(os.getpid()))


def _remove(group: Path) -> None:
    for _ in range(100):  # its last processes may still be ending
        with contextlib.suppress(OSError):
            group.rmdir()
            return
        time.sleep(0.05)
