"""What a worker does for a fleet: the steps of a measuring command, without a screen or a store.

These functions are called on other machines. They take all they need by value and find the rest,
the engine and the libraries, in what is installed there; recording is the client's.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ciphermark import contract
from ciphermark.errors import WorkError
from ciphermark.farm.asked import boot_of, engine_here, look
from ciphermark.farm.machine_lock import held
from ciphermark.farm.messages import Measured, OtherIdentity, Prepared, Work
from ciphermark.farm.others_off import others_off
from ciphermark.farm.stopping import stoppable
from ciphermark.fleet.jobs import jobs_of, plan_of
from ciphermark.fleet.request import FleetRequest
from ciphermark.measure.engine import Engine

if TYPE_CHECKING:
    from ciphermark.contract.simulation import SimulatedCase, SimulatedTarget, Simulation


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
    errors = failed(analysed, is_also=not work.job.first)
    return Measured(run, rows_table(analysed, run.context.workload), errors, notes)


def simulate(target: str, cases: list[SimulatedCase]) -> tuple[SimulatedTarget, list[Simulation]]:
    """Compiles for a target and counts there, with the tools of this machine. The target says so
    where they are missing. Raises WorkError without a compiler for this machine itself."""
    from ciphermark.measure.targets import simulation as measured
    from ciphermark.measure.targets.target import FOLDER, read

    engine = Engine()
    facts = {it.name: it for it in engine.describe().algorithms}
    questions = engine.questions(sorted({case.algorithm for case in cases}))
    chosen = [read(FOLDER / f"{target}.toml")]
    found = measured.simulate(chosen, cases, facts, questions, lambda *_: None)
    return found.targets[0], found.simulations


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
                stack.enter_context(others_off(event.environment.state.cpu))
            recorder.feed(event)


def _check_identity(machine: contract.Machine, work: Work) -> None:
    if (machine.machine_id, machine.machine_kind) != (work.machine_id, work.machine_kind):
        raise OtherIdentity(
            f"it was {work.machine_id} ({work.machine_kind}) and is now {machine.machine_id} "
            f"({machine.machine_kind})"
        )
