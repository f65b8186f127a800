"""What a worker does for a fleet: the steps of a measuring command, without a screen or a store.

These functions are called on other machines. They take all they need by value and find the rest,
the engine and the libraries, in what is installed there; recording is the client's.
"""

from __future__ import annotations

import contextlib
import os
import platform
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

import ciphermark
from ciphermark.errors import WorkError
from ciphermark.measure.engine import Engine
from ciphermark.measure.farm.machine_lock import boot_id, held
from ciphermark.measure.interrupts import Interrupts
from ciphermark.plan.build import Built
from ciphermark.plan.fleet_request import FleetRequest
from ciphermark.record import contract

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.record.simulation import SimulatedCase, SimulatedTarget, Simulation

ENGINE_ATTRIBUTE = "ciphermark_engine"
"""Of a Dask worker that was started with an engine of its own, as one that replays."""

_RUNNING: dict[int, tuple[str, Interrupts]] = {}
"""What is measured in this process: by thread, the fleet and how it is asked to stop."""


class Introduction(msgspec.Struct, frozen=True):
    """Who a worker is, told without measuring anything."""

    host: str
    boot: str
    """The running system's; the same for all workers on it."""
    machine_id: str | None
    """None where only the engine can tell."""
    versions: tuple[str, str]
    """Of ciphermark and of Dask."""


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

    machine: contract.Machine
    verdict: str
    line: str
    """The verdict and why."""
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


def introduce() -> Introduction:
    """Who this worker is."""
    from ciphermark.measure.farm.replay import Replay
    from ciphermark.measure.this_machine import machine_id

    engine = _engine()
    if isinstance(engine, Replay):
        return Introduction(engine.name, engine.boot, engine.boot, versions())
    return Introduction(platform.node(), boot_id(), machine_id(), versions())


def versions() -> tuple[str, str]:
    """Of ciphermark and of Dask, here."""
    from ciphermark.measure.farm.cluster import own_version

    return ciphermark.__version__, own_version()


def prepare(request: FleetRequest, fleet: str) -> Prepared:
    """Looks at the machine and plans its jobs. Raises UsageError when there are none, and
    `MachineBusy`."""
    from ciphermark.analyse.doctor import examine, overall

    engine = _engine()
    with held(_boot_of(engine), f"fleet {fleet}"):
        environment, later = engine.environment(), engine.environment()
        diagnosis = overall(examine(environment, later))
        jobs, notes = _jobs(engine, request)
    return Prepared(environment.machine, diagnosis.verdict, diagnosis.line, jobs, notes)


def measure(work: Work) -> Measured:
    """Measures a job. Raises WorkError when the engine ends before its farewell, `OtherIdentity`,
    and `MachineBusy`."""
    from ciphermark.analyse.by_workload import rows, rows_table
    from ciphermark.record.recorder import Recorder

    engine = _engine()
    with held(_boot_of(engine), f"fleet {work.fleet}"), _stoppable(work.fleet) as interrupts:
        built, notes = _planned(engine, work)
        if built is None:
            return Measured(None, None, notes=notes)
        recorder = Recorder(
            work.command,
            work.request.plan_name if work.job.first else work.job.name,
            built.plan,
            built.algorithms,
            [*built.notes, *notes, f"measured by fleet {work.fleet}, its job {work.job.name}"],
            _beside(work) if work.job.first else [],
            work.request.given if work.job.first else None,
        )
        with contextlib.closing(engine.measure(built.plan, interrupts)) as events:
            _record(events, recorder, work)
        if interrupts.requested:
            raise WorkError("it was told to stop")
        run = recorder.finish()
    analysed = rows(run)
    errors = sum(row.error is not None for row in analysed)
    return Measured(run, rows_table(analysed, run.context.workload), errors, notes)


def simulate(target: str, cases: list[SimulatedCase]) -> tuple[SimulatedTarget, list[Simulation]]:
    """Compiles for a target and counts there, with the tools of this machine. The target says so
    where they are missing. Raises WorkError without a compiler for this machine itself."""
    from ciphermark.measure import simulate as measured
    from ciphermark.measure.targets.target import FOLDER, read

    engine = Engine()
    facts = {it.name: it for it in engine.describe().algorithms}
    questions = engine.questions(sorted({case.algorithm for case in cases}))
    chosen = [read(FOLDER / f"{target}.toml")]
    found = measured.simulate(chosen, cases, facts, questions, lambda *_: None)
    return found.targets[0], found.simulations


