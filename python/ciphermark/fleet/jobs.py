"""The jobs of a machine: what it measures in one go, planned there for what is installed.

The functions `prepare`, `measure` and `simulate` are called on other machines. They take all they
need by value and find the rest, the engine and the libraries, in what is installed there; recording
is the client's.

Long plans are cut, so that a machine that is lost takes little with it. Cases are compared by
figures that were taken in turn, round by round; so all cases of an algorithm, by whichever library,
stay in one job.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from ciphermark import contract
from ciphermark.errors import WorkError
from ciphermark.farm.machine_lock import held
from ciphermark.farm.worker import Looked, boot_of, engine_here, look, others_off, stoppable
from ciphermark.fleet.request import FleetRequest
from ciphermark.plan.build import Built
from ciphermark.run.engine import Engine

if TYPE_CHECKING:
    from ciphermark.contract.others import SimulatedCase, SimulatedTarget, Simulation
    from ciphermark.record.run import Run


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


LONGEST_S = 300.0
"""Longest budget of a job. What a lost machine costs is half of that on average; and ten times the
start and the verification of a run, which each job has of its own."""


def cut(built: Built, longest_s: float = LONGEST_S) -> list[Built]:
    """The plan as several, in its order, none longer than that where it has several algorithms.
    Each gets the share of the budget that its cases have."""
    wanted = math.ceil(built.plan.budget_s / longest_s)
    if wanted < 2:
        return [built]
    return [_part(built, cases) for cases in _dealt(built.plan.cases, wanted)]


def _dealt(cases: list[contract.Case], wanted: int) -> list[list[contract.Case]]:
    """Whole algorithms, in their order, in so many groups of about as many cases."""
    by_algorithm: dict[str, list[contract.Case]] = {}
    for case in cases:
        by_algorithm.setdefault(case.algorithm, []).append(case)
    groups: list[list[contract.Case]] = [[]]
    for own in by_algorithm.values():
        full = len(groups[-1]) + len(own) / 2 > len(cases) / wanted
        if groups[-1] and full and len(groups) < wanted:
            groups.append([])
        groups[-1] += own
    return groups


def _part(built: Built, cases: list[contract.Case]) -> Built:
    plan, used = built.plan, {case.algorithm for case in cases}
    numbered = [msgspec.structs.replace(case, case=number) for number, case in enumerate(cases)]
    share = len(cases) / len(plan.cases)
    own = msgspec.structs.replace(
        plan,
        cases=numbered,
        budget_s=plan.budget_s * share,
        code_paths=[it for it in plan.code_paths if it.algorithm in used],
    )
    return Built(own, [it for it in built.algorithms if it.name in used], built.notes)


def jobs_of(engine: Engine, request: FleetRequest) -> tuple[list[Job], list[str]]:
    """A study is one run of all its plans; other plans are cut where they are long."""
    from ciphermark.studies import plans

    chosen = request.selection()
    built = plans.first(engine, request.plan, chosen)
    if request.study is None:
        parts = cut(built)
        names = [f"{request.plan_name}-{number}" for number, _ in enumerate(parts, 1)]
        names = names if len(parts) > 1 else [request.plan_name]
        jobs = [_job(name, name, it) for name, it in zip(names, parts, strict=True)]
        return jobs, built.notes
    later = plans.later(engine, request.study, request.plan, chosen)
    jobs = [_job(request.study, request.study, built)]
    for name, it in later.plans:
        planned = _job(name, request.study, it)
        jobs.append(msgspec.structs.replace(planned, built=None))
    return jobs, [*built.notes, *later.left_out]


def _job(name: str, makes: str, built: Built) -> Job:
    from ciphermark.plan.sampling import expected_seconds

    return Job(
        name=name,
        makes=makes,
        first=name == makes,
        cases=len(built.plan.cases),
        budget_s=built.plan.budget_s,
        expected_s=expected_seconds(built.plan),
        built=built,
    )


def plan_of(engine: Engine, work: Work) -> tuple[Built | None, list[str]]:
    """The plan of a job, and what was left out of it. One that depends on what was measured
    before is made now."""
    from ciphermark.studies.plans import later

    if work.job.built is not None:
        return work.job.built, []
    assert work.request.study is not None
    chosen = work.request.selection()
    before: Run = work.before
    found = later(engine, work.request.study, work.request.plan, chosen, before)
    plans = dict(found.plans)
    return plans.get(work.job.name), found.left_out


def prepare(request: FleetRequest, fleet: str) -> Prepared:
    """Looks at the machine and plans its jobs. Raises UsageError when there are none, and
    `MachineBusy`."""
    engine = engine_here()
    with held(boot_of(engine), f"fleet {fleet}"):
        looked = look(engine)
        jobs, notes = jobs_of(engine, request)
    return Prepared(looked, jobs, notes)


def measure(work: Work) -> Measured:
    """Measures a job. Raises WorkError when the engine ends before its farewell, `OtherIdentity`,
    and `MachineBusy`."""
    from ciphermark.command.measuring import failed
    from ciphermark.record.recorder import Recorder
    from ciphermark.workload import rows, rows_table

    engine = engine_here()
    name = f"fleet {work.fleet}"
    with held(boot_of(engine), name), stoppable(name) as interrupts:
        built, notes = plan_of(engine, work)
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
    errors = failed(analysed, may_lack=not work.job.first)
    return Measured(run, rows_table(analysed, run.context.workload), errors, notes)


def simulate(target: str, cases: list[SimulatedCase]) -> tuple[SimulatedTarget, list[Simulation]]:
    """Compiles for a target and counts there, with the tools of this machine. The target says so
    where they are missing. Raises WorkError without a compiler for this machine itself."""
    from ciphermark.run.targets import simulation as measured
    from ciphermark.run.targets.target import TARGETS

    engine = Engine()
    facts = {it.name: it for it in engine.describe().algorithms}
    questions = engine.questions(sorted({case.algorithm for case in cases}))
    chosen = [TARGETS.named(target)]
    found = measured.simulate(chosen, cases, facts, questions, lambda *_: None)
    return found.targets[0], found.simulations


def _beside(work: Work) -> list[Any]:
    """What other programs say of this machine, where a study asks them."""
    from ciphermark.run.speed_tools import first_cpu
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
                stack.enter_context(others_off(event.environment.state.cpu))
            recorder.feed(event)


def _check_identity(machine: contract.Machine, work: Work) -> None:
    if (machine.machine_id, machine.machine_kind) != (work.machine_id, work.machine_kind):
        raise OtherIdentity(
            f"it was {work.machine_id} ({work.machine_kind}) and is now {machine.machine_id} "
            f"({machine.machine_kind})"
        )
