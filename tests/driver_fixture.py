"""The kernels' C in programs of their own: the sources of `kernels/tests/driver`."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

KERNELS = Path(__file__).parents[1] / "kernels"
DRIVERS = KERNELS / "tests" / "driver"

LEVELS = {
    **dict.fromkeys((".", "common", "modes", "reference", "lanes"), "-O2"),
    **dict.fromkeys(("portable", "x86", "arm"), "-O3"),
}
"""Folders with the optimisation that each gets; build.rs has the same."""

PLANTED = ("call.c", "modes/ecb.c", "tests/driver/planted.c")
"""Sources with faults, in place of all kernels."""

Drive = Callable[..., Path]


class Toolchain:
    """A C compiler with the flags that all sources get."""

    def __init__(self, compiler: str, folder: Path, *flags: str) -> None:
        self.compiler, self.folder, self.flags = compiler, folder, flags
        folder.mkdir()

    def kernels(self) -> list[Path]:
        """All kernels, compiled as the engine's."""
        sources = [(path, level) for it, level in LEVELS.items() for path in sorted_c(KERNELS / it)]
        with ThreadPoolExecutor() as threads:
            return list(threads.map(lambda it: self.compiled(*it), sources))

    def planted(self) -> list[Path]:
        return [self.compiled(KERNELS / source, "-O2") for source in PLANTED]

    def compiled(self, source: Path, *flags: str) -> Path:
        name = "_".join(source.relative_to(KERNELS).with_suffix(".o").parts)
        return self.run(self.folder / name, "-c", source, *flags, *self.flags)

    def linked(self, name: str, driver: str, objects: Iterable[Path], *flags: str) -> Path:
        """The program of a driver and these objects."""
        return self.run(self.folder / name, DRIVERS / driver, *objects, *flags)

    def run(self, target: Path, *arguments: object) -> Path:
        folders = [f"-I{KERNELS / it}" for it in ("include", "common", "modes", "reference", "lanes")]
        line = [self.compiler, "-std=c99", *folders, *map(str, arguments), "-o", str(target)]
        ended = subprocess.run(line, capture_output=True, text=True, timeout=300)
        assert ended.returncode == 0, ended.stderr
        return target


def sorted_c(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.c"))


def found(tool: str, package: str) -> str:
    """Skips the test where the tool is missing."""
    path = shutil.which(tool)
    if path is None:
        pytest.skip(f"no {tool}: install {package}")
    return path
