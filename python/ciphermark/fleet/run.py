"""A fleet while it runs: who comes and goes, who does what, and what becomes of it.

All of it happens in one thread. `Crew` tells what has happened, each machine gets the next thing
that it has to do, and `Outcomes` says what becomes of what it has done.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import msgspec

from ciphermark.errors import UsageError
from ciphermark.farm.crew import Crew, Ended
from ciphermark.farm.machine_lock import MachineBusy
from ciphermark.farm.machines import BUDGETS, MOST_ATTEMPTS, Machine, Roster, Say
from ciphermark.farm.worker import EVEN_UNFIT, UNFIT_CURE, Introduction, stop
from ciphermark.fleet.jobs import Job, Measured, OtherIdentity, Prepared, Work, measure, prepare
from ciphermark.fleet.ledger import Done, FleetFacts, MachineFacts

if TYPE_CHECKING:
    from ciphermark.farm.cluster import Farm
    from ciphermark.fleet.ledger import FleetStore
    from ciphermark.fleet.simulation import Simulating


class FleetMachine(Machine):
    """One machine of a fleet as the client sees it: who it is, what it has to do, what is done."""

    def __init__(self, introduction: Introduction) -> None:
        super().__init__(introduction)
        self.facts: MachineFacts | None = None
        """None until it is prepared."""
        self.jobs: list[Job] = []
        self.done: dict[str, Done] = {}
        """By the name of the job."""
        self.doing: Job | None = None
        """The job that it is doing; None while it is being prepared."""
        self.has_changed = False
        """Whether it has become another while it was measured, which was said then."""

    @property
    def next_job(self) -> Job | None:
        """The first that is not done."""
        return next((job for job in self.jobs if job.name not in self.done), None)

    @property
    def left_s(self) -> float:
        """Time that what is not done will take, as far as plans tell."""
        if self.is_settled:
            return 0.0
        left = sum(job.expected_s for job in self.jobs if job.name not in self.done)
        spent = time.monotonic() - self.since if self.doing is not None else 0.0
        return max(0.0, left - spent)

    @property
    def cases_done(self) -> int:
        return sum(job.cases for job in self.jobs if job.name in self.done)

    def know(self, prepared: Prepared) -> MachineFacts:
        """Takes in who it is and what it has to do."""
        machine = prepared.looked.machine
        self.facts = MachineFacts(
            machine_id=machine.machine_id,
            host=self.host,
            machine_name=machine.machine_name,
            machine_kind=machine.machine_kind,
            cpu_name=machine.cpu_name,
            verdict=prepared.looked.verdict,
            jobs=[job.name for job in prepared.jobs],
            cases=sum(job.cases for job in prepared.jobs),
        )
        self.jobs, self.done = prepared.jobs, {}
        return self.facts

    def stop_doing(self) -> None:
        super().stop_doing()
        self.doing = None


class Outcomes:
    """Takes in what machines have done, keeps it, and says what went wrong."""

    def __init__(
        self,
        crew: Crew,
        store: FleetStore,
        facts: FleetFacts,
        say: Callable[[str], None],
        simulating: Simulating,
    ) -> None:
        self._crew = crew
        self._store = store
        self._facts = facts
        self._say = say
        self._simulating = simulating

    def take(self, machine: FleetMachine, ended: Ended, machines: Iterable[FleetMachine]) -> None:
        """Takes in how the thing ended that a machine of these has done."""
        job = machine.doing
        machine.stop_doing()
        if ended.how == "done" and job is None:
            self._prepared(machine, ended.value, machines)
        elif ended.how == "done":
            assert job is not None
            self._measured(machine, job, ended.value)
        else:
            self._failed(machine, job, ended)

    def finish(self, machine: FleetMachine) -> None:
        """All jobs are done: what belongs together is joined, once simulators are done too."""
        makes = dict.fromkeys(job.makes for job in machine.jobs)
        waiting = [
            [job for job in machine.jobs if job.makes == name]
            for name in makes
            if any(machine.done[job.name].piece for job in machine.jobs if job.makes == name)
        ]
        if not waiting:
            self.settle(machine, "")
        elif self._simulating.is_done:
            for jobs in waiting:
                found = self._simulating.found
                whole = self._store.join(jobs, machine.done, found.targets, found.simulations)
                machine.done |= {job.name: whole for job in jobs}
            self.settle(machine, "")

    def settle(self, machine: FleetMachine, trouble: str) -> None:
        """Nothing more is to be measured on it."""
        machine.is_settled = True
        if trouble:
            self._say(f"{machine.host}: {trouble}")
        if machine.facts is None:
            machine.facts = MachineFacts(
                machine_id=machine.key,
                host=machine.host,
                machine_name=machine.host,
                machine_kind="",
                cpu_name="",
            )
        machine.facts.trouble = trouble
        self._store.ledger.tell(machine.facts)

    def _prepared(
        self, machine: FleetMachine, prepared: Prepared, machines: Iterable[FleetMachine]
    ) -> None:
        identity = prepared.looked.machine.machine_id
        for other in machines:
            twin = other.facts is not None and other.facts.machine_id == identity
            if twin and other is not machine:
                self.settle(
                    machine, f"has the identity of {other.host}: give it a machine id of its own"
                )
                return
        facts = machine.know(prepared)
        was = self._store.other_hardware(facts)
        if was is not None and not machine.has_changed:
            self._say(
                f"{machine.host}: came back with other hardware (it was {was} and is now "
                f"{facts.machine_kind}); all of it is measured again"
            )
        machine.done = self._store.known(facts, machine.jobs)
        self._store.ledger.tell(facts)
        if machine.next_job and (why := prepared.looked.why_unfit):
            if self._facts.even_unfit:
                self._say(f"{machine.host}: {why}, {EVEN_UNFIT}")
            else:
                self.settle(machine, f"{why}: {UNFIT_CURE}")

    def _measured(self, machine: FleetMachine, job: Job, measured: Measured) -> None:
        assert machine.facts is not None
        for note in measured.notes:
            self._say(f"{machine.host}: {note}")
        alone = self._store.is_run(job, machine.jobs) and not self._simulating.is_wanted
        machine.done[job.name] = self._store.keep(machine.facts, job, measured, alone)

    def _failed(self, machine: FleetMachine, job: Job | None, ended: Ended) -> None:
        what = job.name if job is not None else "its preparation"
        machine.prefer_others(ended.worker)
        if isinstance(ended.value, OtherIdentity):
            self._changed(machine, str(ended.value))
            return
        if isinstance(ended.value, (UsageError, MachineBusy)):
            self.settle(machine, str(ended.value))
            return
        why = ended.why
        if ended.how == "late":
            self._crew.ask([ended.worker], stop, f"fleet {self._facts.fleet}")
        if machine.may_try_again(what):
            self._say(f"{machine.host}: {what} is tried again: {why}")
        else:
            self.settle(machine, f"{what} has failed {MOST_ATTEMPTS} times: {why}")

    def _changed(self, machine: FleetMachine, how: str) -> None:
        """Another machine has come instead of one, or other hardware."""
        assert machine.facts is not None
        self._store.drop_pieces(machine.facts.machine_id)
        if machine.may_try_again("its identity"):
            self._say(
                f"{machine.host}: reports another identity in mid-run: {how}; the two are not "
                "put into one run, and it is measured again as the machine that it is now"
            )
            self._store.ledger.tell(
                msgspec.structs.replace(machine.facts, trouble=f"became another machine: {how}")
            )
            machine.facts, machine.jobs, machine.done = None, [], {}
            machine.has_changed = True
        else:
            self.settle(machine, f"reports another identity again and again: {how}")


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
        store: FleetStore,
        facts: FleetFacts,
        patience_s: float,
        say: Say,
        simulating: Simulating,
    ) -> None:
        """`patience_s`: how long machines are waited for that are gone or say nothing."""
        self._crew = crew
        self._store = store
        self._facts = facts
        self._patience_s = patience_s
        self._simulating = simulating
        self._outcomes = Outcomes(crew, store, facts, say, simulating)
        self._roster = Roster(farm, crew, patience_s, say, FleetMachine)

    @property
    def machines(self) -> list[FleetMachine]:
        return self._roster.machines

    @property
    def settled(self) -> list[FleetMachine]:
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
            if ended := self._roster.take(happening):
                self._end(ended)
        busy = {it.boot for it in self.machines if it.task is not None}
        for machine in self.machines:
            if machine.boot not in busy and self._advance(machine):
                busy.add(machine.boot)
        self._simulate(busy)
        return self._has_more()

    def check(self) -> None:
        """Raises UsageError where no machine has come."""
        self._roster.check()

    def drop(self) -> list[str]:
        """Wants no more; the workers that are at something."""
        return self._crew.drop_all()

    def _has_more(self) -> bool:
        if self._roster.is_gathering or self._simulating.is_under_way:
            return True
        return not all(it.is_settled for it in self.machines) or self._may_simulate()

    def _end(self, ended: Ended) -> None:
        if not self._simulating.end(ended):
            machine = next((it for it in self.machines if it.task == ended.key), None)
            if machine is not None:
                self._outcomes.take(machine, ended, self.machines)

    # What is to be done

    def _advance(self, machine: FleetMachine) -> bool:
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

    def _prepare(self, machine: FleetMachine) -> None:
        asked = (self._facts.request, self._facts.fleet)
        worker = machine.workers[0]
        key = self._crew.start(worker, prepare, *asked, seconds=PREPARING_S)
        machine.begin(key)

    def _measure(self, machine: FleetMachine, job: Job) -> None:
        seconds = BUDGETS * job.budget_s + self._patience_s
        worker, work = machine.workers[0], self._work(machine, job)
        machine.begin(self._crew.start(worker, measure, work, seconds=seconds))
        machine.doing = job

    def _work(self, machine: FleetMachine, job: Job) -> Work:
        assert machine.facts is not None
        first = next((it for it in machine.jobs if it.makes == job.makes and it.first), None)
        before = None
        if job.built is None and first is not None:
            before = self._store.piece(machine.done[first.name])
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

    def _free(self, busy: set[str]) -> list[FleetMachine]:
        """Machines that measure nothing any more, nor does another on the same system."""
        waiting = [it for it in self.machines if not it.is_settled]
        measuring = {it.boot for it in waiting if it.facts is None or it.next_job is not None}
        return [it for it in self.machines if it.boot not in busy and it.boot not in measuring]

    def _simulate(self, busy: set[str]) -> None:
        if self._simulating.is_waiting:
            for machine in self._free(busy):
                for worker in machine.workers:
                    self._simulating.feed(worker, self._roster.threads[worker])
            self._simulating.accept_refusals({*self._roster.workers})
