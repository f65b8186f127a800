"""The other threads of a worker, which talk to the scheduler, kept off the CPU that measures."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def others_off(cpu: int) -> Iterator[None]:
    """Keeps the other threads of this process, which talk to the scheduler, off the CPU that is
    measured on, where there is another; the engine's caller moves itself."""
    allowed = {thread: _affinity(thread) for thread in _threads()}
    for thread, cpus in allowed.items():
        if thread != threading.get_native_id() and (others := cpus - {cpu}):
            _set_affinity(thread, others)
    try:
        yield
    finally:
        for thread, cpus in allowed.items():
            if thread != threading.get_native_id():
                _set_affinity(thread, cpus)


def _threads() -> list[int]:
    return [int(path.name) for path in Path("/proc/self/task").iterdir()]


def _affinity(thread: int) -> set[int]:
    """Empty where the thread has ended meanwhile."""
    with contextlib.suppress(OSError):
        return os.sched_getaffinity(thread)
    return set()


def _set_affinity(thread: int, cpus: set[int]) -> None:
    with contextlib.suppress(OSError, ValueError):
        os.sched_setaffinity(thread, cpus)
