"""What the engine knows of algorithms, kept: they change only with the engine, and to ask it takes
a quarter of a second, since it opens every library.

One small file for each engine in the user's cache folder; a lost or damaged one is asked for anew.
"""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

import platformdirs

from ciphermark import contract
from ciphermark.files import rebuildable
from ciphermark.measure.engine import Engine

MOST_ENGINES = 5
"""Whose facts are kept, a third of a megabyte each."""


def algorithms(engine: Engine, folder: Path | None = None) -> list[contract.Algorithm]:
    """The facts of all algorithms. Raises what `Engine.describe` does."""
    path = _path(engine.path, folder or platformdirs.user_cache_path("ciphermark") / "facts")
    if (known := rebuildable.read(path, list[contract.Algorithm])) is not None:
        return known
    found = engine.describe().algorithms
    rebuildable.write(path, found)
    with contextlib.suppress(OSError):  # another process may do so too
        _forget_older(path.parent)
    return found


def _forget_older(folder: Path) -> None:
    files = sorted(folder.glob("*.json"), key=lambda it: it.stat().st_mtime)
    for old in files[:-MOST_ENGINES]:
        old.unlink(missing_ok=True)


def _path(engine: Path, folder: Path) -> Path:
    """Changes when the engine does."""
    facts = engine.stat()
    identity = f"{engine} {facts.st_size} {facts.st_mtime_ns}"
    return folder / f"{hashlib.sha256(identity.encode()).hexdigest()[:32]}.json"
