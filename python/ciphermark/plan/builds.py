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


def old_and_new(old: str, new: str) -> dict[str, str]:
    """Paths by provider of `--ab OLD NEW`, each `PATH` (a kernel) or `PROVIDER=PATH`:
    `kernel@old`, `kernel@new`."""
    (old_name, old_path), (new_name, new_path) = _build(old), _build(new)
    if old_name != new_name:
        raise UsageError(
            f"--ab compares builds of one library, and {old_name} is not {new_name}: for two "
            "libraries write --providers and ciphermark compare last:ONE last:OTHER"
        )
    return {f"{old_name}@old": old_path, f"{new_name}@new": new_path}


def _build(text: str) -> tuple[str, str]:
    provider, separator, path = text.partition("=")
    return (provider.lower(), path) if separator else (KERNEL, text)


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
