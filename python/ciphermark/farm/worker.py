"""What a worker does on its machine.

It tells who it is and how fit to measure, keeps its own threads off the CPU that measures, and ends
what it measures when it is asked to.

These functions are called on other machines; what they return is sent by value.
"""

from __future__ import annotations

import contextlib
import os
import platform
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec

import ciphermark
from ciphermark import contract
from ciphermark.farm.machine_lock import boot_id
from ciphermark.run.doctor import examine, overall
from ciphermark.run.engine import Engine
from ciphermark.run.interrupts import Interrupts


class Introduction(msgspec.Struct, frozen=True):
    """Identity of a worker, which takes no measuring."""

    host: str
    boot: str
    """Identifier of the running system; the same for all workers on it."""
    machine_id: str
    versions: tuple[str, str]
    """Versions of ciphermark and of Dask."""


class Looked(msgspec.Struct, frozen=True):
    """A machine as doctor sees it."""

    machine: contract.Machine
    verdict: str
    line: str
    """Verdict with its reason."""


def introduce() -> Introduction:
    """Returns the machine of this worker."""
    from ciphermark.run.here import machine_id

    machine = machine_id() or Engine().environment().machine.machine_id
    return Introduction(platform.node(), boot_id(), machine, versions())


def versions() -> tuple[str, str]:
    """Returns the versions of ciphermark and of Dask here."""
    from ciphermark.farm.cluster import own_version

    return ciphermark.__version__, own_version()


def look(engine: Engine) -> Looked:
    """Asks doctor, as `ciphermark doctor` does. Raises WorkError where the engine does not run."""
    return looked_at(engine.environment(), engine.environment())


def looked_at(
    environment: contract.Environment, later: contract.Environment | None = None
) -> Looked:
    """What doctor says of a machine, seen once or twice."""
    diagnosis = overall(examine(environment, later))
    return Looked(environment.machine, diagnosis.verdict, diagnosis.line)


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
