"""A fleet while it runs: workers come and go, each machine gets one task, each run is stored once.

A machine's task may run on any of its workers: Dask repeats it on another one when a worker dies,
three times at most.
"""

from __future__ import annotations

import contextlib
import threading
import time
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ciphermark.command.measuring import command_line
from ciphermark.command.output import say
from ciphermark.errors import NotStored, Stopped, UsageError, WorkError
from ciphermark.farm.cluster import Farm, Reach, reached
from ciphermark.farm.worker import Introduction, introduce, stop, versions
from ciphermark.fleet.ledger import Ledger, MachineLine
from ciphermark.fleet.task import Measured, Work, measure_here
from ciphermark.run.interrupts import Interrupts
from ciphermark.view.figures import counted

if TYPE_CHECKING:
    from distributed import Future

PATIENCE_S = 30.0
"""Longest time without any worker on a machine, or without an answer of the scheduler."""
FIRST_WORKER_S = 60.0
"""Longest wait for workers that are expected, and for their introduction."""
GATHER_S = 60.0
"""Longest time for the megabytes of one run."""
STOPPING_S = 1.0
"""Time for asking workers to stop; a live one answers within a hundredth of it."""
POLL_S = 0.2
ATTEMPTS = 3
"""Attempts at measuring a machine whose engine dies; as many as Dask has for workers that die."""


def measure_machines(reach: Reach, ledger: Ledger, even_unfit: bool, again: bool) -> None:
    """Measures every machine of a cluster that is not done yet; with `again` the others too.

    Raises UsageError without a cluster or a worker, WorkError when the scheduler is gone or a run
    cannot be stored, and Stopped on Ctrl-C; stored runs stay in each case.
    """
    with ledger.held(again), Interrupts() as interrupts, reached(reach, say) as farm:
        dashboard = f"; Dask's dashboard: {farm.dashboard}" if farm.dashboard else ""
        say(f"fleet {ledger.fleet.fleet} on {farm.where}{dashboard}")
        if done := [it for it in ledger.machines if ledger.is_done(it.machine_id)]:
            say(f"{_are(len(done))} done already: --again measures all machines")
        run = FleetRun(farm, ledger, even_unfit)
        try:
            while not interrupts.requested and run.step():
                time.sleep(POLL_S)
        except NotStored:
            raise
        except WorkError as error:
            raise WorkError(f"{error}; {_go_on(ledger)}") from None
        finally:
            run.end()
        if interrupts.requested:
            raise Stopped(f"stopped; {_go_on(ledger)}")
        run.check()
        ledger.finish()


def _go_on(ledger: Ledger) -> str:
    done = sum(it.state == "done" for it in ledger.machines)
    return f"{_are(done)} done: the same command goes on"


def _are(machines: int) -> str:
    return f"{counted(machines, 'machine')} {'is' if machines == 1 else 'are'}"


class Machine:
    """Workers that run on the same machine, and its task."""

    def __init__(self, introduction: Introduction) -> None:
        self.line = MachineLine(host=introduction.host, machine_id=introduction.machine_id)
        self.boot = introduction.boot
        self.workers: set[str] = set()
        self.asked: set[str] = set()
        """Workers that may do the task."""
        self.task: Future[Any] | None = None
        self.since = 0.0
        """Monotonic time when the last worker left."""
        self.is_settled = False


