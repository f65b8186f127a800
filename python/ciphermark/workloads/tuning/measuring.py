"""The work of `ciphermark tune`, on a cluster and on this machine, with its progress.

A variant is compiled by workers that have its very compiler, else by this machine; each once, and
results are taken as they arrive.
"""

from __future__ import annotations

import os
import platform
import queue
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rich.console import Console
from rich.progress import TaskID

import ciphermark
from ciphermark import contract
from ciphermark.command.measuring import command_line
from ciphermark.command.output import say
from ciphermark.contract import Failure
from ciphermark.contract.others import Simulation
from ciphermark.errors import Stopped, WorkError
from ciphermark.farm.cluster import Farm, Reach, reached
from ciphermark.farm.worker import looked_at
from ciphermark.record.run import Run
from ciphermark.run.interrupts import Interrupts
from ciphermark.run.targets import process
from ciphermark.run.tuning import preparation, variant_builds
from ciphermark.run.tuning.compilers import Need
from ciphermark.run.tuning.variant_builds import HostTask, TargetTask
from ciphermark.show.progress import Bars
from ciphermark.show.terminal import message_console
from ciphermark.workloads.tuning import machines
from ciphermark.workloads.tuning.machines import MachinesThere

if TYPE_CHECKING:
    from distributed import Client

    from ciphermark.run.tuning.compilers import Pair
    from ciphermark.run.tuning.preparation import Place
    from ciphermark.run.tuning.variant_builds import HostBuild
    from ciphermark.workloads.tuning.tuning import Wanted


Task = TypeVar("Task", bound=HostTask | TargetTask)
Result = TypeVar("Result")

_LOOK_SECONDS = 0.5
"""How soon it is seen that the user has asked to stop."""


class Spreading:
    """Spreads tasks over a cluster, each to be done once."""

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
        done: Callable[[Task], None],
    ) -> list[Result | None]:
        """What came of each task, in their order; None of those that were not done when the user
        stopped. Dask does the tasks of a worker that dies again on another, of those that are able;
        `failed` says what comes of one that kills every worker, or has none left, and `done` is
        told of each."""
        if self._able is None or not tasks:
            return self._spread(self._client, work, tasks, failed, done)
        workers = [self._able_to(task) for task in tasks]
        places = range(len(tasks))
        there = [place for place in places if workers[place]]
        here = [place for place in places if not workers[place]]
        only, chosen = [workers[place] for place in there], [tasks[place] for place in there]
        found = self._spread(self._client, work, chosen, failed, done, only)
        if here and not self._interrupts.requested:
            with reached(Reach(local=len(os.sched_getaffinity(0))), say) as farm:
                own = [tasks[place] for place in here]
                found += self._spread(farm.client, work, own, failed, done)
        results: list[Result | None] = [None] * len(tasks)
        for place, result in zip([*there, *here], found, strict=False):
            results[place] = result
        return results

    def _spread(
        self,
        client: Client,
        work: Callable[[Task], Result],
        tasks: Sequence[Task],
        failed: Callable[[Task, BaseException], Result],
        done: Callable[[Task], None],
        workers: Sequence[Collection[str]] | None = None,
    ) -> list[Result | None]:
        """The same on the workers of one cluster, where `workers` are given on those of a task."""
        ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
        results: list[Result | None] = [None] * len(tasks)
        waiting: dict[Any, tuple[int, Any]] = {}
        for place, task in enumerate(tasks):
            only = [*workers[place]] if workers else None
            future: Any = client.submit(work, task, pure=False, workers=only)
            waiting[future.key] = place, future
            future.add_done_callback(lambda future: ended.put(future.key))
        while waiting and not self._interrupts.requested:
            try:
                place, future = waiting.pop(ended.get(timeout=_LOOK_SECONDS))
            except queue.Empty:
                for future in _left_alone(client, waiting.values(), workers):
                    future.cancel(force=True, reason="no worker that can do it is left")
                continue
            try:
                results[place] = future.result()
            except (Exception, CancelledError) as error:  # of Dask: the task has killed its workers
                results[place] = failed(tasks[place], error)
            done(tasks[place])
        if waiting:
            client.cancel([future for _, future in waiting.values()], force=True)
            client.run(process.end_running)
        return results

    def _able_to(self, task: Task) -> list[str]:
        pair = (task.target.name, task.way.variant.compiler)
        return [worker for worker, pairs in (self._able or {}).items() if pair in map(tuple, pairs)]


def _left_alone(
    client: Client,
    waiting: Iterable[tuple[int, Any]],
    workers: Sequence[Collection[str]] | None,
) -> list[Any]:
    """What waits for workers that are all gone: Dask would wait for them for good."""
    if workers is None:
        return []
    there = client.scheduler_info(n_workers=-1)["workers"].keys()
    return [future for place, future in waiting if there.isdisjoint(workers[place])]


