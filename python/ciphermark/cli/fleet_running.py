"""A fleet while it runs: who comes and goes, and who does what.

All of it happens in one thread. `Crew` tells what has happened, each machine gets the next thing
that it has to do, and `Outcomes` says what becomes of what it has done.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ciphermark.cli import farm_machine, fleet_work
from ciphermark.cli.farm_roll import Roll, Say
from ciphermark.cli.fleet_machine import Machine
from ciphermark.cli.fleet_messages import Job, Work
from ciphermark.cli.fleet_outcomes import Outcomes, cause
from ciphermark.measure.farm.crew import Crew, Ended, Joined, Left

if TYPE_CHECKING:
    from ciphermark.cli.fleet_keeping import Keeping
    from ciphermark.cli.fleet_simulating import Simulating
    from ciphermark.record.fleet_ledger import FleetFacts

INTRODUCING_S = 60.0
"""A worker imports the package and reads two files."""
PREPARING_S = 900.0
"""Code paths that nobody has looked for yet take the engine ten minutes at most."""
FIRST_WORKER_S = 60.0
"""How long a cluster without workers is waited for; one that starts them takes half of that."""
BUDGETS = 1.5
"""A machine gets its plan's budget so many times, since verification comes before it, and the
patience of the fleet on top."""
_WAIT_S = 0.2
"""How soon a request to stop is seen."""


class FleetRun:
    """Runs a fleet until nothing more can be done."""

    def __init__(
        self,
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
        self._say = say
        self._simulating = simulating
        self._outcomes = Outcomes(crew, keeping, facts, say, simulating)
        self._roll = Roll(say)
        self._introducing: dict[str, str] = {}
        """Workers that are asked who they are, by the key of that."""
        self._threads: dict[str, int] = {}
        self._began = time.monotonic()

    @property
    def machines(self) -> list[Machine]:
        return [*self._roll.machines.values()]

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
            match happening:
                case Joined():
                    self._join(happening)
                case Left():
                    self._leave(happening)
                case Ended():
                    self._end(happening)
        busy = {it.boot for it in self.machines if it.task is not None}
        for machine in self.machines:
            if machine.boot not in busy and self._advance(machine):
                busy.add(machine.boot)
        self._simulate(busy)
        return self._has_more()

    def drop(self) -> list[str]:
        """Wants no more; the workers that are at something."""
        return self._crew.drop_all()

    def _has_more(self) -> bool:
        if self._introducing or self._simulating.is_under_way:
            return True
        if not self.machines:
            return time.monotonic() - self._began < FIRST_WORKER_S
        return not all(it.is_settled for it in self.machines) or self._may_simulate()

    # What has happened

    def _join(self, joined: Joined) -> None:
        worker = joined.worker
        self._threads[worker] = joined.threads
        if machine := self._roll.machine_of(worker):
            machine.add_worker(worker)  # it was silent
        else:
            key = self._crew.start(worker, farm_machine.introduce, seconds=INTRODUCING_S)
            self._introducing[key] = worker

    def _leave(self, left: Left) -> None:
        machine = self._roll.remove(left.worker, left.silent)
        if machine is not None and not machine.is_settled:
            how = f"says nothing for {self._patience_s:.0f} s" if left.silent else "is gone"
            others = "; another of this machine goes on" if machine.workers else ""
            self._say(f"{machine.name}: worker {left.worker} {how}{others}")

    def _end(self, ended: Ended) -> None:
        if worker := self._introducing.pop(ended.key, None):
            if ended.how == "done":
                self._roll.enter(worker, ended.value)
            elif ended.how == "failed":
                self._say(f"worker {worker} cannot take part: {cause(ended.value)}")
        elif not self._simulating.end(ended):
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
                    self._simulating.feed(worker, self._threads[worker])
            self._simulating.accept_refusals({*self._roll.workers})
