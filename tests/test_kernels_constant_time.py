"""Kernels that state constant time, run under valgrind on secrets that count as undefined."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from driver_fixture import DRIVERS, PLANTED, PLANTED_LANES, Toolchain, emulated, found

pytestmark = pytest.mark.checkers

# Valgrind 3.19 does not read what newer compilers write by default.
FLAGS = ("-gdwarf-4", "-include", str(DRIVERS / "declassify.h"))

LEAKS = 9
"""Exit status of valgrind where it has something to report."""


def toolchain(compiler: str, folder: Path, *flags: str) -> Toolchain:
    return Toolchain(found(compiler, compiler), folder, *FLAGS, *flags)


def run(program: Path, *names: str) -> subprocess.CompletedProcess[str]:
    valgrind = found("valgrind", "valgrind")
    line = [valgrind, "-q", "--error-limit=no", f"--error-exitcode={LEAKS}", program, *names]
    return subprocess.run(list(map(str, line)), capture_output=True, text=True, timeout=400)


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_no_kernel_that_states_constant_time_leaks(tmp_path: Path, compiler: str) -> None:
    found("valgrind", "valgrind")
    built = toolchain(compiler, tmp_path / "built")
    ended = run(built.linked("constant_time", "constant_time.c", built.kernels()))
    assert ended.returncode == 0, ended.stdout + ended.stderr[:4000]
    assert not ended.stdout.startswith("0 rows")


def test_emulated_instructions_are_right_and_do_not_leak(tmp_path: Path) -> None:
    """Else their faults would be taken for those of kernels."""
    found("valgrind", "valgrind")
    built = toolchain("gcc", tmp_path / "built", *emulated())
    ended = run(built.linked("emulated", "emulated.c", [], *built.flags, "-O2"))
    assert ended.returncode == 0, ended.stdout + ended.stderr[:4000]


def test_no_emulated_kernel_that_states_constant_time_leaks(tmp_path: Path) -> None:
    """Valgrind knows neither AVX-512 nor GFNI, but what emulates them."""
    found("valgrind", "valgrind")
    built = toolchain("gcc", tmp_path / "built", *emulated())
    ended = run(built.linked("constant_time", "constant_time.c", built.lanes()))
    assert ended.returncode == 0, ended.stdout + ended.stderr[:4000]
    assert not ended.stdout.startswith("0 rows")


@pytest.mark.parametrize(
    ("sources", "name", "status"),
    [
        (PLANTED, "sums", 0),
        (PLANTED, "branch", LEAKS),
        (PLANTED, "table", LEAKS),
        (PLANTED_LANES, "right", 0),
        (PLANTED_LANES, "branches", LEAKS),
    ],
)
def test_planted_leaks_are_found(
    tmp_path: Path, sources: tuple[str, ...], name: str, status: int
) -> None:
    found("valgrind", "valgrind")
    built = toolchain("gcc", tmp_path / "built")
    program = built.linked("constant_time", "constant_time.c", built.planted(sources))
    ended = run(program, name)
    assert ended.returncode == status, ended.stdout + ended.stderr[:4000]
    assert ended.stdout.splitlines()[-1].startswith("1 rows state constant time")
