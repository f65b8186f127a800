"""Other programs, held to one CPU."""

from __future__ import annotations

import os
import shutil


def first_cpu() -> int:
    """The first that this process may use, as a plan for one CPU takes it."""
    return min(os.sched_getaffinity(0))


def pinned(cpu: int) -> list[str]:
    """What stands before a command so that it runs on that CPU alone; nothing where there is no
    `taskset`, and the kernel may move it."""
    return ["taskset", "-c", str(cpu)] if shutil.which("taskset") else []
