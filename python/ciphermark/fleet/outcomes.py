"""What becomes of a machine of a fleet, by what came of the thing that it did last."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import msgspec

from ciphermark.errors import UsageError
from ciphermark.farm import stopping as farm_stopping
from ciphermark.farm.asked import EVEN_UNFIT, UNFIT_CURE
from ciphermark.farm.machine import MOST_ATTEMPTS, Machine
from ciphermark.farm.machine_lock import MachineBusy
from ciphermark.farm.messages import Job, Measured, OtherIdentity, Prepared
from ciphermark.farm.roll import cause
from ciphermark.fleet.ledger import FleetFacts, MachineFacts

if TYPE_CHECKING:
    from ciphermark.farm.crew import Crew, Ended
    from ciphermark.fleet.keeping import Keeping
    from ciphermark.fleet.simulating import Simulating


class Outcomes:
    """Takes in what machines have done, keeps it, and says what went wrong."""

    def __init__(
        self,
        crew: Crew,
        keeping: Keeping,
        facts: FleetFacts,
        say: Callable[[str], None],
        simulating: Simulating,
    ) -> None:
        self._crew = crew
        self._keeping = keeping
        self._facts = facts
        self._say = say
        self._simulating = simulating

    def take(self, machine: Machine, ended: Ended, machines: Iterable[Machine]) -> None:
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

    def finish(self, machine: Machine) -> None:
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
                whole = self._keeping.join(jobs, machine.done, found.targets, found.simulations)
                machine.done |= {job.name: whole for job in jobs}
            self.settle(machine, "")

    def settle(self, machine: Machine, trouble: str) -> None:
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

    def _prepared(self, machine: Machine, prepared: Prepared, machines: Iterable[Machine]) -> None:
        identity = prepared.looked.machine.machine_id
        for other in machines:
            twin = other.facts is not None and other.facts.machine_id == identity
            if twin and other is not machine:
                why = f"has the identity of {other.name}: give it a machine id of its own"
                self.settle(machine, why)
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
        if machine.next_job and (why := prepared.looked.why_unfit):
            if self._facts.even_unfit:
                self._say(f"{machine.name}: {why}, {EVEN_UNFIT}")
            else:
                self.settle(machine, f"{why}: {UNFIT_CURE}")

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
            self.settle(machine, str(ended.value))
            return
        why = {
            "gone": "its worker has died",
            "late": "it was not done in time",
            "failed": cause(ended.value),
        }[ended.how]
        if ended.how == "late":
            self._crew.ask([ended.worker], farm_stopping.stop, f"fleet {self._facts.fleet}")
        if machine.may_try_again(what):
            self._say(f"{machine.name}: {what} is tried again: {why}")
        else:
            self.settle(machine, f"{what} has failed {MOST_ATTEMPTS} times: {why}")

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
            self.settle(machine, f"reports another identity again and again: {how}")
