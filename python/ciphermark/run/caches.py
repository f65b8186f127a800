"""What the engine said before, kept in small files in the user's cache folder; a lost or damaged
one is asked for again.

Code paths take seconds to look at, and change only with engine, library or processor: a file for
each library. The facts of algorithms change only with the engine, and to ask for them takes a
quarter of a second, since it opens every library: a file for each engine.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ciphermark import contract
from ciphermark.files import rebuildable, user_folders
from ciphermark.plan.simulation import PROVIDER

if TYPE_CHECKING:
    from ciphermark.run.engine import Engine

MOST_FILES = 200
"""Older ones belong to libraries that were upgraded since."""


class _Known(msgspec.Struct):
    looked: set[str]
    """Algorithms of which all paths were looked for."""
    implementations: list[contract.Implementation]


class PathCache:
    """What is known of the code paths of each library here."""

    def __init__(self, engine: Path, folder: Path | None = None) -> None:
        self._engine = engine
        self._folder = folder or user_folders.cache_folder() / "code-paths"

    def complete(
        self, provider: contract.Provider, algorithms: Iterable[str]
    ) -> list[contract.Implementation] | None:
        """The implementations of these algorithms with all paths, where all were looked for."""
        known, wanted = self._read(provider), set(algorithms)
        if known is None or not wanted <= known.looked:
            return None
        return [
            implementation
            for implementation in known.implementations
            if implementation.algorithm in wanted
        ]

    def known(self, provider: contract.Provider) -> list[contract.Implementation]:
        """The implementations whose path is known."""
        known = self._read(provider)
        return known.implementations if known is not None else []

    def keep(
        self,
        provider: contract.Provider,
        found: Iterable[contract.Implementation],
        looked: Iterable[str] = (),
    ) -> None:
        """Adds what was found; a cache that cannot be written is done without.

        `looked` names the algorithms of which these are all paths.
        """
        before = self._read(provider) or _Known(set(), [])
        by_identity: dict[tuple[object, ...], contract.Implementation] = {}
        for it in (*before.implementations, *found):
            by_identity[_identity(it)] = _with_leavings(it, by_identity.get(_identity(it)))
        known = _Known(before.looked | set(looked), list(by_identity.values()))
        rebuildable.write(self._path(provider), known)
        _forget_older(self._folder)

    def _read(self, provider: contract.Provider) -> _Known | None:
        return rebuildable.read(self._path(provider), _Known)

    def _path(self, provider: contract.Provider) -> Path:
        """Named by everything that the paths depend on."""
        facts = (
            *_file(self._engine),
            *_file(Path(provider.location)),
            provider.name,
            provider.version,
            provider.build,
            provider.notice,
            _processor(),
        )
        return self._folder / f"{hashlib.sha256(repr(facts).encode()).hexdigest()[:32]}.json"


def _with_leavings(
    it: contract.Implementation, before: contract.Implementation | None
) -> contract.Implementation:
    """What is known now. Calls differ in what they leave behind, by size and operation: who was
    once seen to leave vector registers dirty does so."""
    if before is None or before.leaves_vectors_dirty is None or it.leaves_vectors_dirty:
        return it
    return msgspec.structs.replace(it, leaves_vectors_dirty=before.leaves_vectors_dirty)


def _forget_older(folder: Path) -> None:
    with contextlib.suppress(OSError):  # another process may do so too
        files = sorted(folder.iterdir(), key=lambda it: it.stat().st_mtime)
        for old in files[:-MOST_FILES]:
            old.unlink(missing_ok=True)


def _identity(it: contract.Implementation) -> tuple[object, ...]:
    return it.algorithm, it.backend, it.path, tuple(sorted(it.switches.items()))


def _file(path: Path) -> tuple[str, int, int]:
    """Changes when the file does; what is compiled into the engine has none of its own."""
    try:
        facts = path.stat()
    except OSError:
        return str(path), 0, 0
    return str(path), facts.st_size, facts.st_mtime_ns


def _processor() -> str:
    """The features of the processor, as the kernel lists them."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        return ""
    return next((line for line in lines if line.startswith(("flags", "Features"))), "")


MOST_ENGINES = 5
"""Whose facts are kept, a third of a megabyte each."""


class _Facts(msgspec.Struct):
    """The part of a description that depends on nothing but the engine."""

    algorithms: list[contract.Algorithm]
    kernels: list[contract.Implementation]


def algorithms(engine: Engine, folder: Path | None = None) -> list[contract.Algorithm]:
    """The facts of all algorithms. Raises what `Engine.describe` does."""
    return _facts(engine, folder).algorithms


def kernels(engine: Engine, folder: Path | None = None) -> list[contract.Implementation]:
    """Returns all of our own kernels. Raises what `Engine.describe` does."""
    return _facts(engine, folder).kernels


def _facts(engine: Engine, folder: Path | None) -> _Facts:
    path = _path(engine.path, folder or user_folders.cache_folder() / "facts")
    if (known := rebuildable.read(path, _Facts)) is not None:
        return known
    described = engine.describe()
    own = [it for it in described.implementations if it.provider == PROVIDER]
    found = _Facts(described.algorithms, own)
    rebuildable.write(path, found)
    with contextlib.suppress(OSError):  # another process may do so too
        _forget_other_engines(path.parent)
    return found


def _forget_other_engines(folder: Path) -> None:
    files = sorted(folder.glob("*.json"), key=lambda it: it.stat().st_mtime)
    for old in files[:-MOST_ENGINES]:
        old.unlink(missing_ok=True)


def _path(engine: Path, folder: Path) -> Path:
    """Changes when the engine does."""
    facts = engine.stat()
    identity = f"{engine} {facts.st_size} {facts.st_mtime_ns}"
    return folder / f"{hashlib.sha256(identity.encode()).hexdigest()[:32]}.json"