def stop(fleet: str) -> None:
    """Asks what is measured in this process for a fleet to end, which takes half a second."""
    for whose, interrupts in list(_RUNNING.values()):
        if whose == fleet:
            interrupts.request()


def _jobs(engine: Engine, request: FleetRequest) -> tuple[list[Job], list[str]]:
    """A study is one run of all its plans; other plans are cut where they are long."""
    from ciphermark.cli import studying
    from ciphermark.plan.cutting import cut

    chosen = request.selection()
    built = studying.first(engine, request.plan, chosen)
    if request.study is None:
        parts = cut(built)
        names = [f"{request.plan_name}-{number}" for number, _ in enumerate(parts, 1)]
        names = names if len(parts) > 1 else [request.plan_name]
        jobs = [_job(name, name, it) for name, it in zip(names, parts, strict=True)]
        return jobs, built.notes
    later = studying.later(engine, request.study, request.plan, chosen)
    jobs = [_job(request.study, request.study, built)]
    for name, it in later.plans:
        planned = _job(name, request.study, it)
        jobs.append(msgspec.structs.replace(planned, built=None))
    return jobs, [*built.notes, *later.left_out]


def _job(name: str, makes: str, built: Built) -> Job:
    from ciphermark.plan.duration import expected_seconds

    return Job(
        name=name,
        makes=makes,
        first=name == makes,
        cases=len(built.plan.cases),
        budget_s=built.plan.budget_s,
        expected_s=expected_seconds(built.plan),
        built=built,
    )


def _planned(engine: Engine, work: Work) -> tuple[Built | None, list[str]]:
    """The plan of a job; one that depends on what was measured before is made now."""
    from ciphermark.cli import studying

    if work.job.built is not None:
        return work.job.built, []
    assert work.request.study is not None
    chosen = work.request.selection()
    before: Run = work.before
    found = studying.later(engine, work.request.study, work.request.plan, chosen, before)
    plans = dict(found.plans)
    return plans.get(work.job.name), found.left_out


def _beside(work: Work) -> list[Any]:
    """What other programs say of this machine, where a study asks them."""
    from ciphermark.measure.pinning import first_cpu
    from ciphermark.studies import registry

    if work.request.study is None:
        return []
    aside = registry.load(work.request.study).aside
    cpu = work.request.selection().cpu
    return aside(work.request.effort, first_cpu() if cpu is None else cpu) if aside else []


def _record(events: Iterator[contract.Event], recorder: Any, work: Work) -> None:
    with contextlib.ExitStack() as stack:
        for event in events:
            if isinstance(event, contract.Hello):
                _check_identity(event.environment.machine, work)
                stack.enter_context(_others_off(event.environment.state.cpu))
            recorder.feed(event)


def _check_identity(machine: contract.Machine, work: Work) -> None:
    if (machine.machine_id, machine.machine_kind) != (work.machine_id, work.machine_kind):
        raise OtherIdentity(
            f"it was {work.machine_id} ({work.machine_kind}) and is now {machine.machine_id} "
            f"({machine.machine_kind})"
        )


@contextlib.contextmanager
def _stoppable(fleet: str) -> Iterator[Interrupts]:
    with Interrupts() as interrupts:
        _RUNNING[threading.get_ident()] = (fleet, interrupts)
        try:
            yield interrupts
        finally:
            del _RUNNING[threading.get_ident()]


@contextlib.contextmanager
def _others_off(cpu: int) -> Iterator[None]:
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


def _engine() -> Engine:
    """The engine that the worker was started with, else the installed one."""
    from distributed import get_worker

    return getattr(get_worker(), ENGINE_ATTRIBUTE, None) or Engine()


def _boot_of(engine: Any) -> str:
    from ciphermark.measure.farm.replay import Replay

    return engine.boot if isinstance(engine, Replay) else boot_id()
