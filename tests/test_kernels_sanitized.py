"""Random and mutated inputs to all kernels, which have to agree, under sanitizers."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from driver_fixture import SANITIZERS, Toolchain, found, sanitized

pytestmark = pytest.mark.checkers

FAMILIES = ("HASHES", "CIPHERS", "AEADS", "MACS", "STREAMS")

INPUTS = 640
"""Of each family: several for each kernel, which the first two bytes choose."""

MOST_BYTES = 1300
FUZZED = ("-max_total_time=6", "-runs=100000")
"""Seconds, and at most so many inputs, by which a fuzzer looks for paths that no input took."""


def toolchain(sanitizer: str, folder: Path) -> Toolchain:
    flags = sanitized(sanitizer, folder.parent)
    clang = found("clang", "clang and libclang-rt-dev")
    return Toolchain(clang, folder, *flags, "-fsanitize=fuzzer-no-link")


def target(built: Toolchain, family: str, objects: list[Path]) -> Path:
    flags = (*built.flags, "-fsanitize=fuzzer", f"-DFAMILY={family}")
    return built.linked(f"fuzz_{family.lower()}", "fuzz.c", objects, *flags)


@pytest.fixture(scope="module", params=SANITIZERS)
def targets(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict:
    built = toolchain(request.param, tmp_path_factory.mktemp(request.param) / "built")
    objects = built.kernels()
    return {family: target(built, family, objects) for family in FAMILIES}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inputs")
    source = random.Random(1)
    for index in range(INPUTS):
        text = source.randbytes(source.randrange(MOST_BYTES))
        (folder / f"{index:04}").write_bytes(index.to_bytes(2, "little") + text)
    return folder


def run(program: Path, folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    line = [program, "-seed=1", f"-max_len={MOST_BYTES + 100}", *arguments]
    return subprocess.run(
        list(map(str, line)), cwd=folder, capture_output=True, text=True, timeout=200
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_random_inputs_are_clean(
    targets: dict[str, Path], inputs: Path, tmp_path: Path, family: str
) -> None:
    ended = run(targets[family], tmp_path, "-runs=0", inputs)
    assert ended.returncode == 0, ended.stderr[-4000:]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("targets", ["address"], indirect=True)
def test_fuzzed_inputs_are_clean(targets: dict[str, Path], tmp_path: Path, family: str) -> None:
    ended = run(targets[family], tmp_path, *FUZZED)
    assert ended.returncode == 0, ended.stderr[-4000:]


@pytest.mark.parametrize(
    ("row", "key", "complaint"),
    [
        (0, 0x00, None),
        (3, 0x00, "heap-buffer-overflow"),
        (0, 0x5A, "backends answer differently"),
    ],
)
def test_planted_faults_are_found(
    tmp_path: Path, row: int, key: int, complaint: str | None
) -> None:
    built = toolchain("address", tmp_path / "built")
    program = target(built, "STREAMS", built.planted())
    # The kernel, five bytes of lengths and places, the key, and a message.
    (tmp_path / "input").write_bytes(bytes((row, 0, *[0] * 5, key, *[0] * 15)) + b"message")
    ended = run(program, tmp_path, "input")
    assert (ended.returncode == 0) == (complaint is None), ended.stderr[-4000:]
    assert complaint is None or complaint in ended.stderr