class FleetRun:
    """Tasks of the machines, each started until nothing more can be done; used by one thread."""

    def __init__(self, farm: Farm, ledger: Ledger, even_unfit: bool) -> None:
        self._farm = farm
        self._ledger = ledger
        self._work = Work(
            fleet=ledger.fleet.fleet,
            command=command_line(),
            request=ledger.fleet.request,
            even_unfit=even_unfit,
        )
        self._began = time.monotonic()
        self._workers: set[str] = set()
        self._introducing: dict[str, tuple[Future[Any], float]] = {}
        """Deadline of the answer of each worker, by its address."""
        self._machines: dict[str, Machine] = {}

    def step(self) -> bool:
        """Takes in changes and starts tasks; returns whether there is more to do.

        Raises WorkError when the scheduler is gone or a run cannot be stored.
        """
        self._look_for_workers()
        for worker, (task, until) in list(self._introducing.items()):
            if task.done():
                del self._introducing[worker]
                self._introduced(worker, task)
            elif time.monotonic() > until:
                del self._introducing[worker]
                task.cancel()
                say(f"worker {worker} does not answer, and does not take part")
        for machine in self._machines.values():
            if not machine.is_settled:
                self._advance(machine)
        is_early = time.monotonic() - self._began < FIRST_WORKER_S
        may_come = is_early and len(self._workers) < self._farm.expected()
        waiting = (not it.is_settled for it in self._machines.values())
        return bool(self._introducing) or may_come or any(waiting)

    def check(self) -> None:
        """Raises UsageError where no machine has come."""
        if self._machines:
            return
        if not self._farm.expected():
            raise UsageError(
                f"none of {self._farm.where} has a worker: try `ssh HOST true`, and again"
            )
        raise UsageError(
            f"no worker that can take part has come to {self._farm.where} within "
            f"{FIRST_WORKER_S:.0f} s: start some with `dask worker ADDRESS`, where ciphermark is "
            "installed"
        )

    def end(self) -> None:
        """Stops measurements. Waits for a second at most: a worker may hang."""
        busy = [it for it in self._machines.values() if it.task is not None]
        workers = [worker for it in busy for worker in it.workers]
        name = f"fleet {self._work.fleet}"

        def call() -> None:
            with contextlib.suppress(OSError, RuntimeError, ValueError):
                for machine in busy:
                    assert machine.task is not None
                    machine.task.cancel(force=True)
                self._farm.client.run(stop, name, workers=workers, on_error="ignore")

        if busy:
            asking = threading.Thread(target=call, daemon=True)
            asking.start()
            asking.join(timeout=STOPPING_S)

    def _look_for_workers(self) -> None:
        there = self._there()
        for worker in there - self._workers:
            task = self._submit(introduce, workers=[worker])
            self._introducing[worker] = (task, time.monotonic() + FIRST_WORKER_S)
        for worker in self._workers - there:
            self._introducing.pop(worker, None)
            for machine in self._machines.values():
                if worker in machine.workers:
                    machine.workers.remove(worker)
                    machine.since = time.monotonic()
                    if not machine.is_settled:
                        others = "; another of this machine goes on" if machine.workers else ""
                        say(f"{machine.line.host}: worker {worker} is gone{others}")
        self._workers = there

    def _there(self) -> set[str]:
        until = time.monotonic() + PATIENCE_S
        while True:
            try:
                return set(self._farm.client.scheduler_info(n_workers=-1)["workers"])
            except (OSError, RuntimeError, TimeoutError) as error:  # it may be connecting again
                if time.monotonic() > until or self._farm.client.status == "closed":
                    raise WorkError(f"the scheduler is gone ({error})") from None
                time.sleep(1.0)

    def _submit(self, function: Any, *arguments: Any, **more: Any) -> Future[Any]:
        # Two clients of one scheduler share tasks that have the same key.
        key = f"ciphermark-{function.__name__}-{uuid4().hex}"
        return self._farm.client.submit(function, *arguments, key=key, pure=False, **more)

    def _introduced(self, worker: str, task: Future[Any]) -> None:
        try:
            new: Introduction = task.result(timeout=GATHER_S)
        except Exception as error:  # whatever its Python cannot do
            say(f"worker {worker} cannot take part: {_cause(error)}")
            return
        own = versions()
        if new.versions != own:
            say(
                f"{new.host}: worker {worker} has ciphermark {new.versions[0]} with Dask "
                f"{new.versions[1]}, and here are {own[0]} and {own[1]}: install the same there"
            )
            return
        if new.machine_id not in self._machines:
            self._machines[new.machine_id] = Machine(new)
        machine = self._machines[new.machine_id]
        if machine.boot != new.boot and machine.workers:
            say(
                f"{new.host}: has the machine id of {machine.line.host}, as copied systems have: "
                "remove /etc/machine-id there, run systemd-machine-id-setup, and start again"
            )
            return
        if not machine.workers:  # it is new, or is back
            machine.boot = new.boot
            machine.is_settled = self._ledger.is_done(new.machine_id)
        machine.workers.add(worker)

    def _advance(self, machine: Machine) -> None:
        busy = {it.boot for it in self._machines.values() if it.task is not None}
        if machine.task is not None and machine.task.done():
            self._collect(machine, machine.task)
        elif not machine.workers:
            if time.monotonic() - machine.since > PATIENCE_S:
                self._settle(machine, "its last worker is gone: type the same command again")
        elif machine.task is not None and not machine.asked & machine.workers:
            machine.task.cancel()  # others have come instead of those that died
            machine.task = None
        elif machine.task is None and machine.boot not in busy:
            machine.asked = {*machine.workers}
            machine.task = self._submit(
                measure_here, self._work, workers=[*machine.asked], retries=ATTEMPTS - 1
            )

    def _collect(self, machine: Machine, task: Future[Any]) -> None:
        try:
            result: Measured | str = task.result(timeout=GATHER_S)
        except Exception as error:  # Dask's own, or of the engine
            result = f"has failed: {_cause(error)}"
        machine.task = None
        task.release()
        if isinstance(result, str):
            self._settle(machine, result)
            return
        context = result.run.context
        line = machine.line = MachineLine(
            host=machine.line.host,
            machine_id=machine.line.machine_id,
            machine=context.machine_name,
            cpu_name=context.cpu_name,
            verdict=result.verdict,
            cases=len(result.run.cases),
            errors=result.errors,
        )
        machine.is_settled = True
        self._ledger.keep(line, result.run, result.rows)
        say(f"{line.host}: run {line.run}, {counted(line.cases, 'case')}")

    def _settle(self, machine: Machine, trouble: str) -> None:
        if machine.task is not None:
            machine.task.cancel()
            machine.task = None
        machine.is_settled = True
        machine.line.state, machine.line.trouble = "trouble", trouble
        say(f"{machine.line.host}: {trouble}")
        self._ledger.note(machine.line)


def _cause(error: BaseException) -> str:
    """Formats the sentence of an error of ours; of another one its kind too."""
    if type(error).__name__ == "KilledWorker":
        return "each worker that measured has died"
    own = isinstance(error, (UsageError, WorkError))
    return str(error) if own else f"{type(error).__name__}: {error}"
