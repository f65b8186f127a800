"""One kernel in one variant on one simulated target: compiled, verified there, counted."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from subprocess import SubprocessError

import msgspec

from ciphermark.contract.simulation import SimulatedCase, Simulation
from ciphermark.errors import WorkError
from ciphermark.measure.targets.simulation import Asked, TargetSimulation, at_host
from ciphermark.measure.targets.target import Target
from ciphermark.measure.tuning import kernels, refusals
from ciphermark.measure.tuning.kernels import Kernel
from ciphermark.measure.tuning.toolchain import VariantToolchain
from ciphermark.measure.tuning.variants import Way


class TargetTask(msgspec.Struct, kw_only=True):
    """What a worker needs to know; it can be sent to another process."""

    version: str
    """Of ciphermark: other sources of kernels would be compiled otherwise."""
    target: Target
    way: Way
    kernel: Kernel
    cases: list[SimulatedCase]
    """With the label of the variant as their target."""
    asked: Asked


def part_of(asked: Asked, kernel: Kernel, cases: Iterable[SimulatedCase]) -> Asked:
    """What one kernel is asked, so that no more is sent."""
    wanted = {at_host(case) for case in cases}
    return Asked(
        {kernel.algorithm: asked.facts[kernel.algorithm]},
        [it for it in asked.questions if it.algorithm == kernel.algorithm],
        {kernel.name: asked.homes[kernel.name]},
        {case: told for case, told in asked.right.items() if case in wanted},
    )


def tune_on_target(task: TargetTask) -> list[Simulation]:
    """What came of each case; why where there is no figure. Raises nothing that its input, a
    compiler or a simulator may be guilty of."""
    try:
        refusals.check_version(task.version)
        with tempfile.TemporaryDirectory(prefix="ciphermark-") as folder:
            return list(_simulated(task, Path(folder)))
    except (WorkError, OSError, SubprocessError) as error:
        return refused(task.cases, error)


def refused(cases: Sequence[SimulatedCase], error: BaseException) -> list[Simulation]:
    """The same reason for all of these cases."""
    failure = refusals.failure(error)
    return [Simulation(case=case, error=failure) for case in cases]


def _simulated(task: TargetTask, folder: Path) -> Iterable[Simulation]:
    shared, own = folder / "shared", folder / "own"
    shared.mkdir()
    own.mkdir()
    base = kernels.base(task.target, shared, jobs=1)
    toolchain = VariantToolchain(base, task.way, task.kernel.sources, own)
    simulation = TargetSimulation(toolchain, task.asked)
    found = {it.case: it for it in simulation.run(task.cases, lambda more: None)}
    for case in task.cases:
        it = found[case]
        # How often each kind of instruction was executed is for models of processors.
        yield msgspec.structs.replace(it, operations=None)
