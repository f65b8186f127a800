"""Wheels: the same bytes twice, a bill of materials, and the systems that take or refuse them.

Engines are built by `make wheels`; what takes no engine packs a program in its place.
"""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PLATFORM = "manylinux_2_17_{0}.manylinux2014_{0}"


def pack(folder: Path, machine: str = "x86_64", **variables: str) -> Path:
    """Packs a wheel around a program that is no engine."""
    sbom = folder / "ciphermark.cdx.json"
    folder.mkdir(exist_ok=True)
    sbom.write_text("{}")
    environment = os.environ | {
        "CIPHERMARK_ENGINE": "/bin/true",
        "CIPHERMARK_PLATFORM": PLATFORM.format(machine),
        "CIPHERMARK_SBOM": str(sbom),
        "SOURCE_DATE_EPOCH": "1700000000",
        **variables,
    }
    line = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(line, cwd=ROOT, env=environment, check=True, capture_output=True, timeout=120)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel for x86-64."""
    return pack(tmp_path_factory.mktemp("wheel"))


def install(wheel: Path) -> str:
    """Installs without dependencies into no place, and returns the words of pip."""
    line = [sys.executable, "-m", "pip", "install", "--dry-run", "--no-index", "--no-deps"]
    done = subprocess.run([*line, wheel], capture_output=True, text=True, timeout=120)
    return done.stdout + done.stderr


@pytest.mark.slow
def test_two_wheels_of_one_engine_are_the_same_bytes(packed: Path, tmp_path: Path) -> None:
    again = pack(tmp_path, TZ="Asia/Tokyo", HOME=str(tmp_path))
    assert again.read_bytes() == packed.read_bytes()
    assert again.name == f"ciphermark-0.1.0-py3-none-{PLATFORM.format('x86_64')}.whl"


@pytest.mark.slow
def test_a_wheel_holds_the_engine_its_bill_and_the_kernels(packed: Path) -> None:
    with zipfile.ZipFile(packed) as wheel:
        names = set(wheel.namelist())
        engine = wheel.read("ciphermark-0.1.0.data/scripts/ciphermark-engine")
    assert engine == Path("/bin/true").read_bytes()
    assert "ciphermark-0.1.0.dist-info/sboms/ciphermark.cdx.json" in names
    assert {"ciphermark/kernels/include/kernel.h", "ciphermark/kernels/reference/md5.c"} <= names
    assert not [name for name in names if "__pycache__" in name]


@pytest.mark.slow
def test_other_machines_and_older_pythons_are_refused_by_pip(packed: Path) -> None:
    """The machine of a wheel is in its name; the oldest Python is in its metadata."""
    there, other = (packed, packed.with_name(packed.name.replace("x86_64", "aarch64")))
    if os.uname().machine != "x86_64":
        there, other = other, there
    other.write_bytes(packed.read_bytes())
    there.write_bytes(packed.read_bytes())
    assert "Would install ciphermark" in install(there)
    assert "is not a supported wheel on this platform" in install(other)
    with zipfile.ZipFile(packed) as wheel:
        metadata = wheel.read("ciphermark-0.1.0.dist-info/METADATA").decode()
    assert "\nRequires-Python: >=3.11\n" in metadata


@pytest.mark.parametrize(
    ("tag", "wanted", "fits"),
    [
        ("manylinux_2_17_x86_64", "manylinux_2_17_x86_64", True),
        ("manylinux_2_5_x86_64", "manylinux_2_17_x86_64", True),
        ("manylinux_2_35_x86_64", "manylinux_2_17_x86_64", False),
        ("manylinux_2_17_aarch64", "manylinux_2_17_x86_64", False),
        ("musllinux_1_2_x86_64", "manylinux_2_17_x86_64", False),
        ("linux_x86_64", "manylinux_2_17_x86_64", False),
    ],
)
def test_tags_that_auditwheel_finds(tag: str, wanted: str, fits: bool) -> None:
    tool = runpy.run_path(str(ROOT / "tools" / "make_wheels.py"))
    assert tool["allows"](tag, wanted) is fits
