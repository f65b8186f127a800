"""The static engines: they need nothing, and each measures on the processor that it is for.

`make engines` makes them; without it these tests are skipped. Those of other machines are emulated.
"""

from __future__ import annotations

import functools
import json
import runpy
import subprocess
from pathlib import Path
from typing import Any

import pytest

import ciphermark
from ciphermark.run import engine_choice
from ciphermark.run.engine import Engine
from engine_fixture import measured
from static_engines import have_calls_up_to, made, run_on

ROOT = Path(__file__).resolve().parents[1]
MACHINES = ("x86_64", "aarch64", "armv7", "riscv64")
OPENED = {"openssl", "libgcrypt", "libsodium", "botan", "libtomcrypt", "nettle", "mbedtls"} | {
    *("wolfssl", "ipsec-mb", "cryptopp", "opencl")
}
"""Libraries that are opened at run time."""

COMPILED_IN = {"rustcrypto", "aws-lc", "blake3", "kernels"}

LAST_OF_LINUX_3_2 = 311
"""`process_vm_writev` (arch/x86/entry/syscalls/syscall_64.tbl); the next, `kcmp`, is of 3.5."""

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def index() -> dict[str, Any]:
    """The tool that checks engines; skips where its library is not there."""
    pytest.importorskip("elftools")
    return runpy.run_path(str(ROOT / "tools" / "index_engines.py"))


@pytest.fixture(params=MACHINES)
def static(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    """The engine of each machine, in a form that runs here."""
    return Engine(run_on(request.param, tmp_path))


@pytest.mark.parametrize("machine", MACHINES)
def test_needs_no_loader_and_no_library(machine: str, index: dict[str, Any]) -> None:
    assert index["fault"](made(machine).read_bytes(), machine) is None


def test_what_needs_more_is_refused(index: dict[str, Any]) -> None:
    """A program of this system is linked dynamically; cut short it is none."""
    here = engine_choice.own_machine()
    if here not in index["MACHINES"]:
        pytest.skip(f"there are no engines for {here}")
    own = Path("/bin/sh").read_bytes()
    assert "needs a loader" in index["fault"](own, here)
    assert "not armv7" in index["fault"](own, "armv7")
    assert "is no program" in index["fault"](own[1:], here)
    assert "has 15000001 bytes" in index["fault"](own.ljust(15_000_001, b"\0"), here)


def test_says_which_libraries_it_does_not_open(static: Engine) -> None:
    description = static.describe()
    assert description.engine.version == ciphermark.__version__
    assert "-unknown-linux-musl" in description.engine.target
    providers = {it.name: it for it in description.providers}
    assert {name for name, it in providers.items() if it.usable} - {"af_alg"} == COMPILED_IN
    said = "is a shared library, and this engine is statically linked and opens none"
    assert {name for name, it in providers.items() if said in it.reason} == OPENED


def test_answers_are_right(static: Engine) -> None:
    """Those to test vectors, by all providers and code paths, and those to random messages."""
    algorithms = ["aes-128-gcm", "sha256", "umac-64", "blake3"]
    found = static.verify(algorithms=algorithms, agreement="sample")
    assert found.failed == 0 and found.passed > 0
    assert found.agreement is not None
    assert not found.agreement.disagreements and not found.agreement.failures
    assert {it.provider for it in found.results if it.passed} >= COMPILED_IN


@pytest.mark.measures
def test_measures(static: Engine) -> None:
    plan = {"algorithms": ["md5"], "operations": ["digest"], "sizes": [64]}
    rows = measured(static, providers=["rustcrypto", "kernels"], **plan)
    assert {row.provider for row in rows} == {"rustcrypto", "kernels"}
    assert all(row.error is None for row in rows)


def test_starts_on_an_old_kernel(tmp_path: Path) -> None:
    """One that has no newer system calls than Linux 3.2."""
    engine = made("x86_64")
    if engine_choice.own_machine() != "x86_64":
        pytest.skip("on other processors system calls are not numbered as they came")
    old = functools.partial(have_calls_up_to, LAST_OF_LINUX_3_2)
    for arguments in (["describe"], ["verify", "--algorithms", "sha256"]):
        done = subprocess.run(
            [engine, *arguments], capture_output=True, timeout=60, preexec_fn=old, check=False
        )
        assert (done.returncode, done.stderr) == (0, b"")
        assert json.loads(done.stdout)
