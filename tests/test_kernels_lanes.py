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
    Toolchains,
    found,
    runs_here,
    skip_where_it_runs,
    sorted_c,
)

pytestmark = [pytest.mark.checkers, pytest.mark.long]

CYCLE = 30
"""Batches, by which every mixture of numbers of packets and lengths comes up once."""

FEW = 6
"""Under valgrind and where only instructions are in question."""

SEED = 1


def backends(folder: str) -> set[str]:
    """The backends of the files of a folder."""
    rows = re.compile(r'"([a-z0-9]+sliced-[a-z0-9-]+)"')
    return {it for path in sorted_c(KERNELS / folder) for it in rows.findall(path.read_text())}


def native() -> set[str]:
    """The backends whose instructions this processor has."""
    folder = {"aarch64": "arm", "x86_64": "x86"}.get(platform.machine())
    return {it for it in backends(folder) if runs_here(it)} if folder else set()


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


def linked(toolchain: Toolchain) -> Path:
    return toolchain.linked("lanes", "lanes.c", toolchain.lanes())


@pytest.mark.parametrize("times", [1, pytest.param(10, marks=pytest.mark.deep)])
def test_random_batches(toolchains: Toolchains, times: int) -> None:
    assert backends_run(linked(toolchains.native("gcc")), batches=times * CYCLE) == native()


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_states_of_groups_are_wiped(toolchains: Toolchains, compiler: str) -> None:
    """They held keys and keystream. Nobody reads them again, so a compiler could leave that out."""
    toolchain = toolchains.native(compiler)
    objects = toolchain.objects([KERNELS / "lanes" / "schedule.c"])
    ended = subprocess.run(
        [toolchain.linked("wiped", "wiped.c", objects)], capture_output=True, text=True, timeout=60
    )
    assert (ended.returncode, ended.stdout) == (0, "13\n"), ended.stdout


@pytest.mark.deep
def test_random_batches_by_clang(toolchains: Toolchains) -> None:
    assert backends_run(linked(toolchains.native("clang")), batches=2 * CYCLE) == native()


@pytest.mark.deep
def test_random_batches_under_emulation(toolchains: Toolchains) -> None:
    skip_where_it_runs(backends("x86"), "test_random_batches")
    assert backends_run(linked(toolchains.emulating()), batches=2 * CYCLE) == backends("x86")


@pytest.mark.deep
def test_random_batches_on_arm64(toolchains: Toolchains) -> None:
    program = linked(toolchains.arm64())
    qemu = found("qemu-aarch64", "qemu-user")
    assert backends_run(qemu, program) == backends("arm")


@pytest.mark.deep
@pytest.mark.parametrize("sanitizer", SANITIZERS)
def test_random_batches_are_clean(toolchains: Toolchains, sanitizer: str) -> None:
    assert backends_run(linked(toolchains.sanitized(sanitizer))) == native()


@pytest.mark.deep
def test_random_batches_under_emulation_are_clean(toolchains: Toolchains) -> None:
    """By valgrind: sanitizers take minutes to compile what emulates AVX-512."""
    valgrind = found("valgrind", "valgrind")
    command = (valgrind, "-q", "--error-exitcode=9", linked(toolchains.emulating()))
    assert backends_run(*command, batches=FEW) == backends("x86")


@pytest.mark.deep
@pytest.mark.parametrize(
    ("processor", "has"), [("qemu64", []), ("Nehalem", []), ("Haswell", ["avx2"])]
)
def test_older_processors_get_no_newer_instruction(
    toolchains: Toolchains, processor: str, has: list[str]
) -> None:
    if platform.machine() != "x86_64":
        pytest.skip("only on x86-64 there are kernels for some of its processors")
    qemu = found("qemu-x86_64", "qemu-user")
    expected = {it for it in backends("x86") if it.split("-")[1:] == has}
    program = linked(toolchains.native("gcc"))
    assert backends_run(qemu, "-cpu", processor, program, batches=FEW) == expected


@pytest.mark.deep
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
def test_planted_faults_are_found(
    toolchains: Toolchains, backend: str, complaint: str | None
) -> None:
    toolchain = toolchains.sanitized("address")
    program = toolchain.linked("planted_lanes", "lanes.c", toolchain.planted(PLANTED_LANES))
    ended = run(program, batches=10 * CYCLE, names=(backend,))
    assert (ended.returncode == 0) == (complaint is None), ended.stdout + ended.stderr[-4000:]
    assert complaint is None or complaint in ended.stdout + ended.stderr
