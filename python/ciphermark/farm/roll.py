"""Which workers of a cluster are on which machine; who comes, goes, or may not take part."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection

from ciphermark.errors import UsageError, WorkError
from ciphermark.farm import asked as farm_machine
from ciphermark.farm.asked import Introduction
from ciphermark.farm.cluster import Farm
from ciphermark.farm.crew import Crew, Ended, Happening, Joined, Left
from ciphermark.farm.machine import Machine

Say = Callable[[str], None]

INTRODUCING_S = 60.0
"""A worker imports the package and reads two files."""
FIRST_WORKER_S = 60.0
"""How long a cluster without workers is waited for; one that starts them takes half of that."""


class Roll:
    """The machines of a cluster by the workers that have come."""

    def __init__(self, farm: Farm, crew: Crew, patience_s: float, say: Say) -> None:
        """`say` is told, in one sentence, of workers that go or may not take part. `patience_s` is
        the crew's."""
        self.threads: dict[str, int] = {}
        """Of workers."""
        self._farm = farm
        self._crew = crew
        self._patience_s = patience_s
        self._say = say
        self._machines: dict[str, Machine] = {}
        self._of_worker: dict[str, Machine] = {}
        self._introducing: dict[str, str] = {}
        """Workers that are asked who they are, by the key of that."""
        self._began = time.monotonic()

    @property
    def machines(self) -> list[Machine]:
        return [*self._machines.values()]

    @property
    def workers(self) -> Collection[str]:
        return self._of_worker.keys()

    @property
    def is_gathering(self) -> bool:
        """Whether machines may come that are not to be gone on without."""
        is_early = time.monotonic() - self._began < FIRST_WORKER_S
        may_come = not self._machines and is_early and self._farm.may_grow()
        return bool(self._introducing) or may_come

    def check(self) -> None:
        """Raises UsageError where no machine has come."""
        if self._machines:
            return
        where = self._farm.where
        if not self._farm.may_grow():
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
            key = self._crew.start(worker, farm_machine.introduce, seconds=INTRODUCING_S)
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

    def _introduced(self, worker: str, ended: Ended) -> None:
        if ended.how == "done":
            self._enter(worker, ended.value)
        elif ended.how == "failed":
            self._say(f"worker {worker} cannot take part: {cause(ended.value)}")

    def _enter(self, worker: str, told: Introduction) -> None:
        """Takes a worker up, with its machine where that is new."""
        own = farm_machine.versions()
        if told.versions != own:
            self._say(
                f"{told.host}: worker {worker} has ciphermark {told.versions[0]} with Dask "
                f"{told.versions[1]}, and here are {own[0]} and {own[1]}: install the same there"
            )
            return
        known = Machine(told)
        machine = self._machines.setdefault(known.key, known)
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


def cause(error: object) -> str:
    """The sentence of an error of ours; of any other its kind too."""
    own = isinstance(error, (UsageError, WorkError))
    return str(error) if own else f"{type(error).__name__}: {error}"
