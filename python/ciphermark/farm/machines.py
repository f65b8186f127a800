"""The machines of a cluster: which workers are on which; who comes, goes, or may not take part."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from typing import Generic, TypeVar

from ciphermark.errors import UsageError
from ciphermark.farm.cluster import Farm
from ciphermark.farm.crew import Crew, Ended, Happening, Joined, Left, cause
from ciphermark.farm.worker import Introduction, introduce, versions

MOST_ATTEMPTS = 3
"""At one thing on one machine. What has ended three workers would end more of them."""
BUDGETS = 1.5
"""A machine gets its plan's budget so many times, since verification comes before it, and the
patience of who waits on top."""
INTRODUCING_S = 60.0
"""A worker imports the package and reads two files."""
FIRST_WORKER_S = 60.0
"""How long a cluster without workers is waited for; one that starts them takes half of that."""

Say = Callable[[str], None]


class Machine:
    """Workers that run on the same machine, and what it is doing."""

    def __init__(self, introduction: Introduction) -> None:
        self.key = introduction.machine_id
        self.host = introduction.host
        """As users know it."""
        self.boot = introduction.boot
        self.workers: list[str] = []
        """Those that can be given work, the best first."""
        self.task: str | None = None
        """The key of what it is doing, if anything."""
        self.since = 0.0
        """On the monotonic clock, when that began or when the last worker left."""
        self.is_settled = False
        """Whether nothing more is to be measured on it."""
        self._attempts: dict[str, int] = {}

    def begin(self, task: str) -> None:
        """Is doing a task from now on."""
        self.task, self.since = task, time.monotonic()

    def stop_doing(self) -> None:
        self.task, self.since = None, time.monotonic()

    def may_try_again(self, what: str) -> bool:
        """Counts a failed attempt at something; whether there may be another."""
        self._attempts[what] = self._attempts.get(what, 0) + 1
        return self._attempts[what] < MOST_ATTEMPTS

    def add_worker(self, worker: str) -> None:
        if worker not in self.workers:
            self.workers.append(worker)

    def remove_worker(self, worker: str) -> None:
        if worker in self.workers:
            self.workers.remove(worker)
            if self.task is None:
                self.since = time.monotonic()

    def prefer_others(self, worker: str) -> None:
        """Takes another worker the next time, where there is one."""
        if worker in self.workers:
            self.workers.remove(worker)
            self.workers.append(worker)


M = TypeVar("M", bound=Machine)


class Roster(Generic[M]):
    """The machines of a cluster by the workers that have come."""

    def __init__(
        self, farm: Farm, crew: Crew, patience_s: float, say: Say, kind: Callable[[Introduction], M]
    ) -> None:
        """`say` is told, in one sentence, of workers that go or may not take part. `patience_s` is
        the crew's; `kind` makes a machine of the first worker that introduces itself there."""
        self.threads: dict[str, int] = {}
        """Of workers."""
        self._farm = farm
        self._crew = crew
        self._patience_s = patience_s
        self._say = say
        self._kind = kind
        self._machines: dict[str, M] = {}
        self._of_worker: dict[str, M] = {}
        self._introducing: dict[str, str] = {}
        """Workers that are asked who they are, by the key of that."""
        self._began = time.monotonic()

    @property
    def machines(self) -> list[M]:
        return [*self._machines.values()]

    @property
    def workers(self) -> Collection[str]:
        return self._of_worker.keys()

    @property
    def is_gathering(self) -> bool:
        """Whether machines may come that are not to be gone on without."""
        is_early = time.monotonic() - self._began < FIRST_WORKER_S
        may_come = not self._machines and is_early and self._farm.expected() > 0
        return bool(self._introducing) or may_come

    def check(self) -> None:
        """Raises UsageError where no machine has come."""
        if self._machines:
            return
        where = self._farm.where
        if not self._farm.expected() > 0:
            raise UsageError(f"none of {where} has a worker: try `ssh HOST true`, and again")
        raise UsageError(
            f"no worker that can take part has come to {where} within {FIRST_WORKER_S:.0f} s: "
            "start some with `dask worker ADDRESS`, where ciphermark is installed"
        )

    def take(self, happening: Happening) -> Ended | None:
        """Takes in who has come or gone; returns what else has ended."""
        match happening:
            case Joined():
                self._join(happening)
            case Left():
                self._leave(happening)
            case Ended():
                worker = self._introducing.pop(happening.key, None)
                if worker is None:
                    return happening
                self._introduced(worker, happening)
        return None

    def _join(self, joined: Joined) -> None:
        worker = joined.worker
        self.threads[worker] = joined.threads
        if machine := self._of_worker.get(worker):
            machine.add_worker(worker)  # it was silent
        else:
            key = self._crew.start(worker, introduce, seconds=INTRODUCING_S)
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
            self._say(f"{machine.host}: worker {left.worker} {how}{others}")

    def _introduced(self, worker: str, ended: Ended) -> None:
        if ended.how == "done":
            self._enter(worker, ended.value)
        elif ended.how == "failed":
            self._say(f"worker {worker} cannot take part: {cause(ended.value)}")

    def _enter(self, worker: str, told: Introduction) -> None:
        """Takes a worker up, with its machine where that is new."""
        own = versions()
        if told.versions != own:
            self._say(
                f"{told.host}: worker {worker} has ciphermark {told.versions[0]} with Dask "
                f"{told.versions[1]}, and here are {own[0]} and {own[1]}: install the same there"
            )
            return
        known = self._kind(told)
        machine = self._machines.setdefault(known.key, known)
        if machine.boot != told.boot:
            if machine.workers:
                self._say(
                    f"{told.host}: has the machine id of {machine.host}, as copied systems have: "
                    "remove /etc/machine-id there, run systemd-machine-id-setup, and start again"
                )
                return
            machine.boot = told.boot  # it was started again
        machine.add_worker(worker)
        self._of_worker[worker] = machine
