"""Our portable kernels as libraries that lie or remember: `libraries/lying.c`, `remembering.c`."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from library_fixture import KERNELS, SOURCES, compiled, definitions

FILES = (
    *("common/hash.c", "common/incremental.c", "pieces.c"),
    *(f"modes/{it}.c" for it in ("hmac", "chacha20", "poly1305", "chacha20_poly1305")),
    *(f"reference/{it}.c" for it in ("md5", "sha1", "sha256", "sha512")),
    *(f"portable/{it}_portable.c" for it in ("md5", "sha1", "sha256", "sha512", "hmac")),
    *(f"portable/{it}_portable.c" for it in ("chacha20", "poly1305", "chacha20_poly1305")),
)
"""Kernels that `libraries/wrapped.h` names, and what they need."""

FOLDERS = ("include", "common", "modes", "reference", "universal")

TALLY_BYTES = 64


def wrapped(compiler: str, name: str, target: Path, **macros: object) -> Path:
    """`libraries/NAME.c` with macros set, made in a minute at most; the variables of its
    environment stand in its first comment."""
    headers = (f"-I{KERNELS / folder}" for folder in FOLDERS)
    sources = (KERNELS / file for file in FILES)
    options = definitions({macro: str(value) for macro, value in macros.items()})
    return compiled(compiler, target, *headers, *options, SOURCES / f"{name}.c", *sources)


class Tally(NamedTuple):
    """What a row of the lying kernels did, in all processes."""

    algorithm: str
    operation: int
    calls: int
    wrong: int
    misdeeds: int


def tallies(path: Path) -> list[Tally]:
    """What is in the file that LYING_TALLY named; nothing where it was never called."""
    content = path.read_bytes() if path.exists() else b""
    entries = [content[at : at + TALLY_BYTES] for at in range(0, len(content), TALLY_BYTES)]
    return [
        Tally(it[:32].rstrip(b"\0").decode(), *(int.from_bytes(it[at : at + 8], "little")
                                               for at in (32, 40, 48, 56)))
        for it in entries if it[0]
    ]  # fmt: skip
