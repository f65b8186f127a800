"""Shims that open their libraries, under sanitizers: random keys, lengths and chunks."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROUNDS = "60"
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover"]
LIBRARIES = {
    "botan": "libbotan-2.so.19",
    "libgcrypt": "libgcrypt.so.20",
    "libsodium": "libsodium.so.23",
    "openssl": "libcrypto.so.3",
}

pytestmark = pytest.mark.deep


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_shim_stays_within_its_bytes_and_answers_alike(name: str, tmp_path: Path) -> None:
    program = tmp_path / name
    command = ["cc", "-std=gnu11", "-O1", "-g", *SANITIZERS, f'-DSHIM="{name}.c"']
    folders = [f"-I{ROOT / 'kernels' / 'include'}", f"-I{ROOT / 'engine' / 'shims'}"]
    # Botan throws, and the sanitizer looks for the C++ library when the program starts.
    libraries = ["-Wl,--no-as-needed", "-lstdc++"] if name == "botan" else []
    source = ROOT / "tests" / "libraries" / "fuzz_shim.c"
    built = subprocess.run(
        [*command, *folders, "-o", program, source, *libraries, "-ldl"],
        capture_output=True,
        text=True,
    )
    if "cannot find" in built.stderr:
        pytest.skip(f"the compiler has no sanitizers: {built.stderr}")
    assert built.returncode == 0, built.stderr
    # A library keeps what it has allocated until the process ends.
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
    done = subprocess.run(
        [program, LIBRARIES[name], "1", ROUNDS],
        capture_output=True,
        text=True,
        env=environment,
        timeout=600,
    )
    if done.returncode == 2:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[0]) > 1000
