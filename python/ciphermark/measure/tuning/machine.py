"""All variants of hosts, measured by the engine of one machine in one interleaved run."""

from __future__ import annotations

import platform
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from ciphermark import contract
from ciphermark.errors import WorkError
from ciphermark.measure.engine import Engine
from ciphermark.measure.interrupts import Interrupts
from ciphermark.measure.tuning.variant_builds import HostBuild
from ciphermark.plan.builds import KERNEL
from ciphermark.plan.sampling import PAIRED_PROCESSES, sampling
from ciphermark.record.recorder import Recorder
from ciphermark.record.run import Run

PLAN_NAME = "tune"


class MachineTask(msgspec.Struct, kw_only=True):
    """What a machine needs to know; it can be sent to another one."""

    version: str
    architecture: str
    """What the shared objects are for, as `uname -m` names it."""
    libraries: dict[str, bytes]
    """Shared objects by provider."""
    cases: list[contract.Case]
    algorithms: list[contract.Algorithm]
    precision: float
    budget_s: float
    seed: int
    cpu: int | None = None
    command: str


class MachineOutcome(msgspec.Struct, kw_only=True):
    """What came of a machine."""

    machine: str
    run: Run | None = None
    reason: str = ""
    """Why there is no run."""
    notes: list[str] = []
    """What must be known of it, one sentence each."""


def provider(variant: str) -> str:
    """What the engine calls a variant."""
    return f"{KERNEL}@{variant}"


def cases(builds: Sequence[HostBuild]) -> list[contract.Case]:
    """What the engine measures: every case that was compiled."""
    found: list[contract.Case] = []
    for build in builds:
        for it in build.found:
            if it.error is None and build.library is not None:
                found.append(
                    contract.Case(
                        case=len(found),
                        algorithm=it.case.algorithm,
                        operation=it.case.operation,
                        provider=provider(build.label.partition("@")[2]),
                        backend=it.case.backend,
                        message_bytes=it.case.message_bytes,
                    )
                )
    return found


def libraries(builds: Sequence[HostBuild]) -> dict[str, bytes]:
    """The shared objects by provider."""
    there = ((build.label.partition("@")[2], build.library) for build in builds)
    return {provider(name): library for name, library in there if library is not None}


def measure(
    engine: Engine,
    task: MachineTask,
    interrupts: Interrupts,
    watch: Callable[[contract.Plan, contract.Event], None],
) -> MachineOutcome:
    """The run on this machine, also of what was measured until the user stopped or the engine
    died."""
    with tempfile.TemporaryDirectory(prefix="ciphermark-") as folder:
        plan = _plan(task, _written(task.libraries, Path(folder)))
        recorder = Recorder(task.command, PLAN_NAME, plan, task.algorithms, [])
        problem = ""
        try:
            for event in engine.measure(plan, interrupts):
                recorder.feed(event)
                watch(plan, event)
        except WorkError as error:
            problem = str(error)
        try:
            run = recorder.finish(interrupts.requested)
        except WorkError as error:
            return MachineOutcome(machine=platform.node(), reason=problem or str(error))
        return MachineOutcome(machine=run.context.machine_name, run=run, reason=problem)


def _written(libraries: Mapping[str, bytes], folder: Path) -> dict[str, str]:
    paths = {name: folder / f"{name.partition('@')[2]}.so" for name in libraries}
    for name, path in paths.items():
        path.write_bytes(libraries[name])
    return {name: str(path) for name, path in paths.items()}


def _plan(task: MachineTask, paths: dict[str, str]) -> contract.Plan:
    """Every variant in the same rounds, enough of them that ratios can be told."""
    return contract.Plan(
        schema=contract.SCHEMA,
        workload="single",
        seed=task.seed,
        precision=task.precision,
        budget_s=task.budget_s,
        cpu=task.cpu,
        libraries=paths,
        sampling=sampling(PAIRED_PROCESSES),
        cases=task.cases,
    )
