"""Runs of a shared filesystem that were read before, as folders that DuckDB and pyarrow can open.

A run never changes, so that a copy of it stays right. There are at most `MOST_BYTES` of them; those
that were not used for longest go first, but none that someone may be reading now.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Iterable
from pathlib import Path

from ciphermark.files.atomic import new_folder, remove_leftovers
from ciphermark.record.layout import run_ids

MOST_BYTES = 4 * 2**30
"""Of all runs of one address together; some thousand runs of a survey."""

IN_USE_S = 600
"""A run that was asked for within this time may be being read."""


class RunCache:
    """The copies in one folder."""

    def __init__(self, folder: Path, most_bytes: int = MOST_BYTES) -> None:
        self.folder = folder
        self._most_bytes = most_bytes

    def find(self, run: str) -> Path | None:
        """The copy of a run, where there is one; it then counts as used."""
        folder = self.folder / run
        try:
            os.utime(folder)
        except OSError:
            return None
        return folder

    def add(self, run: str, files: Iterable[tuple[str, bytes]]) -> Path:
        """Keeps the files of a run, whole or not at all, and makes room for them.

        Raises `OSError` when they cannot be written.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        remove_leftovers(self.folder)
        target = self.folder / run
        # Another process may have been quicker, and has the same files.
        with contextlib.suppress(FileExistsError), new_folder(target) as partial:
            for path, content in files:
                file = partial / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
        os.utime(target)
        self._make_room()
        return target

    def _make_room(self) -> None:
        used = [_Used(self.folder / run) for run in run_ids(self.folder)]
        used.sort(key=lambda it: it.at)
        total = sum(it.bytes for it in used)
        for it in used:
            if total <= self._most_bytes or it.at > time.time() - IN_USE_S:
                return
            shutil.rmtree(it.folder, ignore_errors=True)
            total -= it.bytes


class _Used:
    """When a copy was last used, and what it takes."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.at, self.bytes = folder, 0.0, 0
        with contextlib.suppress(OSError):  # another process may be removing it
            self.at = folder.stat().st_mtime
            self.bytes = sum(it.stat().st_size for it in folder.rglob("*") if it.is_file())
