"""Universal hashes: messages of all lengths and kinds, whose tags have to be the references'."""

from __future__ import annotations

import platform
import re
import subprocess
from collections.abc import Collection
from pathlib import Path

import pytest

from driver_fixture import (
    FEW_HASHES,
    HASHES,
    KERNELS,
    PLANTED_HASHES,
    SANITIZERS,
    Toolchain,
    Toolchains,
    found,
    runs_here,
    skip_where_it_runs,
    sorted_c,
    word,
)

pytestmark = [pytest.mark.checkers, pytest.mark.long]

SEED = 1

WHOLE = {"lengths": 1, "places": 10, "crafted": 30, "long": 3, "batches": 10}
"""Suites of the driver, with how much of each: every length, and so many batches."""

SOME = {"lengths": 7, "places": 1, "crafted": 5, "batches": 2}
"""Of those that run as they are: lengths are odd numbers apart."""

FEWER = {"lengths": 19, "places": 1, "crafted": 2, "batches": 1}
"""Of those that are emulated because the processor is another."""

FEW = {"lengths": 61, "crafted": 1}
"""Under valgrind, and where only instructions are in question."""


def backends(folder: str, hashes: Collection[str] = HASHES) -> set[str]:
    """The backends of universal hashes of a folder."""
    names = re.compile(r'"((?:sse|avx|neon)[a-z0-9-]*)"')
    files = [it for it in sorted_c(KERNELS / folder) if word(it) in hashes]
    return {name for it in files for name in names.findall(it.read_text("utf-8"))}


PORTABLE = ("portable", "doubles")


def native(hashes: Collection[str] = HASHES) -> set[str]:
    """Those whose instructions this processor has, and what every one has."""
    folder = {"aarch64": "arm", "x86_64": "x86"}.get(platform.machine())
    mine = {it for it in backends(folder, hashes) if runs_here(it)} if folder else set()
    return {*mine, *PORTABLE}


def run(
    *command: object, suite: str, count: int, names: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    line = [*command, suite, count, SEED, *names]
    return subprocess.run(list(map(str, line)), capture_output=True, text=True, timeout=300)


def backends_run(*command: object, suites: dict[str, int]) -> set[str]:
    """The backends that a program has run without a fault."""
    backends = set()
    for suite, count in suites.items():
        ended = run(*command, suite=suite, count=count)
        assert ended.returncode == 0, ended.stdout + ended.stderr[-4000:]
        *rows, summary = ended.stdout.splitlines()
        assert summary == f"{suite} {count} of seed {SEED}"
        backends |= {row.split()[-1] for row in rows}
    return backends


def linked(toolchain: Toolchain, hashes: Collection[str] = HASHES) -> Path:
    return toolchain.linked("_".join(hashes), "hashes.c", toolchain.hashes(hashes))


@pytest.mark.parametrize(
    ("hashes", "suites"),
    [
        (FEW_HASHES, SOME | {"long": 1}),
        pytest.param(HASHES, WHOLE, marks=pytest.mark.deep),
    ],
)
def test_messages(toolchains: Toolchains, hashes: tuple[str, ...], suites: dict[str, int]) -> None:
    program = linked(toolchains.native("gcc"), hashes)
    assert backends_run(program, suites=suites) == native(hashes)


@pytest.mark.deep
def test_messages_by_clang(toolchains: Toolchains) -> None:
    assert backends_run(linked(toolchains.native("clang")), suites=SOME) == native()


@pytest.mark.deep
def test_messages_under_emulation(toolchains: Toolchains) -> None:
    skip_where_it_runs(backends("x86"), "test_messages")
    expected = {*backends("x86"), *PORTABLE}
    assert backends_run(linked(toolchains.emulating()), suites=SOME) == expected


@pytest.mark.deep
def test_messages_on_arm64(toolchains: Toolchains) -> None:
    program = linked(toolchains.arm64())
    qemu = found("qemu-aarch64", "qemu-user")
    assert backends_run(qemu, program, suites=FEWER) == {*backends("arm"), *PORTABLE}


@pytest.mark.deep
@pytest.mark.parametrize("sanitizer", SANITIZERS)
def test_messages_are_clean(toolchains: Toolchains, sanitizer: str) -> None:
    assert backends_run(linked(toolchains.sanitized(sanitizer)), suites=SOME) == native()


@pytest.mark.deep
def test_messages_under_emulation_are_clean(toolchains: Toolchains) -> None:
    """By valgrind: sanitizers take minutes to compile what emulates AVX-512."""
    valgrind = found("valgrind", "valgrind")
    command = (valgrind, "-q", "--error-exitcode=9", linked(toolchains.emulating()))
    assert backends_run(*command, suites=FEW) == {*backends("x86"), *PORTABLE}


@pytest.mark.deep
@pytest.mark.parametrize(
    ("processor", "has"), [("qemu64", {"sse2"}), ("Haswell", {"sse2", "avx2"})]
)
def test_older_processors_get_no_newer_instruction(
    toolchains: Toolchains, processor: str, has: set[str]
) -> None:
    if platform.machine() != "x86_64":
        pytest.skip("only on x86-64 there are kernels for some of its processors")
    qemu = found("qemu-x86_64", "qemu-user")
    expected = {*(backends("x86") & has), *PORTABLE}
    program = linked(toolchains.native("gcc"))
    assert backends_run(qemu, "-cpu", processor, program, suites=FEW) == expected


@pytest.mark.deep
@pytest.mark.parametrize(
    ("backend", "complaint"),
    [
        ("right", None),
        ("wrong-at-one-length", "it does not answer as the reference does"),
        ("reads-behind", "heap-buffer-overflow"),
        ("writes-behind", "it writes beside the tag"),
        ("forgets-a-piece", "in chunks it does not answer as the reference does"),
    ],
)
def test_planted_faults_are_found(
    toolchains: Toolchains, backend: str, complaint: str | None
) -> None:
    toolchain = toolchains.sanitized("address")
    program = toolchain.linked("planted_hashes", "hashes.c", toolchain.planted(PLANTED_HASHES))
    ended = run(program, suite="lengths", count=1, names=(backend,))
    assert (ended.returncode == 0) == (complaint is None), ended.stdout + ended.stderr[-4000:]
    assert complaint is None or complaint in ended.stdout + ended.stderr
