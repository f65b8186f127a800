"""One machine of a fleet as the client sees it: who it is, what it has to do, what it is doing."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ciphermark.fleet.ledger import Done, MachineFacts

if TYPE_CHECKING:
    from ciphermark.farm.asked import Introduction
    from ciphermark.farm.messages import Job, Prepared

MOST_ATTEMPTS = 3
"""At one thing on one machine. What has ended three workers would end more of them."""
BUDGETS = 1.5
"""A machine gets its plan's budget so many times, since verification comes before it, and the
patience of who waits on top."""


class Machine:
    """Workers that run on the same machine, and its jobs."""

    def __init__(self, told: Introduction) -> None:
        self.key = told.machine_id or told.boot
        self.host = told.host
        self.boot = told.boot
        self.workers: list[str] = []
        """Those that can be given work, the best first."""
        self.facts: MachineFacts | None = None
        """None until it is prepared."""
        self.jobs: list[Job] = []
        self.done: dict[str, Done] = {}
        """By the name of the job."""
        self.task: str | None = None
        """The key of what it is doing, if anything."""
        self.doing: Job | None = None
        """The job that it is doing; None while it is being prepared."""
        self.since = 0.0
        """On the monotonic clock, when that began or when the last worker left."""
        self.is_settled = False
        """Whether nothing more is to be measured on it."""
        self.has_changed = False
        """Whether it has become another while it was measured, which was said then."""
        self._attempts: dict[str, int] = {}

    @property
    def name(self) -> str:
        """As users know it."""
        return self.host

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

    def know(self, prepared: Prepared) -> None:
        """Takes in who it is and what it has to do."""
        it = prepared.looked.machine
        self.facts = MachineFacts(
            machine_id=it.machine_id,
            host=self.host,
            machine_name=it.machine_name,
            machine_kind=it.machine_kind,
            cpu_name=it.cpu_name,
            verdict=prepared.looked.verdict,
            jobs=[job.name for job in prepared.jobs],
            cases=sum(job.cases for job in prepared.jobs),
        )
        self.jobs, self.done = prepared.jobs, {}

    def begin(self, task: str, job: Job | None) -> None:
        """Is doing a task from now on."""
        self.task, self.doing, self.since = task, job, time.monotonic()

    def stop_doing(self) -> None:
        self.task, self.doing, self.since = None, None, time.monotonic()

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
