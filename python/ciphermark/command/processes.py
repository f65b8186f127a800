"""Processes that do a part of a command's work beside it, on the other cores."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from ciphermark.command.linear_algebra import use_one_thread
from ciphermark.errors import WorkError

Begin = Callable[..., object]
"""Function that each process calls first."""


@contextmanager
def processes(
    count: int, did: str, remedy: str, begin: Begin = tuple, *given: Any
) -> Iterator[ProcessPoolExecutor]:
    """Yields a pool of processes, each of which calls `begin` with `given` first.

    Raises `WorkError` where one was killed: a sentence that names the work it `did`, and the
    `remedy`.
    """
    # Threads of libraries do not survive a fork.
    context = multiprocessing.get_context("spawn")
    try:
        with ProcessPoolExecutor(count, context, _begin, (begin, *given)) as pool:
            yield pool
    except BrokenProcessPool as error:
        raise WorkError(
            f"a process that {did} was killed, perhaps for want of memory: {remedy}"
        ) from error


def _begin(begin: Begin, *given: Any) -> None:
    # A terminal sends Ctrl-C to all: the process that waits for this one ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    use_one_thread()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    begin(*given)


def _end_with_parent() -> None:
    """Ends the process when its parent has died, of which a pool gives no notice."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
