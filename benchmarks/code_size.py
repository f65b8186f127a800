"""Bytes of code and tables of each kernel on small processors, and whether it fits their memory."""

from __future__ import annotations

import argparse
import platform
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import msgspec

from ciphermark.contract import Question
from ciphermark.run.engine import Engine
from ciphermark.run.targets import object_files, process
from ciphermark.run.targets.object_files import Group, Object
from ciphermark.run.targets.target import TARGETS
from ciphermark.run.targets.toolchain import Toolchain
from ciphermark.run.targets.verification import Bench

ROOT = Path(__file__).resolve().parent.parent
KERNELS = ROOT / "kernels"

BUILDS = [
    ("atmega128", "-Os"),
    ("atmega128", "-O2"),
    ("arm", "-Os"),
    ("arm", "-O2"),
    ("host", "-O2"),
]
"""Targets and optimisations, a column each."""

SMALL = "atmega128"
SRAM_BYTES = 4096
IN_SRAM = ["rc4", "rc5", "idea", "md5", "sha1"]
"""The algorithms of the study of sensor nodes (Ganesan et al., 2003)."""


class Build:
    """The kernels, compiled for one target in one way."""

    def __init__(self, toolchain: Toolchain) -> None:
        self.toolchain = toolchain
        self.target = toolchain.target
        self.heading = f"{self.target.name} {self.target.optimise}"
        self.objects = {it.source: it for it in object_files.look_at(toolchain)}

    def linked(self, source: Path) -> list[Object]:
        """The objects of a file and of all that it needs, and of the checked calls."""
        calls = self.objects[KERNELS / "call.c"]
        return [calls, *object_files.linked(self.objects.values(), self.objects[source])]


class InMemory(NamedTuple):
    """What a kernel takes of the memory of the small target."""

    name: str
    code_bytes: int
    context_bytes: int
    variable_bytes: int
    stack_bytes: int

    @property
    def memory_bytes(self) -> int:
        return self.context_bytes + self.variable_bytes + self.stack_bytes


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    with TemporaryDirectory(prefix="ciphermark-code-size-") as folder:
        print(f"Code size of kernels; the host is {platform.machine()}")
        builds = [Build(it) for it in toolchains(Path(folder))]
        if not builds:
            return
        # Of each target the first build is run.
        first: dict[str, Build] = {}
        for build in builds:
            first.setdefault(build.target.name, build)
        benches = {name: Bench(build.toolchain) for name, build in first.items()}
        print_compilers(first.values())
        print_sizes(builds, benches)
        if SMALL in first:
            print_memory(first[SMALL], benches[SMALL])


def toolchains(folder: Path) -> list[Toolchain]:
    """Those of the builds whose tools are there; says which others are not."""
    usable = []
    for name, optimise in BUILDS:
        target = TARGETS.named(name)
        # Not as for shared objects, where tables lie among the variables.
        flags = [*target.flags, "-fno-pie"] if target.hal == "linux" else target.flags
        built = msgspec.structs.replace(target, optimise=optimise, flags=flags)
        toolchain = Toolchain(built, KERNELS, folder / f"{name}{optimise}")
        if missing := toolchain.missing():
            print(missing)
        else:
            usable.append(toolchain)
    return usable


def print_compilers(builds: Iterable[Build]) -> None:
    """What the figures depend on; the machine that compiles does not matter."""
    for build in builds:
        version = process.check(build.toolchain.compiler, "--version").splitlines()[0]
        print(f"{build.target.name:12}{version}")


def print_sizes(builds: list[Build], benches: dict[str, Bench]) -> None:
    """A line for each file: its bytes in each build, and those of the largest context."""
    print("\nbytes of code and tables of each file of kernels, and of the largest context that its")
    print("rows have; files of modes have rows only, and take their code from modes/\n")
    contexts = [contexts_of(bench) for bench in benches.values()]
    print_line("file", [it.heading for it in builds], [f"on {name}" for name in benches])
    sources = {source: None for build in reversed(builds) for source in build.objects}
    for source in sorted(sources):
        if source.parent != KERNELS:
            print_line(
                str(source.relative_to(KERNELS).with_suffix("")),
                [cell(build.objects.get(source)) for build in builds],
                [str(known.get(source, "")) for known in contexts],
            )


def cell(compiled: Object | None) -> str:
    """Empty where the target has no such kernels."""
    return "" if compiled is None else str(compiled.code_bytes)


def contexts_of(bench: Bench) -> dict[Path, int]:
    """Bytes of the largest context of each file's rows."""
    largest: dict[Path, int] = {}
    for group in bench.groups:
        contexts = [row.context_bytes for row in bench.rows([group])]
        largest[group.source] = max(*contexts, largest.get(group.source, 0))
    return largest


def print_line(name: str, sizes: Iterable[str], contexts: Iterable[str]) -> None:
    cells = [f"{size:>14}" for size in sizes] + [f"{context:>13}" for context in contexts]
    print(f"{name:36}{''.join(cells)}", flush=True)


def print_memory(build: Build, bench: Bench) -> None:
    """What the kernels of the study take of 4 KiB: state and stack, and with the code."""
    print(f"\nmemory on {build.heading}: code, with what the kernel needs of other files and the")
    print("checked calls; context; variables and constants in memory; the deepest stack of all")
    print(f"vectors that fit. All that does not lie in flash has to fit {SRAM_BYTES} bytes.\n")
    cells = ["code", "context", "variables", "stack", "in memory", "with the code"]
    print(f"{'kernel':12}{''.join(f'{cell:>15}' for cell in cells)}")
    asked = Engine().questions()
    for group in bench.groups:
        if group.name.removesuffix("_reference") in IN_SRAM:
            print_memory_line(in_memory(build, bench, group, asked))


def in_memory(build: Build, bench: Bench, group: Group, asked: list[Question]) -> InMemory:
    linked = build.linked(group.source)
    return InMemory(
        group.name.removesuffix("_reference"),
        sum(it.code_bytes for it in linked),
        max(row.context_bytes for row in bench.rows([group])),
        sum(it.memory_bytes for it in linked),
        bench.verify([group], asked).stack_bytes,
    )


def print_memory_line(kernel: InMemory) -> None:
    numbers = [kernel.code_bytes, kernel.context_bytes, kernel.variable_bytes, kernel.stack_bytes]
    fits = [fitting(kernel.memory_bytes), fitting(kernel.memory_bytes + kernel.code_bytes)]
    cells = [f"{number:>15}" for number in numbers] + [f"{text:>15}" for text in fits]
    print(f"{kernel.name:12}{''.join(cells)}", flush=True)


def fitting(size: int) -> str:
    return f"{size} {'fits' if size <= SRAM_BYTES else 'too large'}"


if __name__ == "__main__":
    main()
