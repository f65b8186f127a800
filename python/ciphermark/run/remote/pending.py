"""Runs that go on elsewhere, or have ended there, and are not stored here yet.

One small file for each in the user's cache folder, written before a run begins and removed when it
is stored. Whoever works on one holds a lock on it, which ends with the process.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from ciphermark.files import rebuildable, user_folders
from ciphermark.files.atomic import replaced_file
from ciphermark.files.reading import UNREADABLE
from ciphermark.messages import say


class Pending(msgspec.Struct, kw_only=True):
    """A run, and where its events are."""

    name: str
    """The box, as the user called it."""
    folder: str
    """The name of the folder there."""
    run: str
    """The run's folder in it."""
    command: str
    """As it was typed."""
    ends_unix_s: float
    """When it is over at the latest, by this machine's clock."""
    begun: msgspec.Raw
    """What is needed to store it."""
    identity: str = ""
    """Of the machine that the name led to (`Box.identity`)."""
    node: str = ""
    """What that machine calls itself."""
    stored: bool = False
    """Whether it is stored, and only the box is to be told so."""


class Shelf:
    """The runs that are pending."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or user_folders.cache_folder() / "remote"
        self._held: dict[str, int] = {}

    def put(self, pending: Pending) -> None:
        """Keeps one, held by us. Raises OSError."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with replaced_file(self._path(pending.run)) as partial:
            partial.write_bytes(rebuildable.sealed(msgspec.json.encode(pending)))
        self.release(pending.run)  # a lock is on a file, and this one is new
        self._hold(pending.run)

    def remove(self, run: str) -> None:
        """Forgets one."""
        self._path(run).unlink(missing_ok=True)
        self.release(run)

    def release(self, run: str) -> None:
        """Leaves it to others."""
        if (descriptor := self._held.pop(run, None)) is not None:
            os.close(descriptor)

    def take(self) -> list[Pending]:
        """All that nobody else works on, held by us from now on, the oldest first."""
        return [it for it in self._all() if self._hold(it.run)]

    def _all(self) -> Iterator[Pending]:
        files = (self._folder.glob("*.json")) if self._folder.is_dir() else ()
        for path in sorted(files, key=_written):
            if (pending := _read(path)) is not None:
                yield pending

    def _hold(self, run: str) -> bool:
        """Whether it is ours now."""
        if run in self._held:
            return True
        try:
            descriptor = os.open(self._path(run), os.O_RDONLY)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            return False
        self._held[run] = descriptor
        return True

    def _path(self, run: str) -> Path:
        return self._folder / f"{run}.json"


def _written(path: Path) -> float:
    """When; never for one that another process has just removed."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _read(path: Path) -> Pending | None:
    """What a file tells. Of a damaged one nobody knows what was measured, but it may be the only
    trace of that: it is set aside and not removed."""
    try:
        return msgspec.json.decode(rebuildable.unsealed(path.read_bytes()), type=Pending)
    except FileNotFoundError:
        return None  # another process has stored it
    except (OSError, *UNREADABLE) as error:
        aside = path.with_suffix(".damaged")
        with contextlib.suppress(OSError):
            path.rename(aside)
        say(
            f"{path} cannot be read ({error}): the run on another machine that it tells of is not "
            f"collected; it is set aside as {aside}"
        )
        return None
