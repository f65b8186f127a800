"""One variant on a worker: what becomes of it, or why it has no figure.

For hosts that is a shared object of all kernels, with their sizes and stacks; on a simulated target
one kernel, verified there and counted.
"""

from __future__ import annotations

import platform
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from subprocess import SubprocessError

import msgspec

import ciphermark
from ciphermark.contract import Algorithm, Failure, FailureKind
from ciphermark.contract.others import SimulatedCase, Simulation
from ciphermark.errors import WorkError
from ciphermark.run.targets import firmware, intervals, object_files, process
from ciphermark.run.targets.simulation import Asked, TargetSimulation, at_host
from ciphermark.run.targets.simulator import Simulator
from ciphermark.run.targets.target import Target
from ciphermark.run.targets.toolchain import Toolchain
from ciphermark.run.tuning import variants
from ciphermark.run.tuning.variants import Kernel, Name, VariantToolchain, Way

_UNLINKED = "undefined reference"
_TELLING = ("error:", _UNLINKED, "internal compiler error", "Error:")
_MOST = 300
"""Characters of a compiler's message."""


def check_version(version: str) -> None:
    """Raises `WorkError` where this process is of another ciphermark than who sends the work."""
    if version != ciphermark.__version__:
        raise WorkError(
            f"{platform.node()} has ciphermark {ciphermark.__version__} and not {version}: install "
            "the same version there"
        )


def failure_of(error: BaseException) -> Failure:
    """The failure of a variant that could not be compiled, linked or run."""
    kind: FailureKind = "timeout" if "did not end in" in str(error) else "failed"
    return Failure(kind=kind, message=_sentence(str(error)) or type(error).__name__)


def _sentence(text: str) -> str:
    """What a program has said that failed: of a compiler the first line that says why."""
    _, failed, messages = text.partition(" failed (")
    lines = [line.strip() for line in (messages.partition("): ")[2] or text).splitlines()]
    telling = next((line for line in lines if any(it in line for it in _TELLING)), None)
    said = telling or next(filter(None, lines), "")
    if failed and telling:
        _, unlinked, symbol = telling.partition(_UNLINKED)
        said = f"does not compile: {_without_place(telling)}"
        if unlinked:
            said = f"does not link: {unlinked}{symbol}"
    return said if len(said) <= _MOST else f"{said[:_MOST]} …"


def _without_place(line: str) -> str:
    """Without folders of the machine that compiled."""
    words = line.split(" ")
    return " ".join(it.rpartition("/")[2] if it.startswith("/") else it for it in words)


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
        check_version(task.version)
        with tempfile.TemporaryDirectory(prefix="ciphermark-") as folder:
            _build(task, Path(folder), built)
    except (WorkError, OSError, SubprocessError) as error:
        failure = failure_of(error)
        built.library, built.found = None, [_failed(case, failure) for case in task.cases]
    return built


def _build(task: HostTask, folder: Path, built: HostBuild) -> None:
    base = variants.base_toolchain(task.target, _new(folder / "shared"), jobs=1)
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
            failures[kernel.name] = failure_of(error)
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
    objects = object_files.look_at(toolchain)
    by_source = {it.source: it for it in objects}
    definitions = {
        symbol: source
        for source in toolchain.sources()
        for symbol, _ in object_files.definitions(source)
    }
    needed = {
        it.source: it
        for symbol in kernel.symbols
        for it in object_files.linked(objects, by_source[definitions[symbol]])
    }
    return sum(it.code_bytes for it in needed.values())


def _stacks(
    toolchain: VariantToolchain, kernel: Kernel, cases: Iterable[SimulatedCase], facts: Algorithm
) -> dict[SimulatedCase, int | None]:
    """How deep each call goes; none of a kernel that this processor cannot run."""
    simulator = Simulator(toolchain.target, toolchain.kernels, toolchain.folder)
    listed = toolchain.link("rows", "own", kernel.symbols)
    own = [it for it in firmware.decode(simulator.run(listed).lines) if it.runs_here]
    made = [call for case in cases if (call := firmware.call_of(case, own, facts)) is not None]
    image = toolchain.link("measure", "own", kernel.symbols, firmware.data(made))
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
        check_version(task.version)
        with tempfile.TemporaryDirectory(prefix="ciphermark-") as folder:
            return list(_simulated(task, Path(folder)))
    except (WorkError, OSError, SubprocessError) as error:
        return refused(task.cases, error)


def refused(cases: Sequence[SimulatedCase], error: BaseException) -> list[Simulation]:
    """The same reason for all of these cases."""
    failure = failure_of(error)
    return [Simulation(case=case, error=failure) for case in cases]


def with_reason(it: Simulation) -> Simulation:
    """A simulation whose failure is a sentence, without the command of the linker."""
    if it.error is None:
        return it
    error = msgspec.structs.replace(it.error, message=_sentence(it.error.message))
    return msgspec.structs.replace(it, error=error)


def _simulated(task: TargetTask, folder: Path) -> Iterable[Simulation]:
    shared, own = folder / "shared", folder / "own"
    shared.mkdir()
    own.mkdir()
    base = variants.base_toolchain(task.target, shared, jobs=1)
    toolchain = VariantToolchain(base, task.way, task.kernel.sources, own)
    simulation = TargetSimulation(toolchain, task.asked)
    found = {it.case: it for it in simulation.run(task.cases, lambda more: None)}
    for case in task.cases:
        it = with_reason(found[case])
        # How often each kind of instruction was executed is for models of processors.
        yield msgspec.structs.replace(it, operations=None)
