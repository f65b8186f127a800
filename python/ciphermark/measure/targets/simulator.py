"""Runs images: in a simulator, or here where the target is this machine."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from ciphermark.errors import WorkError
from ciphermark.measure.targets import process
from ciphermark.measure.targets.target import Target

_MOST_CYCLES = 20_000_000_000
"""Some minutes of simavr."""

_MOST_STATUS = 100
"""Greater ones, and signals, are not a firmware's own."""


class Ended(NamedTuple):
    """What came of an image."""

    status: int
    lines: list[str]
    """What it wrote."""
    cycles: int | None
    """Of the simulated processor, where the simulator counts them."""
    stack_bytes: int | None


class Simulator:
    """How images of one target are run."""

    def __init__(self, target: Target, kernels: Path, folder: Path) -> None:
        """Builds what has to be built, in `folder`."""
        self.target = target
        self._command: list[str | Path] = []
        self._arguments: list[str] = []
        if target.simulator == "simavr":
            assert target.processor is not None
            self._command = [_build_simavr(kernels, folder)]
            self._arguments = [target.processor, str(_MOST_CYCLES)]
        elif target.simulator is not None:
            self._command = [target.simulator]

    def run(self, image: Path) -> Ended:
        """Runs an image to its end; one that crashes is an error."""
        ended = process.run(*self._command, image, *self._arguments)
        if not 0 <= ended.status <= _MOST_STATUS:
            raise WorkError(
                f"{image.stem} on {self.target.name} ended with {ended.status}: {ended.messages}"
            )
        measured = re.search(r"^cycles (\d+) stack (\d+)$", ended.messages, re.M)
        cycles, stack = map(int, measured.groups()) if measured else (None, None)
        return Ended(ended.status, ended.output.splitlines(), cycles, stack)


def _build_simavr(kernels: Path, folder: Path) -> Path:
    program = folder / "simavr"
    source = kernels / "runners" / "simavr.c"
    flags = ("-std=c99", "-O2", "-Wall", "-Wextra", "-Werror")
    process.check("cc", *flags, "-o", program, source, "-lsimavr", "-lelf")
    return program
