"""Which variants a worker can compile: only by the very compilers that they were planned with."""

from __future__ import annotations

import tempfile
from pathlib import Path

import msgspec

from ciphermark.errors import WorkError
from ciphermark.measure import simulate
from ciphermark.measure.targets.target import Target
from ciphermark.measure.tuning import compilers

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
            simulate.ready(need.target, Path(folder), 1)
        if compilers.default(need.target).line != need.own:
            return []
    except (WorkError, OSError):
        return []
    return [command for command, line in need.lines.items() if _says(command, line)]


def _says(command: str, line: str) -> bool:
    try:
        return compilers.line_of(command) == line
    except WorkError:
        return False
