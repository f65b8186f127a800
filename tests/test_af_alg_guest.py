"""The kernel's cryptography as a provider and as a device, in a kernel that has it.

The machine that tests run on may refuse AF_ALG; a Debian kernel that QEMU emulates does not.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ciphermark.run.engine import Engine
from guest import Answer, Guest, Unavailable

pytestmark = pytest.mark.deep

ROOT = Path(__file__).parents[1]

KERNEL = Path(os.environ.get("CIPHERMARK_GUEST", Path(sys.prefix) / "guest"))
"""An unpacked kernel package, as `make guest-kernel` leaves one."""

SECONDS = 600
"""A guest that does nothing is up in three seconds, and its work takes twenty; on a machine that is
busy with other tests many times that."""

VERIFIED = (
    "aes-128-cbc,aes-256-ctr,aes-256-xts,adiantum,aes-128-gcm,chacha20-poly1305,hmac-sha256,"
    "cmac-aes-128,sha512"
)
"""Each way of calling the kernel; the tests in Rust go through everything that it has."""


@pytest.fixture(scope="module")
def answers(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> list[Answer]:
    """What the guest said to all commands; it is started once."""
    try:
        guest = Guest.of(KERNEL, tmp_path_factory.mktemp("guest"))
    except Unavailable as why:
        pytest.skip(str(why))
    commands = [
        ["engine", "describe", "--providers", "af_alg"],
        ["engine", "verify", "--providers", "af_alg"],
        [
            *(
                "engine",
                "verify",
                "--providers",
                "af_alg,rustcrypto,kernels",
                "--agreement",
                "sample",
            ),
            *("--algorithms", VERIFIED),
        ],
        ["tests", "af_alg", "--nocapture", "--test-threads", "1"],
    ]
    return guest.run(commands, {"engine": engine.path, "tests": _tests_of_devices()}, SECONDS)


def _tests_of_devices() -> Path:
    """The tests in Rust of devices, compiled as `make test` compiles them."""
    built = subprocess.run(
        [
            *("cargo", "test", "--release", "--workspace", "--exclude", "ciphermark-kasumi"),
            *("--locked", "--lib", "--no-run", "--quiet", "--message-format", "json"),
        ],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
        timeout=600,
    )
    made = [json.loads(line) for line in built.stdout.splitlines()]
    (path,) = [
        it["executable"]
        for it in made
        if it.get("target", {}).get("name") == "ciphermark_devices" and it.get("executable")
    ]
    return Path(path)


def test_the_kernel_tells_which_driver_it_takes(answers: list[Answer]) -> None:
    description = json.loads(answers[0].output)
    (provider,) = [it for it in description["providers"] if it["name"] == "af_alg"]
    assert provider["usable"], provider["reason"]
    found = {it["algorithm"]: it for it in description["implementations"]}
    assert "aes" in found["aes-128-cbc"]["path"]
    assert found["aes-128-cbc"]["backend_evidence"] == "reported"
    assert len(found) > 50


def test_all_that_the_kernel_has_passes_its_vectors(answers: list[Answer]) -> None:
    verification = json.loads(answers[1].output)
    assert verification["failed"] == 0, verification
    passed = {it["algorithm"] for it in verification["results"] if it["passed"]}
    described = {it["algorithm"] for it in json.loads(answers[0].output)["implementations"]}
    # Suites are composed of these; no vectors are theirs, and agreement is asked below.
    assert passed == {it for it in described if ":" not in it}


def test_the_kernel_agrees_with_another_library(answers: list[Answer]) -> None:
    code, output, messages = answers[2]
    agreement = json.loads(output)["agreement"]
    assert (code, agreement["disagreements"], agreement["failures"]) == (0, [], []), messages


def test_the_device_answers_as_the_library(answers: list[Answer]) -> None:
    code, output, messages = answers[3]
    assert code == 0, output + messages
    assert "test result: ok" in output
    assert "skipped" not in messages + output
