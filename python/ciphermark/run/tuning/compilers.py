"""The compilers of this machine that compile for a target, and which variants a worker can compile:
only by the very compilers that they were planned with.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from ciphermark.errors import UsageError, WorkError
from ciphermark.run.targets import process, simulation
from ciphermark.run.targets.target import Target
from ciphermark.run.targets.toolchain import kernel_sources, language

Family = Literal["gcc", "clang"]

_VERSION = re.compile(r"\b(\d+)\.\d+(\.\d+)?")


class Compiler(msgspec.Struct, kw_only=True, frozen=True):
    """A compiler, ready to be called for one target."""

    name: str
    """Family and version: `gcc-12`. Unique among those of a target."""
    family: Family
    command: str
    line: str
    """Its own first line about itself."""
    flags: tuple[str, ...] = ()
    """What tells it the target, where it compiles for many."""


def default(target: Target) -> Compiler:
    """The one that the target's file names. Raises `WorkError` where it is missing."""
    return _compiler(target.prefix + target.compiler, target)


def found(target: Target) -> list[Compiler]:
    """The target's own compiler first, then all others on the PATH, each once."""
    own = default(target)
    return _once([own, *(_compiler(it, target) for it in _on_path(target))])


def named(target: Target, asked: Sequence[str]) -> list[Compiler]:
    """Those of the names or paths listed that compile for the target; `gcc` is a cross compiler's
    too. Empty where none does."""
    there = _on_path(target)
    commands = []
    for name in asked:
        if "/" in name:
            commands += [name] if _compiles_for(name, target) else []
        else:
            commands += [it for it in (target.prefix + name, name) if it in there][:1]
    return _once(_compiler(command, target) for command in commands)


def check_named(asked: Sequence[str], by_target: dict[str, list[Compiler]]) -> None:
    """Raises `UsageError` for a name that is no compiler of any of these targets."""
    for name in asked:
        if "/" in name and not os.access(name, os.X_OK):
            raise UsageError(f"there is no compiler {name} of --compilers: give its path")
    if not any(by_target.values()):
        targets = ", ".join(by_target)
        raise UsageError(
            f"no compiler of {', '.join(asked)} compiles for {targets} here: leave out --compilers "
            "for all that are on the PATH"
        )


def _on_path(target: Target) -> list[str]:
    """Names of commands that may compile for the target, shortest first."""
    own = re.compile(rf"{re.escape(Path(target.prefix).name)}gcc(-\d+(\.\d+)*)?")
    clang = re.compile(r"clang(-\d+)?")
    names = set()
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        try:
            names |= {it for it in os.listdir(folder) if own.fullmatch(it) or clang.fullmatch(it)}
        except OSError:
            continue
    ordered = sorted(names, key=lambda it: (clang.fullmatch(it) is not None, len(it), it))
    return [it for it in ordered if own.fullmatch(it) or _compiles_for(it, target)]


def _compiles_for(command: str, target: Target) -> bool:
    """Whether it takes the target's flags and has the headers that kernels include."""
    try:
        compiler = _compiler(command, target)
    except WorkError:
        return False
    if compiler.family == "gcc":
        return _machine(command) == _machine(target.prefix + target.compiler)
    headers = ["-include", "string.h", "-include", "stdint.h"]
    probe = [*compiler.flags, *target.flags, *language(target, kernel_sources()), *headers]
    return process.run(command, *probe, "-fsyntax-only", "-x", "c", os.devnull).status == 0


def line_of(command: str) -> str:
    """What a compiler says first of itself. Raises `WorkError` where there is none."""
    lines = process.check(command, "--version").splitlines()
    return lines[0] if lines else ""


def _compiler(command: str, target: Target) -> Compiler:
    line = line_of(command)
    family: Family = "clang" if "clang" in line else "gcc"
    version = _VERSION.search(line.rpartition(")")[2]) or _VERSION.search(line)
    number = version.group(1) if version else "unknown"
    return Compiler(
        name=f"{family}-{number}",
        family=family,
        command=command,
        line=line,
        flags=_target_of(target) if family == "clang" else (),
    )


def _target_of(target: Target) -> tuple[str, ...]:
    """What tells clang the target: as its own gcc calls it."""
    if not target.prefix:
        return ()
    machine = _machine(target.prefix + target.compiler)
    if any(it.startswith("-march=rv32") for it in target.flags):
        machine = machine.replace("riscv64", "riscv32")
    return (f"--target={machine}",)


def _machine(command: str) -> str:
    return process.check(command, "-dumpmachine").strip()


def _once(compilers: Iterable[Compiler]) -> list[Compiler]:
    """Each compiler once, whatever its names; those of one version distinguished by a number."""
    by_line: dict[str, Compiler] = {}
    for it in compilers:
        # gcc begins with the name that it was called by.
        by_line.setdefault(it.line if it.family == "clang" else it.line.partition(" ")[2], it)
    kept: dict[str, Compiler] = {}
    for it in by_line.values():
        name, number = it.name, 2
        while name in kept:
            name, number = f"{it.name}-build{number}", number + 1
        kept[name] = msgspec.structs.replace(it, name=name)
    return [*kept.values()]


Pair = tuple[str, str]
"""A target and the command of a compiler."""


class Need(msgspec.Struct, frozen=True):
    """A target and the compilers that variants of it need."""

    target: Target
    own: str
    """What its own compiler says of itself, which compiles what stands around kernels."""
    lines: dict[str, str]
    """What each compiler says of itself, by its command."""


def able(needs: list[Need]) -> list[Pair]:
    """What can be compiled, and where it is simulated run, in this process."""
    return [(need.target.name, command) for need in needs for command in _commands(need)]


def _commands(need: Need) -> list[str]:
    try:
        with tempfile.TemporaryDirectory(prefix="ciphermark-") as folder:
            simulation.ready(need.target, Path(folder), 1)
        if default(need.target).line != need.own:
            return []
    except (WorkError, OSError):
        return []
    return [command for command, line in need.lines.items() if _says(command, line)]


def _says(command: str, line: str) -> bool:
    try:
        return line_of(command) == line
    except WorkError:
        return False
