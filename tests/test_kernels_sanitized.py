"""Random and mutated inputs to all kernels, which have to agree, under sanitizers."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from driver_fixture import SANITIZERS, Toolchain, Toolchains

pytestmark = [pytest.mark.checkers, pytest.mark.deep]

FAMILIES = ("HASHES", "CIPHERS", "AEADS", "MACS", "STREAMS")

INPUTS = 640
"""Of each family: several for each kernel, which the first two bytes choose."""

MOST_BYTES = 1300
FUZZED = ("-max_total_time=3", "-runs=20000")
"""Seconds, and at most so many inputs, by which a fuzzer looks for paths that no input took."""


def target(built: Toolchain, name: str, family: str, objects: list[Path]) -> Path:
    return built.linked(name, "fuzz.c", objects, "-fsanitize=fuzzer", f"-DFAMILY={family}")


@pytest.fixture(params=SANITIZERS)
def targets(request: pytest.FixtureRequest, toolchains: Toolchains) -> dict[str, Path]:
    built = toolchains.sanitized(request.param)
    objects = built.kernels()
    return {it: target(built, f"fuzz_{it.lower()}", it, objects) for it in FAMILIES}


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
    toolchains: Toolchains, tmp_path: Path, row: int, key: int, complaint: str | None
) -> None:
    built = toolchains.sanitized("address")
    program = target(built, "fuzz_planted", "STREAMS", built.planted())
    # The kernel, five bytes of lengths and places, the key, and a message.
    (tmp_path / "input").write_bytes(bytes((row, 0, *[0] * 5, key, *[0] * 15)) + b"message")
    ended = run(program, tmp_path, "input")
    assert (ended.returncode == 0) == (complaint is None), ended.stderr[-4000:]
    assert complaint is None or complaint in ended.stderr
