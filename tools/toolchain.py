"""Says in one sentence what is missing to build: a newer Python, Rust at all, a newer Rust.

`make` runs this before anything else, the build hook of the wheel before it starts cargo. With
`--rust-packages` it prints Debian's packages of a Rust that is missing. It must itself run on the
Pythons that it refuses, so it uses nothing newer than Python 3.7.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

RUST_PACKAGES = ("rustc-web", "cargo-web")
"""Debian's packages of a Rust that is kept new for browsers, in Debian 12 and 13."""

ROOT = Path(__file__).resolve().parent.parent


def missing():
    """The sentence, or None when everything is there."""
    return python_missing(sys.version_info[:3]) or rust_missing(rustc_version())


def python_missing(found):
    """The sentence about a Python of version `found`, None when it is new enough."""
    wanted = _stated("pyproject.toml", r'requires-python = ">=([\d.]+)"')
    if found >= _numbers(wanted):
        return None
    version = ".".join(map(str, found))
    return (
        f"Python {version} is too old, ciphermark needs {wanted}; "
        f"type: make PYTHON=python{wanted} survey"
    )


def rust_missing(found):
    """The sentence about what `rustc --version` printed, None when it is new enough."""
    wanted = _stated("Cargo.toml", r'rust-version = "([\d.]+)"')
    version = re.match(r"rustc (\d+\.\d+)", found or "")
    if version is None:
        return (
            f"No Rust was found, ciphermark needs {wanted} or newer; on Debian type: "
            f"sudo apt-get install {' '.join(RUST_PACKAGES)}; elsewhere install it from "
            "https://rustup.rs and open a new shell"
        )
    if _numbers(version.group(1)) >= _numbers(wanted):
        return None
    return (
        f"Rust {version.group(1)} is too old, ciphermark needs {wanted}; type: rustup update "
        f"(see https://rustup.rs) or, on Debian: sudo apt-get install {' '.join(RUST_PACKAGES)}"
    )


def rustc_version():
    """What `rustc --version` prints, None when it cannot be run."""
    try:
        command = [os.environ.get("RUSTC", "rustc"), "--version"]
        return subprocess.run(
            command, stdout=subprocess.PIPE, check=True, timeout=60, text=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None


def workspace_version():
    """The version of this source tree."""
    return _stated("Cargo.toml", r'\nversion = "([\d.]+)"')


def _stated(file, pattern):
    """The version that a file of the project asks for, so that it is written down once."""
    return re.search(pattern, (ROOT / file).read_text(encoding="utf-8")).group(1)


def _numbers(version):
    return tuple(map(int, version.split(".")))


if __name__ == "__main__":
    if sys.argv[1:] == ["--rust-packages"]:
        print(*(RUST_PACKAGES if rust_missing(rustc_version()) else ()))
    else:
        sys.exit(missing())
