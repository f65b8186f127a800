"""Kernels of many packets: random batches, whose answers have to be the references'."""

from __future__ import annotations

import platform
import re
import subprocess
from pathlib import Path

import pytest

from driver_fixture import (
    KERNELS,
    PLANTED_LANES,
    SANITIZERS,
    Toolchain,
    cpu_flags,
    emulated,
    found,
    sanitized,
    sorted_c,
)

pytestmark = pytest.mark.checkers

CYCLE = 30
"""Batches, by which every mixture of numbers of packets and lengths comes up once."""

SEED = 1

NEEDED = {
    "avx2": {"avx2", "aes", "pclmulqdq", "bmi2"},
    "gfni": {"gfni"},
    "avx512": {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512_vbmi", "gfni", "vaes",
               "vpclmulqdq"},
}  # fmt: skip
"""What the system calls what a backend with that in its name uses."""


def backends(folder: str) -> set[str]:
    """The backends of the files of a folder."""
    rows = re.compile(r'"([a-z0-9]+sliced-[a-z0-9-]+)"')
    return {it for path in sorted_c(KERNELS / folder) for it in rows.findall(path.read_text())}


def native() -> set[str]:
    """The backends whose instructions this processor has."""
    if platform.machine() == "aarch64":
        return backends("arm")
    if platform.machine() != "x86_64":
        return set()
    lacking = {word for word, flags in NEEDED.items() if not flags <= cpu_flags()}
    return {it for it in backends("x86") if not lacking & set(it.split("-"))}


def run(
    *command: object, batches: int = CYCLE, names: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    line = [*command, batches, SEED, *names]
    return subprocess.run(list(map(str, line)), capture_output=True, text=True, timeout=300)


def backends_run(*command: object, batches: int = CYCLE) -> set[str]:
    """The backends that a program has run without a fault."""
    ended = run(*command, batches=batches)
    assert ended.returncode == 0, ended.stdout + ended.stderr[-4000:]
    *rows, summary = ended.stdout.splitlines()
    assert summary == f"{batches} batches of seed {SEED}"
    return {row.split()[-1] for row in rows}


def built(compiler: str, folder: Path, *flags: str) -> Path:
    toolchain = Toolchain(found(compiler, compiler), folder / "built", *flags)
    return toolchain.linked("lanes", "lanes.c", toolchain.lanes(), *flags)


@pytest.fixture(scope="module")
def by_gcc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("gcc", tmp_path_factory.mktemp("gcc"))


@pytest.fixture(scope="module")
def emulating(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("gcc", tmp_path_factory.mktemp("emulating"), *emulated())


def test_random_batches(by_gcc: Path) -> None:
    assert backends_run(by_gcc, batches=10 * CYCLE) == native()


def test_random_batches_by_clang(tmp_path: Path) -> None:
    assert backends_run(built("clang", tmp_path), batches=2 * CYCLE) == native()


def test_random_batches_under_emulation(emulating: Path) -> None:
    assert backends_run(emulating, batches=2 * CYCLE) == backends("x86")


def test_random_batches_on_arm64(tmp_path: Path) -> None:
    compiler = found("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu libc6-dev-arm64-cross")
    program = built(compiler, tmp_path, "-static")
    qemu = found("qemu-aarch64", "qemu-user")
    assert backends_run(qemu, program) == backends("arm")


@pytest.mark.parametrize("sanitizer", SANITIZERS)
def test_random_batches_are_clean(tmp_path: Path, sanitizer: str) -> None:
    flags = sanitized(sanitizer, tmp_path)
    assert backends_run(built("clang", tmp_path, *flags)) == native()


def test_random_batches_under_emulation_are_clean(emulating: Path) -> None:
    """By valgrind: sanitizers take minutes to compile what emulates AVX-512."""
    valgrind = found("valgrind", "valgrind")
    command = (valgrind, "-q", "--error-exitcode=9", emulating)
    assert backends_run(*command, batches=6) == backends("x86")


@pytest.mark.parametrize(
    ("processor", "has"), [("qemu64", []), ("Nehalem", []), ("Haswell", ["avx2"])]
)
def test_older_processors_get_no_newer_instruction(
    by_gcc: Path, processor: str, has: list[str]
) -> None:
    if platform.machine() != "x86_64":
        pytest.skip("only on x86-64 there are kernels for some of its processors")
    qemu = found("qemu-x86_64", "qemu-user")
    expected = {it for it in backends("x86") if it.split("-")[1:] == has}
    assert backends_run(qemu, "-cpu", processor, by_gcc) == expected


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("planted")
    flags = sanitized("address", folder)
    toolchain = Toolchain(found("clang", "clang"), folder / "built", *flags)
    return toolchain.linked("lanes", "lanes.c", toolchain.planted(PLANTED_LANES), *flags)


@pytest.mark.parametrize(
    ("backend", "complaint"),
    [
        ("right", None),
        ("mixes-keys", "it does not answer as the reference does"),
        ("keeps-unused-bits", "it does not answer as the reference does"),
        ("writes-behind", "it writes beside the output"),
        ("reads-behind", "heap-buffer-overflow"),
        ("changes-input", "it changes the input"),
        ("writes-before-refusal", "a batch is refused and this is written"),
        ("takes-all", "it takes a BEARER or a DIRECTION that does not exist"),
    ],
)
def test_planted_faults_are_found(planted: Path, backend: str, complaint: str | None) -> None:
    ended = run(planted, batches=10 * CYCLE, names=(backend,))
    assert (ended.returncode == 0) == (complaint is None), ended.stdout + ended.stderr[-4000:]
    assert complaint is None or complaint in ended.stdout + ended.stderr
