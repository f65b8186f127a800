"""Which variants of a target there are: each compiler with each set of flags, and the default; and
which files a kernel is made of, so that only those are compiled again and again.

The kernels of a variant are compiled beside what all variants of a target share.
"""

from __future__ import annotations

import hashlib
import shlex
import shutil
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from ciphermark.contract.others import Variant
from ciphermark.errors import UsageError
from ciphermark.plan.flag_sets import FlagSet
from ciphermark.plan.tuning import HOST
from ciphermark.run.targets import object_files, process
from ciphermark.run.targets.object_files import Group, groups
from ciphermark.run.targets.simulator import Simulator
from ciphermark.run.targets.target import Target
from ciphermark.run.targets.toolchain import Toolchain, cached_toolchain, language
from ciphermark.run.tuning.compilers import Compiler

_one_at_a_time = threading.Lock()
"""Threads of a worker write the same files of the cache."""

AROUND = ("call.c", "lanes_call.c", "pieces.c")
"""Checked calls, which firmwares make: not part of a kernel."""

Name = tuple[str, str]
"""Algorithm and backend."""


class Kernel(msgspec.Struct, kw_only=True, frozen=True):
    """What is compiled for an algorithm by a backend."""

    algorithm: str
    backend: str
    symbols: tuple[str, ...]
    """Of its groups."""
    sources: tuple[str, ...]
    """Files within the folder of the kernels, those that others need too among them."""

    @property
    def name(self) -> Name:
        return self.algorithm, self.backend


def base_toolchain(target: Target, images: Path, jobs: int) -> Toolchain:
    """What all variants of a target share, compiled as far as it is not in the cache. Raises
    `WorkError`."""
    with _one_at_a_time:
        toolchain = cached_toolchain(target, images, jobs)
        firmwares = ("rows.c", "vectors.c", "measure.c")
        toolchain.compile(toolchain.kernels / "firmware" / name for name in firmwares)
        toolchain.archive(toolchain.kernels / it for it in AROUND)
        Simulator(target, toolchain.kernels, toolchain.folder)
    return toolchain


def kernels_of(
    toolchain: Toolchain, homes: Mapping[Name, set[str]], wanted: Iterable[Name]
) -> dict[Name, Kernel]:
    """The kernels of these names, without those that the target does not have.

    All kernels of the target are compiled for that, as far as that was not done before.
    """
    by_name = {group.name: group for group in groups(toolchain)}
    objects = object_files.look_at(toolchain)
    kernels: dict[Name, Kernel] = {}
    for name in dict.fromkeys(wanted):
        own = [by_name[it] for it in sorted(homes.get(name, ())) if it in by_name]
        if own:
            kernels[name] = _kernel(name, own, objects, toolchain.kernels)
    return kernels


def _kernel(
    name: Name, own: Sequence[Group], objects: Sequence[object_files.Object], root: Path
) -> Kernel:
    by_source = {it.source: it for it in objects}
    needed = {
        it.source for group in own for it in object_files.linked(objects, by_source[group.source])
    }
    algorithm, backend = name
    return Kernel(
        algorithm=algorithm,
        backend=backend,
        symbols=tuple(group.symbol for group in own),
        sources=tuple(sorted(str(it.relative_to(root)) for it in needed)),
    )


def for_host(target: Target) -> Target:
    """The target that images of a host are made for: processes that say how deep calls go."""
    assert target.name == HOST
    return msgspec.structs.replace(
        target, hal="painted", flags=["-DHAL_HAS_MARKS"], link_flags=["-pthread"]
    )


DEFAULT = "default"

FASTER_FOLDERS = {"portable": "-O3", "x86": "-O3", "arm": "-O3", "powerpc": "-O3"}
"""How `kernels/build.rs` compiles these folders into the engine; the others as a target's
`optimise`."""


class Way(msgspec.Struct, kw_only=True, frozen=True):
    """A variant, and how its compiler is called."""

    variant: Variant
    command: tuple[str, ...]
    """Compiler, target and flags."""
    links_at_once: bool = False
    """All files of a kernel are compiled as one."""


def ways(
    target: Target, own: Compiler, compilers: Iterable[Compiler], sets: Iterable[FlagSet]
) -> list[Way]:
    """The default of a target first, then each compiler with each set, in their order.

    Raises `UsageError` for a set of the user's that is for the machine which compiles.
    """
    is_host = target.name == HOST
    found = [_default(target, own)]
    for compiler in compilers:
        for chosen in sets:
            is_default = compiler.line == own.line and chosen.flags == (target.optimise,)
            if is_host or not (chosen.hosts_only or is_default):
                found.append(_way(target, compiler, chosen))
    return found


def check(target: Target, sets: Iterable[FlagSet]) -> None:
    """Refuses flags that mean the machine which compiles, where another is compiled for."""
    for it in sets:
        if it.hosts_only and it.reason == "given by the user" and target.name != HOST:
            raise UsageError(
                f"--flags '{it.text}' means the processor that compiles, which is not "
                f"{target.title}: name a processor, or tune the target {HOST} alone"
            )


