"""The kernels' C in programs of their own: the sources of `kernels/tests/driver`."""

from __future__ import annotations

import platform
import shutil
import subprocess
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ciphermark.measure.targets.groups import definitions, listed

KERNELS = Path(__file__).parents[1] / "kernels"
DRIVERS = KERNELS / "tests" / "driver"

LEVELS = {
    **dict.fromkeys((".", "common", "modes", "reference", "lanes"), "-O2"),
    **dict.fromkeys(("portable", "x86", "arm"), "-O3"),
}
"""Folders with the optimisation that each gets; build.rs has the same."""

PLANTED = ("call.c", "modes/ecb.c", "tests/driver/planted.c")
"""Sources with faults, in place of all kernels."""

PLANTED_LANES = (
    *("call.c", "find.c", "lanes_call.c", "modes/threegpp.c"),
    "tests/driver/planted_lanes.c",
)
"""The same for kernels of many packets."""

SANITIZERS = {"address": "address,undefined", "memory": "memory"}

EMULATED = ("-DCIPHERMARK_EMULATED", "-mavx2", "-maes", "-mpclmul", "-mbmi2", "-Wno-psabi")
"""Flags by which AVX-512 and GFNI are emulated on processors with AVX2; no call from one file to
another has a vector, of which the last one's warning speaks."""

SIMDE = Path("/usr/include/simde/x86/avx512.h")

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

    def lanes(self) -> list[Path]:
        """Kernels of many packets and their references, and a list of these alone."""
        files = [*sorted_c(KERNELS / "x86"), *sorted_c(KERNELS / "arm")]
        packets = [it for it in files if "_table_" not in it.stem]
        names = {path.stem.split("_")[0] for path in packets if definitions(path)}
        rows = [*packets, *(KERNELS / "reference" / f"{name}.c" for name in sorted(names))]
        folders = ("common", "modes", "lanes", "reference")
        shared = [it for name in folders for it in sorted_c(KERNELS / name) if not definitions(it)]
        calls = [KERNELS / name for name in ("call.c", "find.c", "lanes_call.c")]
        sources = [*calls, *shared, *rows]
        with ThreadPoolExecutor() as threads:
            objects = list(threads.map(lambda it: self.compiled(it, "-O2"), sources))
        return [*objects, self.list_of(rows)]

    def list_of(self, sources: Iterable[Path]) -> Path:
        """The list of kernels, in the order of the list of all, with those of these files."""
        defined = {symbol for source in sources for symbol, _ in definitions(source)}
        text = self.run(self.folder / "dispatch.i", "-E", KERNELS / "dispatch.c", *self.flags)
        groups = [it for it in listed(text.read_text("utf-8")) if it in defined]
        source = self.folder / "list.c"
        source.write_text(
            '#include "kernels.h"\n'
            + "".join(f"extern const struct ciphermark_kernels {it};\n" for it in groups)
            + "const struct ciphermark_kernels *const ciphermark_kernels[] = {"
            + "".join(f"&{it}, " for it in groups)
            + f"0}};\nconst size_t ciphermark_kernels_count = {len(groups)};\n",
            "utf-8",
        )
        return self.run(self.folder / "list.o", "-c", source, *self.flags)

    def planted(self, sources: Iterable[str] = PLANTED) -> list[Path]:
        return [self.compiled(KERNELS / source, "-O2") for source in sources]

    def compiled(self, source: Path, *flags: str) -> Path:
        name = "_".join(source.relative_to(KERNELS).with_suffix(".o").parts)
        return self.run(self.folder / name, "-c", source, *flags, *self.flags)

    def linked(self, name: str, driver: str, objects: Iterable[Path], *flags: str) -> Path:
        """The program of a driver and these objects."""
        return self.run(self.folder / name, DRIVERS / driver, *objects, *flags)

    def run(self, target: Path, *arguments: object) -> Path:
        names = ("include", "common", "modes", "reference", "lanes", "universal")
        folders = [f"-I{KERNELS / it}" for it in names]
        line = [self.compiler, "-std=c99", *folders, *map(str, arguments), "-o", str(target)]
        ended = subprocess.run(line, capture_output=True, text=True, timeout=300)
        assert ended.returncode == 0, ended.stderr
        return target


def sorted_c(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.c"))


def sanitized(sanitizer: str, folder: Path) -> tuple[str, ...]:
    """The flags of clang for a sanitizer, or a skip where it lacks the library."""
    flags = ("-g", "-O1", f"-fsanitize={SANITIZERS[sanitizer]}", "-fno-sanitize-recover=all")
    probe = folder / "probe.c"
    probe.write_text("int main(void) { return 0; }\n")
    clang = found("clang", "clang and libclang-rt-dev")
    line = [clang, *flags, str(probe), "-o", str(folder / "probe")]
    if subprocess.run(line, capture_output=True, timeout=60).returncode != 0:
        pytest.skip(f"clang has no {sanitizer} sanitizer: install libclang-rt-dev")
    return flags


def emulated() -> tuple[str, ...]:
    """The flags for emulation, or a skip where it cannot be had."""
    if platform.machine() != "x86_64":
        pytest.skip("AVX-512 is emulated by AVX2, which only x86-64 has")
    if not SIMDE.exists():
        pytest.skip("no SIMDe: install libsimde-dev")
    if not {"avx2", "aes", "pclmulqdq", "bmi2"} <= cpu_flags():
        pytest.skip("AVX-512 is emulated by AVX2, which this processor lacks")
    return EMULATED


def cpu_flags() -> set[str]:
    """What this processor has, by the names of the system."""
    lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    return next((set(line.split()) for line in lines if line.startswith("flags")), set())


def found(tool: str, package: str) -> str:
    """Skips the test where the tool is missing."""
    path = shutil.which(tool)
    if path is None:
        pytest.skip(f"no {tool}: install {package}")
    return path
