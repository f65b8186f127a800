"""Runs images: in a simulator, or here where the target is this machine."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple, Protocol

from ciphermark.errors import WorkError
from ciphermark.files import rebuildable
from ciphermark.run.targets import intervals, object_files, process
from ciphermark.run.targets.intervals import Block, Interval
from ciphermark.run.targets.target import Target

_MOST_CYCLES = 20_000_000_000
"""Some minutes of simavr."""

_MOST_STATUS = 100
"""Greater ones, and signals, are not a firmware's own."""

_WARNINGS = ("-std=c99", "-O2", "-Wall", "-Wextra", "-Werror")
_WRAPPED = [
    f"-Wl,--wrap=mem_{way}_{size}" for way in ("get", "put") for size in ("qi", "hi", "psi", "si")
]
"""Accesses to memory in the library of the m32c simulator, which its runner counts."""


class Ended(NamedTuple):
    """What came of an image."""

    status: int
    lines: list[str]
    """What it wrote."""
    cycles: int | None
    """Of the simulated processor, where the simulator counts them."""
    stack_bytes: int | None


class Measured(NamedTuple):
    """What came of an image with marks."""

    lines: list[str]
    """What it wrote."""
    intervals: list[Interval]
    """Between the marks, in their order; none where the target is this machine."""
    blocks: dict[int, Block]
    """Of the intervals' edges."""


class Runner(Protocol):
    """What runs images: a `Simulator`, or a board."""

    def run(self, image: Path) -> Ended: ...

    def measure(self, image: Path, *, edges: bool = False) -> Measured: ...

    def version(self) -> str: ...


class Simulator:
    """How images of one target are run."""

    def __init__(self, target: Target, kernels: Path, folder: Path) -> None:
        """Builds what has to be built, in `folder`."""
        self.target = target
        self._runners = kernels / "runners"
        self._folder = folder
        self._command: list[str | Path] = []
        self._arguments: list[str] = []
        if target.simulator == "simavr":
            assert target.cpu is not None
            self._command = [self._built("simavr", "-lsimavr", "-lelf")]
            self._arguments = [target.cpu, str(_MOST_CYCLES)]
        elif target.simulator == "m32c":
            self._command = [self._built("m32c", *_m32c_flags(target.tools_folder / "simulator"))]
            self._arguments = [str(_MOST_CYCLES)]
        elif target.simulator is not None:
            self._command = [target.simulator, *(["-cpu", target.cpu] if target.cpu else [])]

    def run(self, image: Path) -> Ended:
        """Runs an image to its end; one that crashes is an error."""
        ended = self._run(self._command, image)
        measured = re.search(r"^cycles (\d+|-) stack (\d+)$", ended.messages, re.M)
        cycles, stack = map(_number, measured.groups()) if measured else (None, None)
        return Ended(ended.status, ended.output.splitlines(), cycles, stack)

    def measure(self, image: Path, *, edges: bool = False) -> Measured:
        """Runs an image with marks, and counts what lies between them.

        With `edges` also which blocks of instructions followed which, where a simulator tells.
        """
        simulator = self.target.simulator or ""
        if simulator == "":
            return Measured(self.run(image).lines, [], {})
        found = object_files.addresses(self.target, image)
        if not simulator.startswith("qemu-"):
            ended = self._run(self._command, image)
            told, wrote = ended.messages.splitlines(), ended.output
        else:
            report = image.with_suffix(".counts")
            plugin = self._plugin(found, report, edges)
            wrote = self._run([*self._command, "-plugin", plugin], image).output
            told = report.read_text("ascii").splitlines()
        read = intervals.read(told, intervals.Functions(found))
        return Measured(wrote.splitlines(), read.intervals, read.blocks)

    def version(self) -> str:
        """What the simulator says that it is."""
        if not (self.target.simulator or "").startswith("qemu-"):
            return self.target.simulator or ""
        return process.check(self._command[0], "-version").splitlines()[0]

    def _run(self, command: list[str | Path], image: Path) -> process.Ended:
        ended = process.run(*command, image, *self._arguments)
        if not 0 <= ended.status <= _MOST_STATUS:
            raise WorkError(
                f"{image.stem} on {self.target.name} ended with {ended.status}: "
                f"{ended.messages.strip()}"
            )
        return ended

    def _plugin(self, addresses: dict[str, int], report: Path, edges: bool) -> str:
        """The plugin of QEMU that counts, with its options."""
        places = {
            "begin": "mark_begin",
            "end": "mark_end",
            "stack": "hal_stack",
            "stack_end": "hal_stack_end",
        }
        options = [f"{option}={addresses[name]:x}" for option, name in places.items()]
        plugin = self._built("qemu", "-shared", "-fPIC", "-D_POSIX_C_SOURCE=200809L")
        options += [f"edges={'on' if edges else 'off'}", *self._caches(), f"out={report}"]
        return ",".join([str(plugin), *options])

    def _caches(self) -> list[str]:
        """Sizes, ways and bytes of a line, of a processor whose caches are described."""
        processor = self.target.processor
        if processor is None or processor.caches is None:
            return []
        ways, line = processor.caches.ways, processor.caches.line_bytes
        sizes = {"icache": processor.icache_kb, "dcache": processor.dcache_kb}
        return [f"{name}={round(1024 * size)}:{ways}:{line}" for name, size in sizes.items()]

    def _built(self, runner: str, *flags: str) -> Path:
        """A runner of `kernels/runners`, compiled for this machine."""
        source = self._runners / f"{runner}.c"
        return rebuildable.made(
            self._folder / f"runner-{runner}",
            lambda partial: process.check("cc", *_WARNINGS, "-o", partial, source, *flags),
        )


def _m32c_flags(library: Path) -> list[str]:
    """What its runner is compiled with, where the simulator's library is built."""
    libraries = ("-lsim", "-lbfd", "-liberty", "-lz")
    return ["-isystem", str(library), *_WRAPPED, f"-L{library}", *libraries]


def _number(text: str) -> int | None:
    return None if text == "-" else int(text)
