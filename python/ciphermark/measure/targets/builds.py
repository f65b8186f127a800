"""Folders in the user's cache for what is compiled for targets, named by what it is made of.

The same sources, by the same compiler with the same flags, are compiled once. A few of each target
are kept; older ones belong to sources that have changed since.
"""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import msgspec
import platformdirs

from ciphermark.measure.targets import process
from ciphermark.measure.targets.target import Target
from ciphermark.measure.targets.toolchain import Toolchain, kernel_sources

KEPT = 3
"""Folders of one target."""

_SOURCES = ("*.c", "*.h", "*.S", "*.ld")


def toolchain(target: Target, images: Path, jobs: int = 1, root: Path | None = None) -> Toolchain:
    """The tools of a target, with the folder in the cache that fits them and the kernels' sources,
    and one of the caller's own for images.

    Raises `WorkError` where the compiler is missing.
    """
    kernels = kernel_sources()
    root = root or platformdirs.user_cache_path("ciphermark") / "targets"
    folder = root / f"{target.name}-{_content(target, kernels)}"
    _make_room(root, target, folder)
    folder.mkdir(parents=True, exist_ok=True)
    folder.touch()
    return Toolchain(target, kernels, folder, jobs, images)


def compiler_line(target: Target) -> str:
    """The first line of what the compiler says of itself."""
    return process.check(target.prefix + target.compiler, "--version").splitlines()[0]


def _content(target: Target, kernels: Path) -> str:
    """Of all that decides what comes out."""
    content = hashlib.sha256(msgspec.json.encode(target))
    content.update(compiler_line(target).encode())
    for path in sorted(path for kind in _SOURCES for path in kernels.rglob(kind)):
        content.update(f"{path.relative_to(kernels)}\n".encode())
        content.update(path.read_bytes())
    return content.hexdigest()[:16]


def _make_room(root: Path, target: Target, kept: Path) -> None:
    """Removes the folders of a target that were not used for longest."""
    others = [path for path in root.glob(f"{target.name}-*") if path != kept]
    own = [path for path in others if len(path.name) == len(kept.name)]
    for path in sorted(own, key=lambda it: it.stat().st_mtime)[: -(KEPT - 1)]:
        shutil.rmtree(path, ignore_errors=True)
