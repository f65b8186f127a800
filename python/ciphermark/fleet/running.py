"""A fleet while it runs: who comes and goes, and who does what.

All of it happens in one thread. `Crew` tells what has happened, each machine gets the next thing
that it has to do, and `Outcomes` says what becomes of what it has done.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ciphermark.farm.crew import Crew, Ended
from ciphermark.farm.machine import BUDGETS, Machine
from ciphermark.farm.messages import Job, Work
from ciphermark.farm.roll import Roll, Say
from ciphermark.fleet import work as fleet_work
from ciphermark.fleet.outcomes import Outcomes

if TYPE_CHECKING:
    from ciphermark.farm.cluster import Farm
    from ciphermark.fleet.keeping import Keeping
    from ciphermark.fleet.ledger import FleetFacts
    from ciphermark.fleet.simulating import Simulating

PREPARING_S = 900.0
"""Code paths that nobody has looked for yet take the engine ten minutes at most."""
_WAIT_S = 0.2
"""How soon a request to stop is seen."""


class FleetRun:
    """Runs a fleet until nothing more can be done."""

    def __init__(
        self,
        farm: Farm,
        crew: Crew,
        keeping: Keeping,
        facts: FleetFacts,
        patience_s: float,
        say: Say,
        simulating: Simulating,
    ) -> None:
        """`patience_s`: how long machines are waited for that are gone or say nothing."""
        self._crew = crew
        self._keeping = keeping
        self._facts = facts
        self._patience_s = patience_s
        self._simulating = simulating
        self._outcomes = Outcomes(crew, keeping, facts, say, simulating)
        self._roll = Roll(farm, crew, patience_s, say)

    @property
    def machines(self) -> list[Machine]:
        return self._roll.machines

    @property
    def settled(self) -> list[Machine]:
        return [it for it in self.machines if it.is_settled]

    @property
    def left_s(self) -> float:
        """Time until the slowest machine has done its jobs."""
        return max((it.left_s for it in self.machines), default=0.0)

    def step(self) -> bool:
        """Takes in what has happened and gives out what is to be done; whether there is more.

        Raises WorkError when the scheduler is gone or a run cannot be stored.
        """
        for happening in self._crew.happenings(_WAIT_S):
            if ended := self._roll.take(happening):
                self._end(ended)
        busy = {it.boot for it in self.machines if it.task is not None}
        for machine in self.machines:
            if machine.boot not in busy and self._advance(machine):
                busy.add(machine.boot)
        self._simulate(busy)
        return self._has_more()

    def check(self) -> None:
        """Raises UsageError where no machine has come."""
        self._roll.check()

    def drop(self) -> list[str]:
        """Wants no more; the workers that are at something."""
        return self._crew.drop_all()

    def _has_more(self) -> bool:
        if self._roll.is_gathering or self._simulating.is_under_way:
            return True
        return not all(it.is_settled for it in self.machines) or self._may_simulate()

    def _end(self, ended: Ended) -> None:
        if not self._simulating.end(ended):
            machine = next((it for it in self.machines if it.task == ended.key), None)
            if machine is not None:
                self._outcomes.take(machine, ended, self.machines)

    # What is to be done

    def _advance(self, machine: Machine) -> bool:
        """Gives a machine the next thing that it has to do; whether it is doing something."""
        if machine.is_settled:
            return False
        if not machine.workers:
            if time.monotonic() - machine.since > self._patience_s:
                trouble = "its last worker is gone: ciphermark fleet resume goes on"
                self._outcomes.settle(machine, trouble)
            return False
        if machine.facts is None:
            self._prepare(machine)
            return True
        job = machine.next_job
        if job is None:
            self._outcomes.finish(machine)
            return False
        self._measure(machine, job)
        return True

    def _prepare(self, machine: Machine) -> None:
        asked = (self._facts.request, self._facts.fleet)
        worker = machine.workers[0]
        key = self._crew.start(worker, fleet_work.prepare, *asked, seconds=PREPARING_S)
        machine.begin(key, None)

    def _measure(self, machine: Machine, job: Job) -> None:
        seconds = BUDGETS * job.budget_s + self._patience_s
        worker, work = machine.workers[0], self._work(machine, job)
        machine.begin(self._crew.start(worker, fleet_work.measure, work, seconds=seconds), job)

    def _work(self, machine: Machine, job: Job) -> Work:
        assert machine.facts is not None
        first = next((it for it in machine.jobs if it.makes == job.makes and it.first), None)
        before = None
        if job.built is None and first is not None:
            before = self._keeping.piece(machine.done[first.name])
        return Work(
            fleet=self._facts.fleet,
            command=self._facts.command,
            request=self._facts.request,
            job=job,
            machine_id=machine.facts.machine_id,
            machine_kind=machine.facts.machine_kind,
            before=before,
        )

    # Simulated targets

    def _may_simulate(self) -> bool:
        """Whether there is something to simulate, and a worker for it."""
        return self._simulating.is_waiting and any(it.workers for it in self._free(set()))

    def _free(self, busy: set[str]) -> list[Machine]:
        """Machines that measure nothing any more, nor does another on the same system."""
        waiting = [it for it in self.machines if not it.is_settled]
        measuring = {it.boot for it in waiting if it.facts is None or it.next_job is not None}
        return [it for it in self.machines if it.boot not in busy and it.boot not in measuring]

    def _simulate(self, busy: set[str]) -> None:
        if self._simulating.is_waiting:
            for machine in self._free(busy):
                for worker in machine.workers:
                    self._simulating.feed(worker, self._roll.threads[worker])
            self._simulating.accept_refusals({*self._roll.workers})
