"""Loaded by worker processes of this machine: Ctrl-C in a terminal is not theirs but the client's.

A process that starts gets it until this is loaded, and so is started with it blocked.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from multiprocessing import resource_tracker

_CTRL_C = {signal.SIGINT}


@contextlib.contextmanager
def kept_from_interrupts() -> Iterator[None]:
    """What is started meanwhile has Ctrl-C blocked. One that is pressed now comes to this process a
    moment later."""
    # It unblocks Ctrl-C in the thread that starts it: Python does so with the first process.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _CTRL_C)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def dask_setup(worker: object) -> None:
    """Called by Dask in the worker's first thread, before it works for anybody: engines that it
    starts are stopped by the same signal."""
    os.setpgid(0, 0)
    while signal.sigtimedwait(_CTRL_C, 0):
        pass  # pressed while it was blocked: it would end this process in the midst of its start
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _CTRL_C)
