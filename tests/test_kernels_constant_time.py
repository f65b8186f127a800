"""Kernels that state constant time, run under valgrind on secrets that count as undefined."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from driver_fixture import (
    FEW_HASHES,
    PLANTED,
    PLANTED_HASHES,
    PLANTED_LANES,
    Toolchain,
    Toolchains,
    found,
)

pytestmark = [pytest.mark.checkers, pytest.mark.long]

LEAKS = 9
"""Exit status of valgrind where it has something to report."""


def run(program: Path, *names: str) -> subprocess.CompletedProcess[str]:
    valgrind = found("valgrind", "valgrind")
    line = [valgrind, "-q", "--error-limit=no", f"--error-exitcode={LEAKS}", program, *names]
    return subprocess.run(list(map(str, line)), capture_output=True, text=True, timeout=400)


def program(built: Toolchain, name: str, objects: list[Path]) -> Path:
    return built.linked(f"constant_time_{name}", "constant_time.c", objects)


def assert_none_leaks(ended: subprocess.CompletedProcess[str]) -> None:
    assert ended.returncode == 0, ended.stdout + ended.stderr[:4000]
    assert not ended.stdout.startswith("0 rows")


# What is written in instructions of x86-64 leaves a second compiler little to choose, and takes it
# most of the time.
PLAIN = (".", "common", "modes", "reference", "lanes", "portable")


@pytest.mark.parametrize("kernels", ["lanes", "hashes"])
def test_no_kernel_of_many_packets_or_hash_leaks(toolchains: Toolchains, kernels: str) -> None:
    """Those that other tests have compiled: all the others take a minute to compile."""
    built = toolchains.native("gcc")
    objects = built.lanes() if kernels == "lanes" else built.hashes(FEW_HASHES)
    assert_none_leaks(run(program(built, kernels, objects)))


@pytest.mark.deep
@pytest.mark.parametrize(("compiler", "folders"), [("gcc", ()), ("clang", PLAIN)])
def test_no_kernel_that_states_constant_time_leaks(
    toolchains: Toolchains, compiler: str, folders: tuple[str, ...]
) -> None:
    built = toolchains.native(compiler)
    assert_none_leaks(run(program(built, "all", built.kernels(*folders))))


@pytest.mark.deep
def test_emulated_instructions_are_right_and_do_not_leak(toolchains: Toolchains) -> None:
    """Else their faults would be taken for those of kernels."""
    built = toolchains.emulating()
    ended = run(built.linked("emulated", "emulated.c", []))
    assert ended.returncode == 0, ended.stdout + ended.stderr[:4000]


@pytest.mark.deep
@pytest.mark.parametrize("kernels", ["lanes", "hashes"])
def test_no_emulated_kernel_that_states_constant_time_leaks(
    toolchains: Toolchains, kernels: str
) -> None:
    """Valgrind knows neither AVX-512 nor GFNI, but what emulates them."""
    built = toolchains.emulating()
    objects = built.lanes() if kernels == "lanes" else built.hashes()
    assert_none_leaks(run(program(built, kernels, objects)))


@pytest.mark.parametrize(
    ("sources", "name", "status"),
    [
        (PLANTED, "sums", 0),
        (PLANTED, "branch", LEAKS),
        (PLANTED, "table", LEAKS),
        (PLANTED_LANES, "right", 0),
        (PLANTED_LANES, "branches", LEAKS),
        (PLANTED_HASHES, "right", 0),
        (PLANTED_HASHES, "branches", LEAKS),
    ],
)
def test_planted_leaks_are_found(
    toolchains: Toolchains, sources: tuple[str, ...], name: str, status: int
) -> None:
    built = toolchains.native("gcc")
    planted = program(built, Path(sources[-1]).stem, built.planted(sources))
    ended = run(planted, name)
    assert ended.returncode == status, ended.stdout + ended.stderr[:4000]
    assert ended.stdout.splitlines()[-1].startswith("1 rows state constant time")
