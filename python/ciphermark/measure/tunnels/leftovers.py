"""What a workbench that was killed may have left: found and removed.

The kernel takes a bed away with its agent, and the agent ends with the workbench. What can be left
is an agent that was stopped (SIGSTOP) or hangs: it is known by the mark among its arguments, which
names the workbench that it belongs to.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import time
from collections.abc import Collection, Iterator
from pathlib import Path

_MARK = "ciphermark-bed-of:"
_GONE_S = 2.0


def mark() -> str:
    """The argument by which an agent of this process is known."""
    return f"{_MARK}{os.getpid()}:{_started(os.getpid())}"


def remove() -> list[str]:
    """Ends the beds of workbenches that are no more; a sentence for each."""
    return [
        f"the bed of a call that was killed (process {workbench}) was still there and is removed"
        for workbench in sorted(_end_abandoned())
    ]


def _end_abandoned() -> set[int]:
    ended: dict[int, int] = {}
    for process, arguments in _processes():
        marked = next((it for it in arguments if it.startswith(_MARK)), None)
        if marked is None:
            continue
        workbench, started = marked.removeprefix(_MARK).split(":")
        if _started(int(workbench)) != started:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
                ended[process] = int(workbench)
    until = time.monotonic() + _GONE_S
    while any(map(_is_there, ended)) and time.monotonic() < until:
        time.sleep(0.01)
    return set(ended.values())


def beds() -> list[int]:
    """Processes of beds that are there, whoever's."""
    return [
        process
        for process, arguments in _processes()
        if any(it.startswith(_MARK) for it in arguments)
    ]


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


def _processes() -> Iterator[tuple[int, list[str]]]:
    for process in _numbers():
        with contextlib.suppress(OSError):
            arguments = Path(f"/proc/{process}/cmdline").read_bytes()
            yield process, arguments.decode(errors="replace").split("\0")


def _numbers() -> list[int]:
    return [int(it) for it in os.listdir("/proc") if it.isdigit()]


def _started(process: int) -> str:
    """When a process began, in the kernel's ticks; empty where there is none."""
    with contextlib.suppress(OSError):
        # What is before the last parenthesis is its name, which may have spaces.
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return fields[19]
    return ""


def _is_there(process: int) -> bool:
    return _started(process) != ""
