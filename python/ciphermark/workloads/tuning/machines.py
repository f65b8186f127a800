"""Variants of hosts, measured by the engine of a machine in one interleaved run.

On the machines of a cluster, each is identified and checked before it measures.
"""

from __future__ import annotations

import contextlib
import platform
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec

from ciphermark import contract
from ciphermark.errors import UsageError, WorkError
from ciphermark.farm.crew import Crew, Ended
from ciphermark.farm.machine_lock import boot_id, held
from ciphermark.farm.machines import BUDGETS, MOST_ATTEMPTS, Machine, Roster, Say
from ciphermark.farm.worker import (
    EVEN_UNFIT,
    UNFIT_CURE,
    look,
    others_off,
    stop,
    stoppable,
)
from ciphermark.plan.sampling import PAIRED_PROCESSES, sampling
from ciphermark.plan.selection import KERNEL
from ciphermark.record.recorder import Recorder
from ciphermark.record.run import Run
from ciphermark.run.engine import Engine
from ciphermark.run.interrupts import Interrupts
from ciphermark.run.tuning import compilers, variant_builds
from ciphermark.run.tuning.compilers import Need, Pair
from ciphermark.run.tuning.variant_builds import HostBuild

if TYPE_CHECKING:
    from ciphermark.farm.cluster import Farm


PLAN_NAME = "tune"


class MachineTask(msgspec.Struct, kw_only=True):
    """What a machine needs to know; it can be sent to another one."""

    version: str
    architecture: str
    """What the shared objects are for, as `uname -m` names it."""
    libraries: dict[str, bytes]
    """Shared objects by provider."""
    cases: list[contract.Case]
    algorithms: list[contract.Algorithm]
    precision: float
    budget_s: float
    seed: int
    cpu: int | None = None
    command: str


class MachineOutcome(msgspec.Struct, kw_only=True):
    """What came of a machine."""

    machine: str
    run: Run | None = None
    reason: str = ""
    """Why there is no run."""
    notes: list[str] = []
    """What must be known of it, one sentence each."""


def cases(builds: Sequence[HostBuild]) -> list[contract.Case]:
    """What the engine measures: every case that was compiled."""
    compiled = [
        (build, it.case)
        for build in builds
        for it in build.found
        if it.error is None and build.library is not None
    ]
    return [
        contract.Case(
            case=number,
            algorithm=case.algorithm,
            operation=cast("contract.Operation", case.operation),
            provider=_provider(build),
            backend=case.backend,
            message_bytes=case.message_bytes,
        )
        for number, (build, case) in enumerate(compiled)
    ]


def libraries(builds: Sequence[HostBuild]) -> dict[str, bytes]:
    """The shared objects by provider."""
    return {_provider(build): build.library for build in builds if build.library is not None}


def _provider(build: HostBuild) -> str:
    """What the engine calls a variant."""
    return f"{KERNEL}@{build.label.partition('@')[2]}"


def measure(
    engine: Engine,
    task: MachineTask,
    interrupts: Interrupts,
    watch: Callable[[contract.Plan, contract.Event], None],
) -> MachineOutcome:
    """The run on this machine, also of what was measured until the user stopped or the engine
    died."""
    with tempfile.TemporaryDirectory(prefix="ciphermark-") as folder:
        plan = _plan(task, _written(task.libraries, Path(folder)))
        recorder = Recorder(task.command, PLAN_NAME, plan, task.algorithms, [])
        problem = ""
        try:
            for event in engine.measure(plan, interrupts):
                recorder.feed(event)
                watch(plan, event)
        except WorkError as error:
            problem = str(error)
        try:
            run = recorder.finish(interrupts.requested)
        except WorkError as error:
            return MachineOutcome(machine=platform.node(), reason=problem or str(error))
        return MachineOutcome(machine=run.context.machine_name, run=run, reason=problem)


def _written(libraries: Mapping[str, bytes], folder: Path) -> dict[str, str]:
    paths = {name: folder / f"{name.partition('@')[2]}.so" for name in libraries}
    for name, path in paths.items():
        path.write_bytes(libraries[name])
    return {name: str(path) for name, path in paths.items()}


def _plan(task: MachineTask, paths: dict[str, str]) -> contract.Plan:
    """Every variant in the same rounds, enough of them that ratios can be told."""
    return contract.Plan(
        schema=contract.SCHEMA,
        workload="single",
        seed=task.seed,
        precision=task.precision,
        budget_s=task.budget_s,
        cpu=task.cpu,
        libraries=paths,
        sampling=sampling(PAIRED_PROCESSES),
        cases=task.cases,
    )


