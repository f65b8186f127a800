"""Which files a kernel is made of, so that only those are compiled again and again."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from ciphermark.contract.simulation import SimulatedCase
from ciphermark.measure.targets import object_files
from ciphermark.measure.targets.object_files import Group, groups
from ciphermark.measure.targets.simulator import Simulator
from ciphermark.measure.targets.target import Target
from ciphermark.measure.targets.toolchain import Toolchain, cached_toolchain
from ciphermark.plan.tuning import HOST

_one_at_a_time = threading.Lock()
"""Threads of a worker write the same files of the cache."""

AROUND = ("call.c", "lanes_call.c", "pieces.c")
"""Checked calls, which firmwares make: not part of a kernel."""

Name = tuple[str, str]
"""Algorithm and backend."""

_FOLDERS = {"reference": ("reference",), "portable": ("reference", "portable")}
_FOLDERS["table"] = _FOLDERS["portable"]
"""Folders that kernels of a backend are made of; of other backends all."""


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


def narrowed(target: Target, cases: Iterable[SimulatedCase]) -> Target:
    """The target with only those folders of kernels that these cases may need."""
    wanted: set[str] = set()
    for backend in {case.backend for case in cases}:
        wanted |= set(_FOLDERS.get(backend, target.kernels))
    return msgspec.structs.replace(
        target, kernels=tuple(it for it in target.kernels if it in wanted)
    )


def base(target: Target, images: Path, jobs: int) -> Toolchain:
    """What all variants of a target share, compiled as far as it is not in the cache. Raises
    `WorkError`."""
    with _one_at_a_time:
        toolchain = cached_toolchain(target, images, jobs)
        firmwares = ("rows.c", "vectors.c", "measure.c")
        toolchain.compile(toolchain.kernels / "firmware" / name for name in firmwares)
        toolchain.archive(toolchain.kernels / it for it in AROUND)
        Simulator(target, toolchain.kernels, toolchain.folder)
    return toolchain


def found(
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
