"""What a worker tells of its machine: who it is, and how fit to measure.

These functions are called on other machines; what they return is sent by value.
"""

from __future__ import annotations

import platform
from typing import Any

import msgspec

import ciphermark
from ciphermark import contract
from ciphermark.farm.machine_lock import boot_id
from ciphermark.measure.engine import Engine

ENGINE_ATTRIBUTE = "ciphermark_engine"
"""Of a Dask worker that was started with an engine of its own, as one that replays."""


UNFIT_CURE = "see ciphermark doctor there, or measure with --even-unfit"
EVEN_UNFIT = "and is measured as --even-unfit says"
"""What follows why a machine is unfit."""


class Introduction(msgspec.Struct, frozen=True):
    """Who a worker is, told without measuring anything."""

    host: str
    boot: str
    """The running system's; the same for all workers on it."""
    machine_id: str | None
    """None where only the engine can tell."""
    versions: tuple[str, str]
    """Of ciphermark and of Dask."""


class Looked(msgspec.Struct, frozen=True):
    """A machine as doctor sees it."""

    machine: contract.Machine
    verdict: str
    line: str
    """The verdict and why."""

    @property
    def why_unfit(self) -> str | None:
        """In words that follow its name; None where it may be measured on."""
        return f"is unfit ({self.line.removeprefix('bad: ')})" if self.verdict == "bad" else None


def introduce() -> Introduction:
    """Who this worker is."""
    from ciphermark.farm.replay import Replay
    from ciphermark.measure.this_machine import machine_id

    engine = engine_here()
    if isinstance(engine, Replay):
        return Introduction(engine.name, engine.boot, engine.boot, versions())
    return Introduction(platform.node(), boot_id(), machine_id(), versions())


def versions() -> tuple[str, str]:
    """Of ciphermark and of Dask, here."""
    from ciphermark.farm.cluster import own_version

    return ciphermark.__version__, own_version()


def look(engine: Engine) -> Looked:
    """Asks doctor, as `ciphermark doctor` does. Raises WorkError where the engine does not run."""
    return looked_at(engine.environment(), engine.environment())


def looked_at(
    environment: contract.Environment, later: contract.Environment | None = None
) -> Looked:
    """What doctor says of a machine, seen once or twice."""
    from ciphermark.measure.doctor import examine, overall

    diagnosis = overall(examine(environment, later))
    return Looked(environment.machine, diagnosis.verdict, diagnosis.line)


def engine_here() -> Engine:
    """The engine that the worker was started with, else the installed one."""
    from distributed import get_worker

    return getattr(get_worker(), ENGINE_ATTRIBUTE, None) or Engine()


def boot_of(engine: Any) -> str:
    from ciphermark.farm.replay import Replay

    return engine.boot if isinstance(engine, Replay) else boot_id()
