"""Wheels where users have them: Debian without a compiler, arm64, musl, and other bare systems."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import static_engines
from chroots import Root
from ciphermark.run import engine_choice

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "dist" / "wheels"
PYTHON = ("ca-certificates", "python3-venv")
LIBRARIES = {
    "openssl": "libssl-dev",
    "libgcrypt": "libgcrypt20-dev",
    "libsodium": "libsodium-dev",
    "botan": "libbotan-2-dev",
    "cryptopp": "libcrypto++-dev",
    "mbedtls": "libmbedtls-dev",
    "libtomcrypt": "libtomcrypt-dev",
    "wolfssl": "libwolfssl-dev",
    "nettle": "nettle-dev",
}
"""Packages that bring libraries, by the name that they have in several releases of Debian."""

PLACE = "/srv/wheel"

pytestmark = [pytest.mark.deep, pytest.mark.long]


def wheel(name: str) -> Path:
    """The wheel of `make wheels` for a C library and a machine; skips where it was not made."""
    libc, machine = name.split("-")
    found = sorted(FOLDER.glob(f"ciphermark-*-{libc}*_{machine}.whl"))
    if not found:
        pytest.skip(f"no wheel {name} in {FOLDER}; type: make wheels WHEELS={name}")
    return found[-1]


def engine_of(packed: Path, folder: Path) -> Path:
    """The engine out of a wheel, in a folder."""
    with zipfile.ZipFile(packed) as archive:
        (inside,) = (it for it in archive.namelist() if it.endswith("/scripts/ciphermark-engine"))
        (folder / "ciphermark-engine").write_bytes(archive.read(inside))
    (folder / "ciphermark-engine").chmod(0o755)
    return folder / "ciphermark-engine"


@functools.cache
def own_wheel() -> Path:
    """Builds the wheel for this machine, which takes minutes the first time."""
    if sys.platform != "linux" or os.uname().machine not in ("x86_64", "aarch64"):
        pytest.skip("there are no wheels for this machine")
    name = f"manylinux-{os.uname().machine}"
    subprocess.run(["make", "wheels", f"WHEELS={name}"], cwd=ROOT, check=True, timeout=1500)
    return wheel(name)


def in_root(root: Root, home: Path, *command: str, **options: object) -> str:
    """Runs a command that sees the wheels; returns its output."""
    done = root.run(*command, home=home, read_only={PLACE: FOLDER}, **options)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize("suite", ["bookworm", "trixie"])
def test_a_wheel_measures_where_there_is_no_compiler(
    debian: Callable[..., Root], tmp_path: Path, suite: str
) -> None:
    packed = own_wheel().name  # before the roots, which see its folder
    root = debian(suite, *PYTHON, *LIBRARIES.values())
    absent = "! command -v gcc cc cargo && python3 -m venv venv"
    in_root(root, tmp_path, "sh", "-c", absent)
    pip = ("venv/bin/pip", "install", "--quiet", "--only-binary=:all:")
    in_root(root, tmp_path, *pip, f"{PLACE}/{packed}", network=True, seconds=300)
    described = in_root(root, tmp_path, "venv/bin/ciphermark-engine", "describe")
    providers = {it["name"]: it for it in json.loads(described)["providers"]}
    unusable = {
        name: providers[name]["reason"] for name in LIBRARIES if not providers[name]["usable"]
    }
    assert unusable == {}
    in_root(root, tmp_path, "venv/bin/ciphermark", "survey", "--quick", seconds=240)
    shown = in_root(root, tmp_path, "venv/bin/ciphermark", "show", "last", "--json")
    assert '"sha256"' in shown and '"aes-128-gcm"' in shown
    done = root.run(
        *("venv/bin/ciphermark", "survey", "--quick"), home=tmp_path, environment={"HOME": "/usr"}
    )
    assert done.returncode == 2
    (sentence,) = done.stderr.strip().splitlines()
    assert "Read-only file system" in sentence and "--runs DIR" in sentence


def test_the_engine_of_a_wheel_needs_an_old_glibc(tmp_path: Path) -> None:
    """With the shims that are embedded in it."""
    engine = engine_of(own_wheel(), tmp_path)
    needed = engine_choice.glibc_needed(engine.read_bytes())
    assert needed is not None and needed <= (2, 17)


def test_without_libraries_there_is_one_sentence_for_each(
    debian: Callable[..., Root], tmp_path: Path
) -> None:
    engine_of(own_wheel(), tmp_path)
    told = json.loads(in_root(debian("trixie"), tmp_path, "./ciphermark-engine", "describe"))
    providers = {it["name"]: it for it in told["providers"]}
    assert providers["rustcrypto"]["usable"]
    for name in ("libsodium", "botan", "wolfssl"):  # the smallest Debian has some others
        assert providers[name]["reason"].count("apt-get install") == 1
        assert len(providers[name]["reason"].splitlines()) == 1


def test_on_musl_libraries_of_glibc_are_refused(
    debian: Callable[..., Root], tmp_path: Path
) -> None:
    """The loader of musl, on a Debian whose libraries are linked to glibc."""
    engine_of(wheel(f"musllinux-{os.uname().machine}"), tmp_path)
    root = debian("bookworm", "musl", "libssl3")
    told = json.loads(in_root(root, tmp_path, "./ciphermark-engine", "describe"))
    providers = {it["name"]: it for it in told["providers"]}
    assert {"rustcrypto", "aws-lc", "blake3", "kernels"} <= {
        name for name, it in providers.items() if it["usable"]
    }
    for provider in providers.values():
        assert provider["usable"] or len(provider["reason"].splitlines()) == 1
    done = root.run(
        "./ciphermark-engine", "verify", "--algorithms", "sha256", home=tmp_path, seconds=120
    )
    assert done.returncode == 0, done.stderr


def test_the_wheel_for_arm64_verifies_under_emulation(tmp_path: Path) -> None:
    if os.uname().machine != "x86_64":
        pytest.skip("programs for arm64 are emulated on x86-64 only")
    glibc = Path("/usr/aarch64-linux-gnu")
    if not (glibc / "lib" / "libc.so.6").exists():
        pytest.skip("no glibc for arm64 (Debian's libc6-arm64-cross); type: make system-packages")
    target = tmp_path / "installed"
    for_arm64 = ("--platform=manylinux2014_aarch64", "--only-binary=:all:", "--no-deps")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", *for_arm64]
    line = [*pip, f"--target={target}", str(wheel("manylinux-aarch64"))]
    subprocess.run(line, check=True, timeout=120)
    script = static_engines.emulator("aarch64", target / "bin" / "ciphermark-engine", tmp_path)
    environment = {"QEMU_LD_PREFIX": str(glibc)}
    algorithms = ["aes-128-gcm", "sha256", "umac-64", "blake3"]
    done = subprocess.run(
        [script, "verify", *(f"--algorithms={it}" for it in algorithms)],
        env=os.environ | environment,
        capture_output=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["passed"] > 0
