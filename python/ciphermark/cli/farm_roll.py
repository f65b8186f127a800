"""Which workers of a cluster are on which machine, and who may not take part."""

from __future__ import annotations

from collections.abc import Callable, Collection

from ciphermark.cli.farm_machine import Introduction, versions
from ciphermark.cli.fleet_machine import Machine

Say = Callable[[str], None]


class Roll:
    """The machines of a cluster by the workers that have come."""

    def __init__(self, say: Say) -> None:
        """`say` is told, in one sentence, of workers that may not take part."""
        self.machines: dict[str, Machine] = {}
        """By their keys."""
        self._of_worker: dict[str, Machine] = {}
        self._say = say

    @property
    def workers(self) -> Collection[str]:
        return self._of_worker.keys()

    def machine_of(self, worker: str) -> Machine | None:
        """None where it has not been entered."""
        return self._of_worker.get(worker)

    def enter(self, worker: str, told: Introduction) -> None:
        """Takes a worker up, with its machine where that is new."""
        own = versions()
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

    def remove(self, worker: str, silent: bool) -> Machine | None:
        """Gives a worker no more work, and returns its machine; one that is only silent may come
        back."""
        machine = self._of_worker.get(worker)
        if machine is not None:
            machine.remove_worker(worker)
            if not silent:
                del self._of_worker[worker]
        return machine
