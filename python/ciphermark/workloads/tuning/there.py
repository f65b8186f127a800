"""Variants of hosts on the machines of a cluster: each is identified and checked, then measures."""

from __future__ import annotations

import contextlib
import platform
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from ciphermark import contract
from ciphermark.errors import UsageError, WorkError
from ciphermark.farm.asked import EVEN_UNFIT, UNFIT_CURE, boot_of, engine_here, look
from ciphermark.farm.crew import Crew, Ended
from ciphermark.farm.machine import BUDGETS, MOST_ATTEMPTS, Machine
from ciphermark.farm.machine_lock import held
from ciphermark.farm.others_off import others_off
from ciphermark.farm.roll import Roll, Say, cause
from ciphermark.farm.stopping import stop, stoppable
from ciphermark.measure.tuning import compilers, machine, variant_builds
from ciphermark.measure.tuning.compilers import Need, Pair
from ciphermark.measure.tuning.machine import MachineOutcome, MachineTask

if TYPE_CHECKING:
    from ciphermark.farm.cluster import Farm

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
    engine = engine_here()
    with held(boot_of(engine), NAME), stoppable(NAME) as interrupts, contextlib.ExitStack() as off:
        why = look(engine).why_unfit
        if why and not even_unfit:
            raise UsageError(f"{why}: {UNFIT_CURE}")

        def watch(plan: contract.Plan, event: contract.Event) -> None:
            if isinstance(event, contract.Hello):
                off.enter_context(others_off(event.environment.state.cpu))

        outcome = machine.measure(engine, task, interrupts, watch)
    outcome.notes += [f"{why}, {EVEN_UNFIT}"] if why else []
    return outcome


class MachinesThere:
    """The machines of a cluster, by the workers that have come."""

    def __init__(self, farm: Farm, say: Say, is_stopped: Callable[[], bool]) -> None:
        self._crew = Crew(farm.client, PATIENCE_S)
        self._roll = Roll(farm, self._crew, PATIENCE_S, say)
        self._say = say
        self._is_stopped = is_stopped
        self._outcomes: list[MachineOutcome] = []

    def able(self, needs: list[Need]) -> dict[str, list[Pair]]:
        """What each worker can compile, once one has come. Raises UsageError where none comes."""
        while self._roll.is_gathering and not self._is_stopped():
            for happening in self._crew.happenings(_WAIT_S):
                self._roll.take(happening)
        if not self._is_stopped():
            self._roll.check()
        asked = {
            self._crew.start(worker, compilers.able, needs, seconds=ABLE_S): worker
            for worker in self._roll.workers
        }
        found: dict[str, list[Pair]] = {}
        while asked and not self._is_stopped():
            for happening in self._crew.happenings(_WAIT_S):
                ended = self._roll.take(happening)
                worker = asked.pop(ended.key, None) if ended else None
                if worker and ended.how == "done":
                    found[worker] = ended.value
        return found

    def measure(self, task: MachineTask, even_unfit: bool) -> list[MachineOutcome]:
        """What came of each machine, once all have measured or cannot."""
        try:
            while not self._is_stopped() and self._advance(task, even_unfit):
                for happening in self._crew.happenings(_WAIT_S):
                    if ended := self._roll.take(happening):
                        self._end(ended)
        finally:
            self._crew.ask(self._crew.drop_all(), stop, NAME)
        return self._outcomes

    def _advance(self, task: MachineTask, even_unfit: bool) -> bool:
        """Gives each machine what it has to do; whether any has."""
        seconds = BUDGETS * task.budget_s + PATIENCE_S
        waiting = [it for it in self._roll.machines if not it.is_settled]
        for it in waiting:
            if it.task is None and it.workers:
                asked = (task, even_unfit)
                it.begin(
                    self._crew.start(it.workers[0], measure_here, *asked, seconds=seconds), None
                )
            elif it.task is None and time.monotonic() - it.since > PATIENCE_S:
                self._settle(it, "its last worker is gone")
        return bool(waiting) or self._roll.is_gathering

    def _end(self, ended: Ended) -> None:
        it = next((it for it in self._roll.machines if it.task == ended.key), None)
        if it is None:
            return
        it.stop_doing()
        if ended.how == "done":
            for note in ended.value.notes:
                self._say(f"{it.name}: {note}")
            outcome: MachineOutcome = ended.value
            why = outcome.reason and f"{it.name}: {outcome.reason}"
            self._outcomes.append(msgspec.structs.replace(outcome, reason=why))
            it.is_settled = True
            return
        it.prefer_others(ended.worker)
        if ended.how == "failed" and isinstance(ended.value, (UsageError, WorkError)):
            self._settle(it, str(ended.value))
            return
        why = {"gone": "its worker has died", "late": "it was not done in time"}.get(ended.how)
        why = why or cause(ended.value)
        if it.may_try_again(NAME):
            self._say(f"{it.name}: is measured again: {why}")
        else:
            self._settle(it, f"measuring has failed {MOST_ATTEMPTS} times: {why}")

    def _settle(self, it: Machine, why: str) -> None:
        it.is_settled = True
        self._outcomes.append(MachineOutcome(machine=it.name, reason=f"{it.name}: {why}"))
