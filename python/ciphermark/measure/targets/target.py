"""The targets: one file each in the folder `targets` of this package."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec
import platformdirs

import ciphermark
from ciphermark.measure.targets import description
from ciphermark.measure.targets.processor import Processor

FOLDER = Path(ciphermark.__file__).parent / "targets"

Bytes = Annotated[int, msgspec.Meta(gt=0, le=1 << 40)]


class Target(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A processor, and the tools that compile and run programs for it; or a processor alone, of
    which there is only a description."""

    name: str = ""
    """That of its file."""
    title: str
    word_bits: Literal[8, 16, 32, 64] | None = None
    """Unknown, as the order of bytes, where the target is whatever machine this is."""
    byte_order: Literal["little", "big"] | None = None

    processor: Processor | None = None
    """What models know of it; None of a target that only proves kernels."""

    variant_of: str | None = None
    """The target with the same processor and other flags, which models take for both."""

    hal: Literal["linux", "painted", "avr", "bare", "m16c"] | None = None
    """The folder of `kernels/hal`; None where nothing can be compiled, so that nothing below is
    given."""
    kernels: tuple[Literal["reference", "portable", "lanes", "x86", "arm"], ...] = (
        *("reference", "portable"),
        *("lanes", "x86", "arm"),
    )
    """Folders of kernels that are compiled for it."""
    prefix: str = ""
    """Of the names of compiler and archiver; with their folder where they are built here."""
    compiler: str = "gcc"
    flags: list[str] = []
    link_flags: list[str] = []
    optimise: str = "-O2"
    otherwise: list[str] = []
    """Flags in addition for a file that the compiler fails on: the first of these that it takes."""

    simulator: str | None = None
    """A program that runs images; `simavr` is the one of `kernels/runners`."""
    cpu: str | None = None
    """What the simulator is to simulate, in its own words."""

    memory_bytes: Bytes = 4 << 20
    """Of a process: for a question, its answer and the kernel's context. Of a controller: all."""
    stack_bytes: Bytes | None = None
    """Of a microcontroller: how much of its memory is kept for the stack."""
    data_bytes: Bytes | None = None
    """Of a microcontroller: how many bytes of questions an image can carry."""
    packages: list[str] = []
    """Debian's packages of the tools."""
    built_by: str = ""
    """Of tools that no package has: what to type for them. They are in `tools_folder`."""

    @property
    def tools_folder(self) -> Path:
        """Where the tools are that are built on this machine."""
        return platformdirs.user_cache_path("ciphermark") / self.name


def read(path: Path) -> Target:
    """The target that a file describes; one that cannot be is refused with a `UsageError`."""
    given = description.parsed(path)
    description.check(path, given, Target)
    target = msgspec.convert(given | {"name": path.stem}, Target)
    if target.built_by:
        target.prefix = str(target.tools_folder / "bin" / target.prefix)
    return target


def targets() -> list[Target]:
    """All targets by name."""
    return [read(path) for path in sorted(FOLDER.glob("*.toml"), key=lambda it: it.stem)]


def simulated() -> list[Target]:
    """The targets that describe a processor and can be run; the others only prove kernels."""
    return [it for it in targets() if it.processor is not None and it.simulator is not None]
