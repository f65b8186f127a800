"""A fleet while it runs: who comes and goes, who does what, and what becomes of it.

All of it happens in one thread. `Crew` tells what has happened, each machine gets the next thing
that it has to do, and what it has measured is kept at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from ciphermark.cli import fleet_work
from ciphermark.cli.fleet_keeping import Keeping
from ciphermark.cli.fleet_machine import MOST_ATTEMPTS, Machine
from ciphermark.cli.fleet_work import Introduction, Job, Measured, OtherIdentity, Prepared, Work
from ciphermark.errors import UsageError
from ciphermark.measure.farm.crew import Crew, Ended, Joined, Left
from ciphermark.measure.farm.machine_lock import MachineBusy
from ciphermark.record.fleet_ledger import FleetFacts, MachineFacts

if TYPE_CHECKING:
    from ciphermark.cli.fleet_simulating import Simulating

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

Say = Callable[[str], None]


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
        self.machines: dict[str, Machine] = {}
        self._crew = crew
        self._keeping = keeping
        self._facts = facts
        self._patience_s = patience_s
        self._say = say
        self._simulating = simulating
        self._introducing: dict[str, str] = {}
        self._of_worker: dict[str, Machine] = {}
        self._threads: dict[str, int] = {}
        self._began = time.monotonic()

    @property
    def settled(self) -> list[Machine]:
        return [it for it in self.machines.values() if it.is_settled]

    @property
    def left_s(self) -> float:
        """Time until the slowest machine has done its jobs."""
        return max((it.left_s for it in self.machines.values()), default=0.0)

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
        busy = {it.boot for it in self.machines.values() if it.task is not None}
        for machine in self.machines.values():
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
        return not all(it.is_settled for it in self.machines.values()) or self._may_simulate()

    # Workers

    def _join(self, joined: Joined) -> None:
        worker = joined.worker
        self._threads[worker] = joined.threads
        if machine := self._of_worker.get(worker):
            machine.add_worker(worker)  # it was silent
        else:
            key = self._crew.start(worker, fleet_work.introduce, seconds=INTRODUCING_S)
            self._introducing[key] = worker

    def _leave(self, left: Left) -> None:
        machine = self._of_worker.get(left.worker)
        if machine is None:
            return
        machine.remove_worker(left.worker)
        if not left.silent:
            del self._of_worker[left.worker]
        if not machine.is_settled:
            how = f"says nothing for {self._patience_s:.0f} s" if left.silent else "is gone"
            others = "; another of this machine goes on" if machine.workers else ""
            self._say(f"{machine.name}: worker {left.worker} {how}{others}")

    def _introduced(self, ended: Ended) -> None:
        worker = self._introducing.pop(ended.key)
        if ended.how != "done":
            if ended.how == "failed":
                self._say(f"worker {worker} cannot take part: {_cause(ended.value)}")
            return
        told: Introduction = ended.value
        own = fleet_work.versions()
        if told.versions != own:
            self._say(
                f"{told.host}: worker {worker} has ciphermark {told.versions[0]} with Dask "
                f"{told.versions[1]}, and here are {own[0]} and {own[1]}: install the same there"
            )
            return
        known = Machine(told)
        machine = self.machines.setdefault(known.key, known)
        if machine.boot != told.boot:
            if machine.workers:
                self._say(
                    f"{told.host}: has the machine id of {machine.host}, as copied systems have: "
                    "remove /etc/machine-id there, run systemd-machine-id-setup, and start again"
                )
                return
            machine.boot = told.boot  # it was started anew
        machine.add_worker(worker)
        self._of_worker[worker] = machine

    # What machines do

    def _advance(self, machine: Machine) -> bool:
        """Gives a machine the next thing that it has to do; whether it is doing something."""
        if machine.is_settled:
            return False
        if not machine.workers:
            if time.monotonic() - machine.since > self._patience_s:
                self._settle(machine, "its last worker is gone: ciphermark fleet resume goes on")
            return False
        worker = machine.workers[0]
        if machine.facts is None:
            key = self._crew.start(
                worker,
                fleet_work.prepare,
                self._facts.request,
                self._facts.fleet,
                seconds=PREPARING_S,
            )
            machine.begin(key, None)
            return True
        job = machine.next_job
        if job is None:
            self._finish(machine)
            return False
        seconds = BUDGETS * job.budget_s + self._patience_s
        machine.begin(
            self._crew.start(worker, fleet_work.measure, self._work(machine, job), seconds=seconds),
            job,
        )
        return True

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

    def _end(self, ended: Ended) -> None:
        if ended.key in self._introducing:
            self._introduced(ended)
            return
        if self._simulating.end(ended):
            return
        machine = next((it for it in self.machines.values() if it.task == ended.key), None)
        if machine is None:
            return
        job = machine.doing
        machine.stop_doing()
        if ended.how == "done" and job is None:
            self._prepared(machine, ended.value)
        elif ended.how == "done":
            assert job is not None
            self._measured(machine, job, ended.value)
        else:
            self._failed(machine, job, ended)

    def _prepared(self, machine: Machine, prepared: Prepared) -> None:
        identity = prepared.machine.machine_id
        for other in self.machines.values():
            twin = other.facts is not None and other.facts.machine_id == identity
            if twin and other is not machine:
                why = f"has the identity of {other.name}: give it a machine id of its own"
                self._settle(machine, why)
                return
        machine.know(prepared)
        facts = machine.facts
        assert facts is not None
        was = self._keeping.other_hardware(facts)
        if was is not None and not machine.has_changed:
            self._say(
                f"{machine.name}: came back with other hardware (it was {was} and is now "
                f"{facts.machine_kind}); all of it is measured anew"
            )
        machine.done = self._keeping.known(facts, machine.jobs)
        self._keeping.ledger.tell(facts)
        if prepared.verdict == "bad" and machine.next_job:
            why = f"is unfit ({prepared.line.removeprefix('bad: ')})"
            if self._facts.even_unfit:
                self._say(f"{machine.name}: {why}, and is measured as --even-unfit says")
            else:
                cure = "see ciphermark doctor there, or measure with --even-unfit"
                self._settle(machine, f"{why}: {cure}")

    def _measured(self, machine: Machine, job: Job, measured: Measured) -> None:
        assert machine.facts is not None
        for note in measured.notes:
            self._say(f"{machine.name}: {note}")
        alone = self._keeping.is_run(job, machine.jobs) and not self._simulating.is_wanted
        machine.done[job.name] = self._keeping.keep(machine.facts, job, measured, alone)

    def _failed(self, machine: Machine, job: Job | None, ended: Ended) -> None:
        what = job.name if job is not None else "its preparation"
        machine.prefer_others(ended.worker)
        if isinstance(ended.value, OtherIdentity):
            self._changed(machine, str(ended.value))
            return
        if isinstance(ended.value, (UsageError, MachineBusy)):
            self._settle(machine, str(ended.value))
            return
        why = {
            "gone": "its worker has died",
            "late": "it was not done in time",
            "failed": _cause(ended.value),
        }[ended.how]
        if ended.how == "late":
            self._crew.ask([ended.worker], fleet_work.stop, self._facts.fleet)
        if machine.may_try_again(what):
            self._say(f"{machine.name}: {what} is tried again: {why}")
        else:
            self._settle(machine, f"{what} has failed {MOST_ATTEMPTS} times: {why}")

    def _changed(self, machine: Machine, how: str) -> None:
        """Another machine has come in the place of one, or other hardware."""
        assert machine.facts is not None
        self._keeping.drop_pieces(machine.facts.machine_id)
        if machine.may_try_again("its identity"):
            self._say(
                f"{machine.name}: reports another identity half-way: {how}; nothing of both is "
                "put into one run, and it is measured anew as what it is now"
            )
            self._keeping.ledger.tell(
                msgspec.structs.replace(machine.facts, trouble=f"became another machine: {how}")
            )
            machine.facts, machine.jobs, machine.done = None, [], {}
            machine.has_changed = True
        else:
            self._settle(machine, f"reports another identity again and again: {how}")

    def _finish(self, machine: Machine) -> None:
        """All jobs are done: what belongs together is joined, once simulators are done too."""
        makes = dict.fromkeys(job.makes for job in machine.jobs)
        waiting = [
            [job for job in machine.jobs if job.makes == name]
            for name in makes
            if any(machine.done[job.name].piece for job in machine.jobs if job.makes == name)
        ]
        if not waiting:
            self._settle(machine, "")
        elif self._simulating.is_done:
            for jobs in waiting:
                found = self._simulating.found
                whole = self._keeping.join(jobs, machine.done, found.targets, found.simulations)
                machine.done |= {job.name: whole for job in jobs}
            self._settle(machine, "")

    def _settle(self, machine: Machine, trouble: str) -> None:
        """Nothing more is to be measured on it."""
        machine.is_settled = True
        if trouble:
            self._say(f"{machine.name}: {trouble}")
        if machine.facts is None:
            machine.facts = MachineFacts(
                machine_id=machine.key,
                host=machine.host,
                machine_name=machine.host,
                machine_kind="",
                cpu_name="",
            )
        machine.facts.trouble = trouble
        self._keeping.ledger.tell(machine.facts)

    # Simulated targets

    def _may_simulate(self) -> bool:
        """Whether there is something to simulate, and a worker for it."""
        return self._simulating.is_waiting and any(it.workers for it in self._free(set()))

    def _free(self, busy: set[str]) -> list[Machine]:
        """Machines that measure nothing any more, nor does another on the same system."""
        waiting = [it for it in self.machines.values() if not it.is_settled]
        measuring = {it.boot for it in waiting if it.facts is None or it.next_job is not None}
        return [
            it for it in self.machines.values() if it.boot not in busy and it.boot not in measuring
        ]

    def _simulate(self, busy: set[str]) -> None:
        if self._simulating.is_waiting:
            for machine in self._free(busy):
                for worker in machine.workers:
                    self._simulating.feed(worker, self._threads[worker])
            self._simulating.accept_refusals({*self._of_worker})


def _cause(error: object) -> str:
    """The sentence of an error of ours; of any other its kind too."""
    from ciphermark.errors import WorkError

    own = isinstance(error, (UsageError, WorkError))
    return str(error) if own else f"{type(error).__name__}: {error}"
