"""The kernels' C in programs of their own: the sources of `kernels/tests/driver`."""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from ciphermark.run.targets import toolchain
from ciphermark.run.targets.object_files import definitions, listed
from ciphermark.run.targets.toolchain import JOBS

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

PLANTED_HASHES = (
    *("call.c", "find.c", "lanes_call.c", "pieces.c"),
    *("common/incremental.c", "reference/modular.c", "modes/umac.c", "modes/vmac.c"),
    *("modes/pad.c", "tests/driver/planted_hashes.c"),
)
"""The same for universal hashes, with what crafts messages for these."""

HASHES = ("hash127", "uhash", "umac", "vmac")
"""What names of files with universal hashes begin with."""

FEW_HASHES = ("hash127", "vmac")
"""Those of `make test`: the kernels of UMAC take half of the time to compile."""

CIPHERS = ("aes", "rc6")
"""The same of the ciphers that these encrypt by."""

SANITIZERS = {
    "address": ("-fsanitize=address,undefined,fuzzer-no-link", "-fno-sanitize=null,object-size"),
    "memory": ("-fsanitize=memory",),
}
"""Flags, which decide for how long clang compiles: only under the first one inputs are fuzzed, for
which paths are counted, and there accesses to no object, or behind one, are found by address."""

# Valgrind 3.19 does not read what newer compilers write by default.
DECLASSIFIED = ("-gdwarf-4", "-g1", "-include", str(DRIVERS / "declassify.h"))
"""Flags of programs that run under valgrind; those that do not share their objects."""

EMULATED = ("-DCIPHERMARK_EMULATED", "-mavx2", "-maes", "-mpclmul", "-mbmi2", "-Wno-psabi", "-O2")
"""Flags by which AVX-512 and GFNI are emulated on processors with AVX2; no call from one file to
another has a vector, of which the last one's warning speaks."""

NEEDED = {
    "avx2": {"avx2", "aes", "pclmulqdq", "bmi2"},
    "gfni": {"gfni"},
    "avx512": {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512vbmi", "gfni", "vaes",
               "vpclmulqdq"},
}  # fmt: skip
"""What the system calls what a backend with that in its name uses."""

SIMDE = Path("/usr/include/simde/x86/avx512.h")


class Toolchain:
    """A C compiler with the flags that all sources get."""

    def __init__(self, compiler: str, folder: Path, *flags: str) -> None:
        self.compiler, self.folder, self.flags = compiler, folder, flags
        folder.mkdir(exist_ok=True)

    def sources(self, *folders: str) -> list[Path]:
        """All of these folders; for a sanitizer, which sees what is run and takes a minute to
        compile the others, those that this processor runs."""
        files = [path for folder in folders for path in sorted_c(KERNELS / folder)]
        sanitizes = any(flag.startswith("-fsanitize") for flag in self.flags)
        return [it for it in files if not sanitizes or runs_here(it.stem.replace("_", "-"))]

    def kernels(self, *folders: str) -> list[Path]:
        """All kernels, or those of these folders, compiled as the engine's, and a list of them."""
        files = self.sources(*(folders or LEVELS))
        files.remove(KERNELS / "dispatch.c")
        return [*self.objects(files), self.list_of("kernels", files)]

    def lanes(self) -> list[Path]:
        """Kernels of many packets and their references, and a list of these alone."""
        files = self.sources("x86", "arm")
        packets = [it for it in files if "_table_" not in it.stem and word(it) not in HASHES]
        names = {word(path) for path in packets if definitions(path)}
        rows = [*packets, *(KERNELS / "reference" / f"{name}.c" for name in sorted(names))]
        return [*self.objects([*shared(), *rows]), self.list_of("lanes", rows)]

    def hashes(self, names: Collection[str] = HASHES) -> list[Path]:
        """Universal hashes, their references and ciphers, and a list of the first two alone."""
        files = self.sources("reference", "portable", "x86", "arm")
        rows = [it for it in files if word(it) in names]
        ciphers = [it for it in files if word(it) in CIPHERS or it.stem == "cpu"]
        return [*self.objects([*shared(), *ciphers, *rows]), self.list_of("_".join(names), rows)]

    def list_of(self, name: str, sources: Iterable[Path]) -> Path:
        """The list of kernels, in the order of the list of all, with those of these files."""
        defined = {symbol for source in sources for symbol, _ in definitions(source)}
        text = self.run(self.folder / "dispatch.i", "-E", KERNELS / "dispatch.c")
        groups = [it for it in listed(text.read_text("utf-8")) if it in defined]
        lines = (
            '#include "kernels.h"',
            *(f"extern const struct ciphermark_kernels {it};" for it in groups),
            "const struct ciphermark_kernels *const ciphermark_kernels[] = {",
            *(f"&{it}," for it in groups),
            f"0}};\nconst size_t ciphermark_kernels_count = {len(groups)};\n",
        )
        source = self.folder / f"list_{name}.{os.getpid()}.c"
        source.write_text("\n".join(lines), "utf-8")
        return self.run(self.folder / f"list_{name}.o", "-c", source)

    def planted(self, sources: Iterable[str] = PLANTED) -> list[Path]:
        return self.objects(KERNELS / source for source in sources)

    def objects(self, sources: Iterable[Path]) -> list[Path]:
        with ThreadPoolExecutor(JOBS) as threads:
            return list(threads.map(self.compiled, dict.fromkeys(sources)))

    def compiled(self, source: Path) -> Path:
        place = source.relative_to(KERNELS)
        level = LEVELS.get(place.parent.as_posix(), "-O2")
        return self.run(self.folder / "_".join(place.with_suffix(".o").parts), "-c", source, level)

    def linked(self, name: str, driver: str, objects: Iterable[Path], *flags: str) -> Path:
        """The program of a driver and these objects."""
        return self.run(self.folder / name, DRIVERS / driver, *objects, *flags)

    def run(self, target: Path, *arguments: object) -> Path:
        """What the compiler makes, unless it was made before."""
        names = ("include", "common", "modes", "reference", "lanes", "universal")
        folders = [f"-I{KERNELS / it}" for it in names]
        line = [self.compiler, "-std=c99", *folders, *map(str, arguments), *self.flags]
        with locked(target.with_name(f"{target.name}.lock")):
            if not target.exists():
                made = target.with_name(f"{target.name}.new")
                command = [*line, "-o", str(made)]
                ended = subprocess.run(command, capture_output=True, text=True, timeout=300)
                assert ended.returncode == 0, ended.stderr
                made.rename(target)
        return target