def optimise(target: Target, folder: str) -> str:
    """With which level a folder of kernels is compiled by default."""
    return FASTER_FOLDERS.get(folder, target.optimise) if target.name == HOST else target.optimise


def _default(target: Target, own: Compiler) -> Way:
    levels = target.optimise
    if target.name == HOST:
        levels += f" ({', '.join(FASTER_FOLDERS)}: -O3)"
    variant = _variant(target, own, DEFAULT, levels, "what kernels are compiled with otherwise")
    return Way(
        variant=msgspec.structs.replace(variant, is_default=True),
        command=(own.command, *own.flags, *target.flags),
    )


def _way(target: Target, compiler: Compiler, chosen: FlagSet) -> Way:
    name = f"{compiler.name}-{chosen.name}"
    variant = _variant(target, compiler, name, chosen.text, chosen.reason)
    return Way(
        variant=msgspec.structs.replace(variant, shippable=chosen.shippable),
        command=(compiler.command, *compiler.flags, *target.flags, *chosen.flags),
        links_at_once=any(it.startswith("-flto") for it in chosen.flags),
    )


def _variant(target: Target, compiler: Compiler, name: str, flags: str, reason: str) -> Variant:
    return Variant(
        target=target.name,
        name=name,
        compiler=compiler.command,
        compiler_name=compiler.name,
        compiler_line=compiler.line,
        target_flags=shlex.join([*compiler.flags, *target.flags]),
        flags=flags,
        reason=reason,
    )


_QUIET = ("-w", "-Werror=implicit-function-declaration")
"""Warnings are for who writes kernels: other levels warn of what is right."""

_HEEDED = ("-Werror=ignored-optimization-argument",)
"""clang passes over flags that only gcc has: then nothing was tried."""

_AS_ONE = ("-r", "-nostdlib")
"""The files of a kernel become one object, of instructions: what gcc from 9 on has to be told."""
_OF_INSTRUCTIONS = "-flinker-output=nolto-rel"
_TOLD_FROM = 9


class VariantToolchain(Toolchain):
    """Compiles the kernels as a variant does; what stands around them, and links, is as always."""

    def __init__(
        self,
        base: Toolchain,
        way: Way,
        sources: Sequence[str],
        folder: Path,
        flags: Sequence[str] = (),
    ) -> None:
        """`base` has what all variants share, already compiled; `sources` are the kernels' files,
        within the folder of the kernels, and `flags` are given for all of them. Several kernels of
        a variant may be compiled in one folder, one after the other."""
        super().__init__(base.target, base.kernels, folder, jobs=1)
        self._way = way
        self._flags = flags
        self._sources = [base.kernels / it for it in sources]
        # Copied: the cache makes room for others while this works.
        for runner in base.folder.glob("runner-*"):
            shutil.copy(runner, folder)
        for shared in filter(Path.is_dir, map(base.folder.joinpath, self._shared)):
            (folder / shared.name).mkdir(exist_ok=True)
            for compiled in shared.glob("[!.]*.o"):
                shutil.copy(compiled, folder / shared.name)

    @property
    def _shared(self) -> list[str]:
        """Folders of what stands around the kernels."""
        return ["firmware", str(self.target.hal), "bare", self.kernels.name]

    def sources(self) -> list[Path]:
        """Those of the kernels that are looked at, and what they need."""
        return self._sources

    def command_for(self, source: Path) -> list[str]:
        """The variant's for kernels."""
        if source.parent.name in self._shared:
            return super().command_for(source)
        heeded = _HEEDED if "clang" in self._way.variant.compiler_name else ()
        command = [*self._way.command, *self._flags, *_QUIET, *heeded]
        command += language(self.target, self.kernels)
        if self._way.variant.is_default:
            command.insert(1, optimise(self.target, source.parent.name))
        return command

    def archive(self, sources: Iterable[Path]) -> None:
        """With the checked calls that firmwares make."""
        super().archive([*sources, *(self.kernels / it for it in AROUND)])

    def collect(self, objects: Iterable[Path]) -> None:
        """Where all are compiled as one, the kernels' are one object."""
        if not self._way.links_at_once:
            super().collect(objects)
            return
        own = {self.built(source) for source in self._sources}
        super().collect([self._as_one(), *(it for it in objects if it not in own)])

    def pieces(self) -> list[tuple[Path, Path]]:
        """Where all are compiled as one, each source with all."""
        if not self._way.links_at_once:
            return super().pieces()
        whole = self._as_one()
        return [(source, whole) for source in self._sources]

    def _as_one(self) -> Path:
        named = hashlib.sha256(" ".join(map(str, self._sources)).encode()).hexdigest()[:16]
        whole = self.folder / f"whole-{named}.o"
        if not whole.exists():
            objects = self.compile(self._sources)
            family, _, version = self._way.variant.compiler_name.partition("-")
            is_told = family == "gcc" and int(version.partition("-")[0]) >= _TOLD_FROM
            told = [_OF_INSTRUCTIONS] if is_told else []
            process.check(*self._way.command, *_AS_ONE, *told, "-o", whole, *objects)
        return whole
