"""The work of `ciphermark tune`, on a cluster and on this machine, with its progress."""

from __future__ import annotations

import platform
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import ciphermark
from ciphermark import contract
from ciphermark.command.measuring import command_line
from ciphermark.command.output import say
from ciphermark.contract import Failure
from ciphermark.contract.simulation import Simulation
from ciphermark.errors import Stopped, WorkError
from ciphermark.farm.asked import looked_at
from ciphermark.farm.cluster import Farm, reached
from ciphermark.measure.interrupts import Interrupts
from ciphermark.measure.targets import process
from ciphermark.measure.tuning import machine, preparation, variant_builds
from ciphermark.measure.tuning.compilers import Need
from ciphermark.record.run import Run
from ciphermark.show.terminal import message_console
from ciphermark.workloads.tuning.progress import TuningProgress
from ciphermark.workloads.tuning.spread import Spreading
from ciphermark.workloads.tuning.there import MachinesThere

if TYPE_CHECKING:
    from ciphermark.measure.tuning.preparation import Place
    from ciphermark.measure.tuning.variant_builds import HostBuild, HostTask
    from ciphermark.workloads.tuning.tuning import Wanted


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
            with ExitStack() as stack:
                farm = stack.enter_context(reached(self._wanted.reach, say))
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
        spreading = Spreading(farm.client, there and there.able(self._needs()), self._interrupts)
        builds = spreading.done(
            variant_builds.build_for_host,
            tasks.of_hosts,
            _lost_build,
            lambda task, built: progress.feed(task.way.variant.label),
        )
        simulated = spreading.done(
            variant_builds.tune_on_target,
            tasks.of_targets,
            lambda task, error: variant_builds.refused(task.cases, error),
            lambda task, found: progress.feed(task.way.variant.label),
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
        cases = machine.cases(builds)
        if not cases:
            return
        wanted = self._wanted
        task = machine.MachineTask(
            version=ciphermark.__version__,
            architecture=platform.machine(),
            libraries=machine.libraries(builds),
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

    def _measure_here(self, task: machine.MachineTask) -> machine.MachineOutcome:
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
            return machine.measure(self._wanted.engine, task, self._interrupts, watch)
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