class Toolchains:
    """Compilers with flags, which compile each source once for all tests of a session."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)

    def of(self, compiler: str, *flags: str) -> Toolchain:
        name = hashlib.sha256("\n".join((compiler, *flags)).encode()).hexdigest()[:16]
        return Toolchain(compiler, self.folder / name, *flags)

    def native(self, compiler: str, *flags: str) -> Toolchain:
        """For this processor, and ready for valgrind, whose headers it needs."""
        found("valgrind", "valgrind")
        return self.of(found(compiler, compiler), *DECLASSIFIED, *flags)

    def emulating(self) -> Toolchain:
        return self.native("gcc", *emulated())

    def sanitized(self, sanitizer: str) -> Toolchain:
        clang = found("clang", "clang and libclang-rt-dev")
        return self.of(clang, *sanitized(sanitizer, self.folder))

    def arm64(self) -> Toolchain:
        package = "gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
        return self.of(found("aarch64-linux-gnu-gcc", package), "-static")


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all processes among which the tests are distributed."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def toolchains(shared_folder: Path) -> Toolchains:
    return Toolchains(shared_folder / "compiled")


@pytest.fixture
def turn(shared_folder: Path) -> Iterator[None]:
    """For tests that measure as fleets do, which refuse a machine that another is measuring."""
    with locked(shared_folder / "turn"):
        yield


@pytest.fixture(scope="session")
def shared_cache(shared_folder: Path) -> Path:
    """A user's cache, in which what one test has compiled for a target helps the others."""
    return shared_folder / "cache"


def compile_few(patch: pytest.MonkeyPatch, cache: Path, names: Collection[str]) -> None:
    """Of kernels and modes those alone that are so called are compiled, into a cache of their own;
    all of them take a minute for a few targets."""
    patch.setenv("XDG_CACHE_HOME", str(cache))
    whole = toolchain.Toolchain.sources

    def sources(of: toolchain.Toolchain) -> list[Path]:
        def is_shared(path: Path) -> bool:
            return not (definitions(path) or path.parent.name == "modes")

        return [path for path in whole(of) if is_shared(path) or path.stem in names]

    patch.setattr(toolchain.Toolchain, "sources", sources)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Waits until no other thread or process holds it."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def word(source: Path) -> str:
    """What a file's name begins with: the function that it has."""
    return source.stem.split("_")[0]


def sorted_c(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.c"))


def shared() -> list[Path]:
    """Sources that have no rows of their own, and the calls of all rows."""
    folders = ("common", "modes", "lanes", "reference")
    calls = ("call.c", "find.c", "lanes_call.c", "pieces.c")
    files = [path for folder in folders for path in sorted_c(KERNELS / folder)]
    return [*(KERNELS / it for it in calls), *(it for it in files if not definitions(it))]


def sanitized(sanitizer: str, folder: Path) -> tuple[str, ...]:
    """The flags of clang for a sanitizer, or a skip where it lacks the library."""
    flags = ("-g1", "-O1", *SANITIZERS[sanitizer], "-fno-sanitize-recover=all")
    probe = folder / f"probe-{sanitizer}-{os.getpid()}.c"
    probe.write_text("int main(void) { return 0; }\n")
    clang = found("clang", "clang and libclang-rt-dev")
    line = [clang, *flags, str(probe), "-o", str(probe.with_suffix(""))]
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


def runs_here(backend: str) -> bool:
    """Whether this processor has the instructions that the backend's name speaks of."""
    needed = (flags for it, flags in NEEDED.items() if it in backend.split("-"))
    return platform.machine() != "x86_64" or all(flags <= cpu_flags() for flags in needed)


def skip_where_it_runs(backends: set[str], tested_by: str) -> None:
    """Skips a test under emulation, which takes minutes, where the same is run as it is."""
    if all(map(runs_here, backends)):
        pytest.skip(f"this processor has all the instructions: {tested_by} runs the same without")


def found(tool: str, package: str) -> str:
    """Skips the test where the tool is missing."""
    path = shutil.which(tool)
    if path is None:
        pytest.skip(f"no {tool}: install {package}")
    return path
