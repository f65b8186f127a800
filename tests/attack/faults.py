"""Openings and readings of files that fail, by a library that is loaded before all others
(`libraries/failing.c`). A copy of this process is told which of its own fail."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SHIM = "ATTACK_SHIM"


def again_with_failing() -> int | None:
    """Starts this program again with the library loaded; returns its exit code, and None where it
    is loaded or cannot be made."""
    compiler = shutil.which("cc")
    if SHIM in os.environ or compiler is None:
        return None
    from library_fixture import SOURCES, compiled

    with tempfile.TemporaryDirectory(prefix="attack-shim-") as folder:
        shim = compiled(compiler, Path(folder, "failing.so"), SOURCES / "failing.c", "-ldl")
        line = [sys.executable, "-m", "attack", *sys.argv[1:]]
        environment = os.environ | {SHIM: str(shim), "LD_PRELOAD": str(shim)}
        with subprocess.Popen(line, env=environment) as running:
            while True:
                try:
                    return running.wait()
                except KeyboardInterrupt:
                    continue  # it has got the same signal, and prints its table


def are_loaded() -> bool:
    """Whether readings of this process can be made to fail."""
    return hasattr(ctypes.CDLL(None), "attack_fail")


def fail(folder: Path, number: int, error: int, lasting: bool) -> None:
    """Makes the opening or reading of that number, of files in a folder, fail in this process."""
    ctypes.CDLL(None).attack_fail(os.fsencode(folder), number, error, int(lasting))