NAME = "tune"
"""Under which a machine is held."""
PATIENCE_S = 30.0
"""How long a machine that says nothing is waited for."""
ABLE_S = 120.0
"""Compilers and simulators are asked for their versions."""
_WAIT_S = 0.2
"""How soon a request to stop is seen."""


def measure_here(task: MachineTask, even_unfit: bool) -> MachineOutcome:
    """Measures on the machine of this worker, where doctor finds it fit or that is not asked.
    Raises WorkError where it cannot be, `MachineBusy` among them."""
    variant_builds.check_version(task.version)
    if platform.machine() != task.architecture:
        raise UsageError(
            f"it is {platform.machine()}, and the kernels were compiled for {task.architecture}: "
            "tune there, or on a machine of its kind"
        )
    engine = Engine()
    with held(boot_id(), NAME), stoppable(NAME) as interrupts, contextlib.ExitStack() as off:
        why = look(engine).why_unfit
        if why and not even_unfit:
            raise UsageError(f"{why}: {UNFIT_CURE}")

        def watch(plan: contract.Plan, event: contract.Event) -> None:
            if isinstance(event, contract.Hello):
                off.enter_context(others_off(event.environment.state.cpu))

        outcome = measure(engine, task, interrupts, watch)
    outcome.notes += [f"{why}, {EVEN_UNFIT}"] if why else []
    return outcome


class MachinesThere:
    """The machines of a cluster, by the workers that have come."""

    def __init__(self, farm: Farm, say: Say, is_stopped: Callable[[], bool]) -> None:
        self._crew = Crew(farm.client, PATIENCE_S)
        self._roster = Roster(farm, self._crew, PATIENCE_S, say, Machine)
        self._say = say
        self._is_stopped = is_stopped
        self._outcomes: list[MachineOutcome] = []

    def able(self, needs: list[Need]) -> dict[str, list[Pair]]:
        """What each worker can compile, once one has come. Raises UsageError where none comes."""
        while self._roster.is_gathering and not self._is_stopped():
            for happening in self._crew.happenings(_WAIT_S):
                self._roster.take(happening)
        if not self._is_stopped():
            self._roster.check()
        asked = {
            self._crew.start(worker, compilers.able, needs, seconds=ABLE_S): worker
            for worker in self._roster.workers
        }
        found: dict[str, list[Pair]] = {}
        while asked and not self._is_stopped():
            for happening in self._crew.happenings(_WAIT_S):
                ended = self._roster.take(happening)
                if ended and ended.key in asked:
                    worker = asked.pop(ended.key)
                    if ended.how == "done":
                        found[worker] = ended.value
        return found

    def measure(self, task: MachineTask, even_unfit: bool) -> list[MachineOutcome]:
        """What came of each machine, once all have measured or cannot."""
        try:
            while not self._is_stopped() and self._advance(task, even_unfit):
                for happening in self._crew.happenings(_WAIT_S):
                    if ended := self._roster.take(happening):
                        self._end(ended)
        finally:
            self._crew.ask(self._crew.drop_all(), stop, NAME)
        return self._outcomes

    def _advance(self, task: MachineTask, even_unfit: bool) -> bool:
        """Gives each machine what it has to do; whether any has."""
        seconds = BUDGETS * task.budget_s + PATIENCE_S
        waiting = [machine for machine in self._roster.machines if not machine.is_settled]
        for machine in waiting:
            if machine.task is None and machine.workers:
                worker, asked = machine.workers[0], (task, even_unfit)
                machine.begin(self._crew.start(worker, measure_here, *asked, seconds=seconds))
            elif machine.task is None and time.monotonic() - machine.since > PATIENCE_S:
                self._settle(machine, "its last worker is gone")
        return bool(waiting) or self._roster.is_gathering

    def _end(self, ended: Ended) -> None:
        machine = next((it for it in self._roster.machines if it.task == ended.key), None)
        if machine is None:
            return
        machine.stop_doing()
        if ended.how == "done":
            outcome: MachineOutcome = ended.value
            for note in outcome.notes:
                self._say(f"{machine.host}: {note}")
            if outcome.reason:
                outcome.reason = f"{machine.host}: {outcome.reason}"
            self._outcomes.append(outcome)
            machine.is_settled = True
            return
        machine.prefer_others(ended.worker)
        if ended.how == "failed" and isinstance(ended.value, (UsageError, WorkError)):
            self._settle(machine, str(ended.value))
            return
        why = ended.why
        if machine.may_try_again(NAME):
            self._say(f"{machine.host}: measured again: {why}")
        else:
            self._settle(machine, f"measuring failed {MOST_ATTEMPTS} times: {why}")

    def _settle(self, machine: Machine, why: str) -> None:
        machine.is_settled = True
        outcome = MachineOutcome(machine=machine.host, reason=f"{machine.host}: {why}")
        self._outcomes.append(outcome)
