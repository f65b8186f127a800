"""What a fleet's client and its workers tell each other: sent by value, between machines."""

from __future__ import annotations

from typing import Any

import msgspec

from ciphermark.errors import WorkError
from ciphermark.farm.asked import Looked
from ciphermark.fleet.request import FleetRequest
from ciphermark.plan.build import Built


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What a machine does in one go: one run of the engine."""

    name: str
    makes: str
    """The name of the run that it becomes, alone or with other jobs of that name."""
    first: bool
    """Whether that run is this one; the others are kept with it."""
    cases: int
    budget_s: float
    expected_s: float
    built: Built | None
    """None where it is planned when another job of the run is done."""


class Prepared(msgspec.Struct, frozen=True):
    """A machine, how fit it is, and what is to do there."""

    looked: Looked
    jobs: list[Job]
    notes: list[str]


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """A job with all that a worker needs for it."""

    fleet: str
    command: str
    request: FleetRequest
    job: Job
    machine_id: str
    machine_kind: str
    """Of the machine that the job was planned for."""
    before: Any = None
    """The `Run` that was measured first, where the job is planned by it."""


class Measured(msgspec.Struct, frozen=True):
    """A run with its rows, ready to be stored; None where its plan found nothing to measure."""

    run: Any
    rows: Any
    errors: int = 0
    notes: list[str] = []


class OtherIdentity(WorkError):
    """The machine is not the one that the job was planned for."""
