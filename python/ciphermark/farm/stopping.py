"""What is measured in a worker's process, so that it can be asked to end."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from ciphermark.measure.interrupts import Interrupts

_RUNNING: dict[int, tuple[str, Interrupts]] = {}
"""By thread: for whom, and how it is asked to stop."""


@contextlib.contextmanager
def stoppable(name: str) -> Iterator[Interrupts]:
    """What is measured meanwhile, for the holder of that name, can be stopped."""
    with Interrupts() as interrupts:
        _RUNNING[threading.get_ident()] = (name, interrupts)
        try:
            yield interrupts
        finally:
            del _RUNNING[threading.get_ident()]


def stop(name: str) -> None:
    """Asks what is measured in this process under a name to end, which takes half a second."""
    for whose, interrupts in list(_RUNNING.values()):
        if whose == name:
            interrupts.request()
