"""The targets: one file each in the folder `targets` of this package."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Literal

import msgspec

import ciphermark

FOLDER = Path(ciphermark.__file__).parent / "targets"


class Target(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A processor, and the tools that compile and run programs for it."""

    name: str = ""
    """That of its file."""
    title: str
    word_bits: Literal[8, 16, 32, 64] | None = None
    """Unknown, as the order of bytes, where the target is whatever machine this is."""
    byte_order: Literal["little", "big"] | None = None

    hal: Literal["linux", "avr"]
    """The folder of `kernels/hal`."""
    kernels: tuple[Literal["reference", "portable", "lanes", "x86", "arm"], ...] = (
        *("reference", "portable"),
        *("lanes", "x86", "arm"),
    )
    """Folders of kernels that are compiled for it."""
    prefix: str = ""
    """Of the names of compiler and archiver."""
    compiler: str = "gcc"
    flags: list[str] = []
    link_flags: list[str] = []
    optimise: str = "-O2"

    simulator: str | None = None
    """A program that runs images; `simavr` is the one of `kernels/runners`."""
    processor: str | None = None
    """What `simavr` is to simulate."""

    memory_bytes: int = 4 << 20
    """Of a process: for a question, its answer and the kernel's context. Of a controller: all."""
    stack_bytes: int | None = None
    """Of a microcontroller: how much of its memory is kept for the stack."""
    data_bytes: int | None = None
    """Of a microcontroller: how many bytes of questions an image can carry."""
    packages: list[str]
    """Debian's packages of the tools."""


def read(path: Path) -> Target:
    """The target that a file describes."""
    target = msgspec.convert(tomllib.loads(path.read_text("utf-8")), Target)
    return msgspec.structs.replace(target, name=path.stem)


def targets() -> list[Target]:
    """All targets by name."""
    return [read(path) for path in sorted(FOLDER.glob("*.toml"))]
