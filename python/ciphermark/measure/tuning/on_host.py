"""All kernels in one variant as a shared object for this kind of machine, with size and stack."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from subprocess import SubprocessError

import msgspec

from ciphermark.contract import Algorithm, Failure
from ciphermark.contract.simulation import SimulatedCase, Simulation
from ciphermark.errors import WorkError
from ciphermark.measure.targets import calls, code_size, intervals, process, rows
from ciphermark.measure.targets.simulator import Simulator
from ciphermark.measure.targets.target import Target
from ciphermark.measure.targets.toolchain import Toolchain
from ciphermark.measure.tuning import kernels, refusals
from ciphermark.measure.tuning.kernels import Kernel, Name
from ciphermark.measure.tuning.toolchain import VariantToolchain
from ciphermark.measure.tuning.variants import Way

_SHARED = ("-fPIC",)
_LIBRARY = "firmware/library.c"


class HostTask(msgspec.Struct, kw_only=True):
    """What a worker needs to know; it can be sent to another process."""

    version: str
    target: Target
    way: Way
    kernels: list[Kernel]
    cases: list[SimulatedCase]
    """With the label of the variant as their target."""
    facts: dict[str, Algorithm]


class HostBuild(msgspec.Struct, kw_only=True):
    """A variant, compiled for hosts."""

    label: str
    library: bytes | None = None
    """The shared object, of those kernels that compile."""
    found: list[Simulation] = []
    """Of each case the size of the code and the depth of the stack, or why there is no variant."""


def build_for_host(task: HostTask) -> HostBuild:
    """Compiles a variant. Raises nothing that its input or a compiler may be guilty of."""
    built = HostBuild(label=task.way.variant.label)
    try:
        refusals.check_version(task.version)
        with tempfile.TemporaryDirectory(prefix="ciphermark-") as folder:
            _build(task, Path(folder), built)
    except (WorkError, OSError, SubprocessError) as error:
        failure = refusals.failure(error)
        built.library, built.found = None, [_failed(case, failure) for case in task.cases]
    return built


def _build(task: HostTask, folder: Path, built: HostBuild) -> None:
    base = kernels.base(task.target, _new(folder / "shared"), jobs=1)
    compiled = _new(folder / "own")
    failures: dict[Name, Failure] = {}
    sizes: dict[Name, int] = {}
    stacks: dict[SimulatedCase, int | None] = {}
    for kernel in task.kernels:
        own = [case for case in task.cases if (case.algorithm, case.backend) == kernel.name]
        toolchain = VariantToolchain(base, task.way, kernel.sources, compiled, _SHARED)
        try:
            toolchain.build()
            sizes[kernel.name] = _code_bytes(toolchain, kernel)
            stacks |= _stacks(toolchain, kernel, own, task.facts[kernel.algorithm])
        except (WorkError, SubprocessError) as error:
            failures[kernel.name] = refusals.failure(error)
    there = {kernel.name for kernel in task.kernels}
    for case in task.cases:
        name = (case.algorithm, case.backend)
        if name not in there:
            lacking = f"no kernel of this machine has {case.algorithm} {case.backend}"
            built.found.append(_failed(case, Failure(kind="unsupported", message=lacking)))
        elif name in failures:
            built.found.append(_failed(case, failures[name]))
        else:
            built.found.append(
                Simulation(case=case, code_bytes=sizes[name], stack_bytes=stacks.get(case))
            )
    if sizes:
        able = [kernel for kernel in task.kernels if kernel.name in sizes]
        built.library = _library(base, task.way, able, compiled)


def _library(base: Toolchain, way: Way, able: Sequence[Kernel], folder: Path) -> bytes:
    """Of all kernels that compile."""
    sources = dict.fromkeys(source for kernel in able for source in kernel.sources)
    toolchain = VariantToolchain(base, way, sorted(sources), folder, _SHARED)
    toolchain.archive(toolchain.sources())
    # Beside the firmware of images, whose objects are shared and are not for shared objects.
    library = toolchain.kernels / _LIBRARY
    toolchain.compile([library], *_SHARED)
    symbols = dict.fromkeys(symbol for kernel in able for symbol in kernel.symbols)
    return toolchain.shared_object(*symbols).read_bytes()


def _code_bytes(toolchain: VariantToolchain, kernel: Kernel) -> int:
    objects = code_size.look_at(toolchain)
    by_source = {it.source: it for it in objects}
    definitions = {
        symbol: source
        for source in toolchain.sources()
        for symbol, _ in code_size.definitions(source)
    }
    needed = {
        it.source: it
        for symbol in kernel.symbols
        for it in code_size.linked(objects, by_source[definitions[symbol]])
    }
    return sum(it.code_bytes for it in needed.values())


def _stacks(
    toolchain: VariantToolchain, kernel: Kernel, cases: Iterable[SimulatedCase], facts: Algorithm
) -> dict[SimulatedCase, int | None]:
    """How deep each call goes; none of a kernel that this processor cannot run."""
    simulator = Simulator(toolchain.target, toolchain.kernels, toolchain.folder)
    listed = toolchain.link("rows", "own", kernel.symbols)
    own = [it for it in rows.decode(simulator.run(listed).lines) if it.runs_here]
    made = [call for case in cases if (call := calls.call_of(case, own, facts)) is not None]
    image = toolchain.link("measure", "own", kernel.symbols, calls.data(made))
    ended = process.run(image)
    if ended.status < 0:
        raise WorkError(f"the kernel crashed when it was called (signal {-ended.status})")
    told = intervals.read(ended.messages.splitlines(), intervals.Functions({})).intervals
    if len(told) != 2 * len(made):
        raise WorkError(f"{len(told) // 2} of {len(made)} calls came back")
    # Of each call there is one of a kernel that does nothing before it.
    return {
        call.case: after.beyond(before).stack_bytes
        for call, before, after in zip(made, told[::2], told[1::2], strict=True)
    }


def _failed(case: SimulatedCase, failure: Failure) -> Simulation:
    return Simulation(case=case, error=failure)


def _new(folder: Path) -> Path:
    folder.mkdir()
    return folder
