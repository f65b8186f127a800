"""Who compiles which variant: workers that have the very compiler, else this machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from ciphermark.command.output import say
from ciphermark.farm.cluster import Reach, reached
from ciphermark.measure.interrupts import Interrupts
from ciphermark.measure.tuning.spread import spread
from ciphermark.measure.tuning.variant_builds import HostTask, TargetTask

if TYPE_CHECKING:
    from distributed import Client

    from ciphermark.measure.tuning.compilers import Pair

Task = TypeVar("Task", HostTask, TargetTask)
Result = TypeVar("Result")


class Spreading:
    """Spreads tasks over a cluster."""

    def __init__(
        self, client: Client, able: Mapping[str, list[Pair]] | None, interrupts: Interrupts
    ) -> None:
        """`able`: what each worker can compile; None where all are processes of this machine."""
        self._client = client
        self._able = able
        self._interrupts = interrupts

    def done(
        self,
        work: Callable[[Task], Result],
        tasks: Sequence[Task],
        failed: Callable[[Task, BaseException], Result],
        done: Callable[[Task, Result], None],
    ) -> list[Result | None]:
        """As `spread` says."""
        if self._able is None or not tasks:
            return spread(self._client, work, tasks, failed, done, self._is_stopped)
        workers = [self._able_to(task) for task in tasks]
        there = [place for place, able in enumerate(workers) if able]
        here = [place for place, able in enumerate(workers) if not able]
        results: list[Result | None] = [None] * len(tasks)
        only, chosen = [workers[it] for it in there], [tasks[it] for it in there]
        found = spread(self._client, work, chosen, failed, done, self._is_stopped, only)
        if here and not self._is_stopped():
            with reached(Reach(local=len(os.sched_getaffinity(0))), say) as farm:
                own = [tasks[it] for it in here]
                found += spread(farm.client, work, own, failed, done, self._is_stopped)
        for place, result in zip([*there, *here], found, strict=False):
            results[place] = result
        return results

    def _is_stopped(self) -> bool:
        return self._interrupts.requested

    def _able_to(self, task: Task) -> list[str]:
        assert self._able is not None
        pair = (task.target.name, task.way.variant.compiler)
        return [worker for worker, pairs in self._able.items() if pair in map(tuple, pairs)]
