"""Beds of workbenches that were killed: found and removed.

The kernel takes a bed away with its agent, and the agent ends with the workbench. An agent that was
stopped (SIGSTOP) or hangs can be left. It holds a file in memory whose name has its workbench; no
argument or file that another user chooses has such a name among the open files of a process.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import time
from collections.abc import Collection, Iterator
from pathlib import Path

from ciphermark.files.atomic import Writer, current_writer

_MARK = "ciphermark-bed-of:"
_LINK = f"/memfd:{_MARK}"
_GONE_S = 2.0


@contextlib.contextmanager
def mark() -> Iterator[int]:
    """Yields the descriptor by which an agent of this process is known, to be passed on to it."""
    descriptor = os.memfd_create(f"{_MARK}{current_writer()}")
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def remove() -> list[str]:
    """Ends the beds of workbenches that have ended; returns a sentence for each."""
    abandoned = {process: owner for process, owner in beds().items() if owner.is_known_dead}
    for process in abandoned:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process, signal.SIGKILL)
    until = time.monotonic() + _GONE_S
    while abandoned.keys() & beds().keys() and time.monotonic() < until:
        time.sleep(0.01)
    return [
        f"the bed of a call that was killed (process {owner}) was still there and is removed"
        for owner in sorted({owner.pid for owner in abandoned.values()})
    ]


def beds() -> dict[int, Writer]:
    """Returns the processes of beds that this user may look at, each with its workbench."""
    found = {}
    for process in _numbers():
        with contextlib.suppress(OSError):
            for descriptor in os.listdir(f"/proc/{process}/fd"):
                link = os.readlink(f"/proc/{process}/fd/{descriptor}")
                owner = Writer.named(link.removeprefix(_LINK).removesuffix(" (deleted)"))
                if link.startswith(_LINK) and owner is not None and process != os.getpid():
                    found[process] = owner
    return found


def kernel_threads(device: str) -> list[int]:
    """The kernel's threads that receive for an interface: `napi/DEVICE-8193`."""
    found = []
    for process in _numbers():
        with contextlib.suppress(OSError):
            if Path(f"/proc/{process}/comm").read_text().startswith(f"napi/{device}-"):
                found.append(process)
    return found


def threads(namespace: str, processes: Collection[int]) -> list[int]:
    """Threads, by their numbers here, of processes, by their numbers in a PID namespace
    (`pid:[4026531836]`)."""
    found: list[int] = []
    for process in _numbers():
        with contextlib.suppress(OSError):
            if os.readlink(f"/proc/{process}/ns/pid") != namespace:
                continue
            status = Path(f"/proc/{process}/status").read_text()
            inner = re.search(r"^NSpid:.*\t(\d+)$", status, re.MULTILINE)
            if inner is not None and int(inner[1]) in processes:
                found += map(int, os.listdir(f"/proc/{process}/task"))
    return found


def _numbers() -> list[int]:
    return [int(it) for it in os.listdir("/proc") if it.isdigit()]
