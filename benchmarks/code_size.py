"""Bytes of code and tables of each kernel on small processors, and whether it fits their memory."""

from __future__ import annotations

import argparse
import platform
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import msgspec

from ciphermark.measure.targets import code_size, process, questions
from ciphermark.measure.targets.code_size import Object
from ciphermark.measure.targets.groups import Group, groups
from ciphermark.measure.targets.target import FOLDER, Target, read
from ciphermark.measure.targets.toolchain import Toolchain
from ciphermark.measure.targets.verification import Bench

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
        self.heading = f"{toolchain.target.name} {toolchain.target.optimise}"
        paths = toolchain.compile(toolchain.sources())
        self._objects = code_size.look_at(toolchain.target, paths)

    def own(self, group: Group) -> Object | None:
        """The object of a group's file; None where the target has no such kernels."""
        path = self.toolchain.built(group.source)
        return next((it for it in self._objects if it.path == path), None)

    def linked(self, group: Group) -> list[Object]:
        """All objects of kernels that a group's file needs, and the calls of it."""
        own = self.own(group)
        assert own is not None
        calls = next(it for it in self._objects if it.path.name == "call.o")
        return [calls, *code_size.linked(self._objects, own)]


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
        first = {it.toolchain.target.name: it for it in reversed(builds)}
        benches = {name: Bench(build.toolchain) for name, build in first.items()}
        print_compilers(builds)
        print_sizes(builds, benches)
        if SMALL in first:
            print_memory(first[SMALL], benches[SMALL])


def toolchains(folder: Path) -> list[Toolchain]:
    """Those of the builds whose tools are there; says which others are not."""
    usable = []
    for name, optimise in BUILDS:
        target = read(FOLDER / f"{name}.toml")
        # Not as for shared objects, where tables lie among the variables.
        flags = [*target.flags, "-fno-pie"] if target.hal == "linux" else target.flags
        built = msgspec.structs.replace(target, optimise=optimise, flags=flags)
        toolchain = Toolchain(built, KERNELS, folder / f"{name}{optimise}")
        if missing := toolchain.missing():
            print(missing)
        else:
            usable.append(toolchain)
    return usable


def print_compilers(builds: list[Build]) -> None:
    """What the figures depend on; the machine that compiles does not matter."""
    for name, compiler in {it.toolchain.target.name: it.toolchain.compiler for it in builds}.items():
        print(f"{name:10}{process.check(compiler, '--version').splitlines()[0]}")


def print_sizes(builds: list[Build], benches: dict[str, Bench]) -> None:
    """A line for each group: bytes of its own file, in each build, and of its context."""
    print("\nbytes of code and tables of each kernel's own file; of its context on each target\n")
    print_line("kernel", [it.heading for it in builds], [f"on {name}" for name in benches])
    listed = {group: None for it in builds for group in groups(KERNELS, it.toolchain.target)}
    for group in listed:
        sizes = [it.own(group) for it in builds]
        contexts = [context_bytes(bench, group) for bench in benches.values()]
        print_line(
            group.name.removesuffix("_rows"),
            ["" if it is None else str(it.code_bytes) for it in sizes],
            ["" if it is None else str(it) for it in contexts],
        )


def context_bytes(bench: Bench, group: Group) -> int | None:
    """Of the row with the largest; None where the target has no such kernels."""
    if group not in groups(KERNELS, bench.target):
        return None
    return max(row.context_bytes for row in bench.rows(group))


def print_line(name: str, sizes: Iterable[str], contexts: Iterable[str]) -> None:
    cells = [f"{size:>14}" for size in sizes] + [f"{context:>13}" for context in contexts]
    print(f"{name:28}{''.join(cells)}", flush=True)


def print_memory(build: Build, bench: Bench) -> None:
    """What the kernels of the study take of 4 KiB: state and stack, and with the code."""
    target = build.toolchain.target
    print(f"\nmemory on {build.heading}: code with all that the kernel needs of others (modes,")
    print("padding, checked calls); context; variables and constants in memory; deepest stack of")
    print(f"all vectors that fit. What does not lie in flash has to fit {SRAM_BYTES} bytes.\n")
    cells = ["code", "context", "variables", "stack", "in memory", "with the code"]
    print(f"{'kernel':12}{''.join(f'{cell:>15}' for cell in cells)}")
    asked = questions.of_source_tree(ROOT)
    for group in groups(KERNELS, target):
        name = group.name.removesuffix("_reference_rows")
        if name in IN_SRAM:
            verdict = bench.verify(group, asked)
            linked = build.linked(group)
            kernel = InMemory(
                name,
                sum(it.code_bytes for it in linked),
                max(row.context_bytes for row in verdict.rows),
                sum(it.memory_bytes for it in linked),
                verdict.stack_bytes or 0,
            )
            print_memory_line(kernel)


def print_memory_line(kernel: InMemory) -> None:
    numbers = [kernel.code_bytes, kernel.context_bytes, kernel.variable_bytes, kernel.stack_bytes]
    fits = [fitting(kernel.memory_bytes), fitting(kernel.memory_bytes + kernel.code_bytes)]
    cells = [f"{number:>15}" for number in numbers] + [f"{text:>15}" for text in fits]
    print(f"{kernel.name:12}{''.join(cells)}", flush=True)


def fitting(size: int) -> str:
    return f"{size} {'fits' if size <= SRAM_BYTES else 'too large'}"


if __name__ == "__main__":
    main()
