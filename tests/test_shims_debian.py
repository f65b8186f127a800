"""Shims compiled with the headers of Debian 13, and their answers with its libraries."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from chroots import Root

ROOT = Path(__file__).resolve().parents[1]
ENGINE = Path(sys.prefix) / "bin" / "ciphermark-engine"
MACHINE = os.uname().machine
PACKAGES = {
    "cryptopp": "libcrypto++-dev",
    "ipsec_mb": "libipsec-mb-dev",
    "libtomcrypt": "libtomcrypt-dev",
    "mbedtls": "libmbedtls-dev",
    "nettle": "nettle-dev",
    "wolfssl": "libwolfssl-dev",
}
"""Debian's packages of the libraries whose shims need headers."""
if MACHINE != "x86_64":
    del PACKAGES["ipsec_mb"]


@pytest.mark.deep
def test_shims_answer_right_with_the_libraries_of_debian_13(
    debian: Callable[..., Root], tmp_path: Path
) -> None:
    """The engine takes a shim as it takes a kernel of the user's."""
    root = debian("trixie", *PACKAGES.values())
    for name in PACKAGES:
        compile_shim(name, root.folder, tmp_path / f"{name}.so")
    kernels = [text for it in PACKAGES for text in ("--library", f"kernel@{it}=/home/user/{it}.so")]
    ended = root.run(
        *("/bin/ciphermark-engine", "verify", *kernels),
        *(f"--providers=kernel@{it}" for it in PACKAGES),
        home=tmp_path,
        read_only={"/bin/ciphermark-engine": ENGINE},
        seconds=300,
    )
    assert ended.returncode == 0, ended.stderr
    verdicts = json.loads(ended.stdout)
    assert verdicts["failed"] == 0
    passed = Counter[str]()
    for result in verdicts["results"]:
        assert result["error"] is None, result
        passed[result["provider"]] += result["passed"]
    assert passed.keys() == {f"kernel@{it}" for it in PACKAGES}
    assert min(passed.values()) > 400, passed


def compile_shim(name: str, tree: Path, target: Path) -> None:
    """Compiles a shim with headers and libraries in a tree of packages."""
    (source,) = (ROOT / "engine" / "shims").glob(f"{name}.c*")
    linked = re.search(r"Linked with -l([\w+]+)\.", source.read_text())
    assert linked is not None
    compiler = ["c++", "-std=c++17"] if source.suffix == ".cc" else ["cc", "-std=c99"]
    include, libraries = tree / "usr/include", tree / "usr/lib" / f"{MACHINE}-linux-gnu"
    line = [
        *(*compiler, "-O1", "-fPIC", "-shared", "-Wl,--no-undefined"),
        *(f"-I{ROOT / 'kernels' / 'include'}", "-isystem", include / f"{MACHINE}-linux-gnu"),
        *("-isystem", include, "-o", target, source, f"-L{libraries}", f"-l{linked[1]}"),
    ]
    done = subprocess.run(list(map(str, line)), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