class TuningProgress(Bars):
    """A bar on a terminal, else one line at the end."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._done, self._total = 0, 0
        self._task: TaskID = self._bars.add_task("Compiling", total=None, state="")

    def compiling(self, what: str) -> None:
        """The default flags for a target, by which files are found that kernels are made of."""
        self._bars.update(self._task, state=f"for {what}")

    def begin(self, total: int) -> None:
        """So many kernels in variants."""
        self._total = total
        self._bars.update(self._task, description="Building", total=total, completed=0, state="0")

    def feed(self, label: str) -> None:
        """One more is done."""
        self._done += 1
        state = f"{self._done}/{self._total}   {label}"
        self._bars.update(self._task, advance=1, state=state)

    def end(self) -> None:
        """All are done, or the user has stopped: what comes next has a progress of its own."""
        if self._is_drawn:
            self._bars.update(self._task, state=f"{self._done}/{self._total}")
            self._stop()
        else:
            self._console.print(f"Built     {self._done}/{self._total}")


class Work:
    """What has to be done, and what came of it."""

    def __init__(
        self, wanted: Wanted, places: list[Place], images: Path, interrupts: Interrupts
    ) -> None:
        self._wanted = wanted
        self._places = [it for it in places if not it.told.reason]
        self._images = images
        self._interrupts = interrupts
        self.simulations: list[Simulation] = []
        self.measured: list[Run] = []

    def do(self) -> None:
        """All of it, or what is done when the user stops. Raises `Stopped` before anything is."""
        if not self._places:
            raise WorkError("no target's tools are here: see what has to be installed above")
        with TuningProgress(message_console()) as progress:
            tasks = self._prepared(progress)
            progress.begin(len(tasks.of_targets) + len(tasks.of_hosts))
            with reached(self._wanted.reach, say) as farm:
                there = self._there(farm)
                builds = self._compiled(tasks, farm, there, progress)
                progress.end()
                if builds and not self._interrupts.requested:
                    self._measure(builds, there)

    def _prepared(self, progress: TuningProgress) -> preparation.Tasks:
        """The tasks; here compilers and simulators are programs of this process."""
        wanted = self._wanted
        facts = {it.name: it for it in wanted.description.algorithms}
        asked = sorted({case.algorithm for place in self._places for case in place.cases})
        questions = wanted.engine.questions(asked)
        with self._stopping():
            return preparation.tasks(
                self._places, facts, questions, self._images, progress.compiling
            )

    def _there(self, farm: Farm) -> MachinesThere | None:
        """The machines of a cluster; None where this machine does all."""
        if self._wanted.reach.local is not None:
            return None
        return MachinesThere(farm, say, lambda: self._interrupts.requested)

    def _compiled(
        self,
        tasks: preparation.Tasks,
        farm: Farm,
        there: MachinesThere | None,
        progress: TuningProgress,
    ) -> list[HostBuild]:
        """What came of variants, in the order of the plan."""
        able = None if there is None else there.able(self._needs())
        spreading = Spreading(farm.client, able, self._interrupts)

        def feed(task: HostTask | TargetTask) -> None:
            progress.feed(task.way.variant.label)

        builds = spreading.done(variant_builds.build_for_host, tasks.of_hosts, _lost_build, feed)
        simulated = spreading.done(
            variant_builds.tune_on_target,
            tasks.of_targets,
            lambda task, error: variant_builds.refused(task.cases, error),
            feed,
        )
        for found in simulated:
            self.simulations += found or []
        for _, case, lacking in tasks.unsupported:
            failure = Failure(kind="unsupported", message=lacking)
            self.simulations.append(Simulation(case=case, error=failure))
        kept = [it for it in builds if it is not None]
        for built in kept:
            self.simulations += built.found
        return kept

    def _needs(self) -> list[Need]:
        return [
            Need(
                place.target,
                place.told.compiler,
                {way.variant.compiler: way.variant.compiler_line for way in place.ways},
            )
            for place in self._places
        ]

    def _measure(self, builds: list[HostBuild], there: MachinesThere | None) -> None:
        """On this machine, or on every machine of the cluster at once."""
        cases = machines.cases(builds)
        if not cases:
            return
        wanted = self._wanted
        task = machines.MachineTask(
            version=ciphermark.__version__,
            architecture=platform.machine(),
            libraries=machines.libraries(builds),
            cases=cases,
            algorithms=wanted.planned.algorithms,
            precision=wanted.precision,
            budget_s=wanted.budget_s,
            seed=secrets.randbits(53),
            cpu=wanted.cpu,
            command=command_line(),
        )
        if there is None:
            outcomes = [self._measure_here(task)]
        else:
            outcomes = there.measure(task, wanted.even_unfit)
        for outcome in outcomes:
            if outcome.reason:
                say(outcome.reason)
            if outcome.run is not None:
                self.measured.append(outcome.run)

    def _measure_here(self, task: machines.MachineTask) -> machines.MachineOutcome:
        from ciphermark.show.progress import MeasuringProgress

        progress: MeasuringProgress | None = None

        def watch(plan: contract.Plan, event: contract.Event) -> None:
            nonlocal progress
            match event:
                case contract.Hello():
                    if why := looked_at(event.environment).why_unfit:
                        say(f"this machine {why}: see ciphermark doctor")
                    progress = MeasuringProgress(message_console(), plan)
                    progress.__enter__()
                case contract.Progress() | contract.CaseError() | contract.Bye():
                    if progress is not None:
                        progress.feed(event)
                case contract.Warning():
                    say(event.message)

        try:
            return machines.measure(self._wanted.engine, task, self._interrupts, watch)
        finally:
            if progress is not None:
                progress.__exit__(None, None, None)

    @contextmanager
    def _stopping(self) -> Iterator[None]:
        with self._interrupts.answered_by(process.stop_all):
            try:
                yield
            except WorkError:
                if self._interrupts.requested:
                    said = "stopped before anything was compiled; nothing was stored"
                    raise Stopped(said) from None
                raise


def _lost_build(task: HostTask, error: BaseException) -> HostBuild:
    failure = variant_builds.failure_of(error)
    found = [Simulation(case=case, error=failure) for case in task.cases]
    return variant_builds.HostBuild(label=task.way.variant.label, found=found)
