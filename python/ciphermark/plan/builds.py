"""Builds of libraries and kernels that the user names, each with a name of its own."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from ciphermark.errors import UsageError

KERNEL = "kernel"
"""The provider of shared objects that follow kernel.h."""


def read(libraries: list[str], kernels: list[str]) -> dict[str, str]:
    """Paths by provider of `--library PROVIDER=PATH` and `--kernel PATH`.

    Several builds of one library are told apart by what follows an `@`: what the user has written
    there, else a number. A kernel is called by its file.
    """
    named = [_library(text) for text in libraries] + [_kernel(text) for text in kernels]
    often = Counter(name for name, _ in named)
    seen: Counter[str] = Counter()
    builds: dict[str, str] = {}
    for name, path in named:
        seen[name] += 1
        build = name if often[name] == 1 else _numbered(name, seen[name])
        if build in builds:
            raise UsageError(f"two libraries are called {build}: write {build}-2=PATH for one")
        builds[build] = path
    return builds


def _library(text: str) -> tuple[str, str]:
    provider, separator, path = text.partition("=")
    if not (provider and separator and path):
        raise UsageError(
            f"--library {text!r} is not PROVIDER=PATH: write for example "
            "openssl=/opt/lib/libcrypto.so.3"
        )
    return provider.lower(), path


def _kernel(path: str) -> tuple[str, str]:
    stem = Path(path).name.split(".")[0].removeprefix("lib").lower()
    return f"{KERNEL}@{stem or KERNEL}", path


def _numbered(name: str, number: int) -> str:
    return f"{name}-{number}" if "@" in name else f"{name}@{number}"
