"""The stored runs of a shared filesystem, told by a URL.

What is read comes through a cache on this machine (`RunCache`); what is saved is first
written here, so that a measured run is never lost with the connection, and then sent.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ciphermark.errors import UsageError, WorkError
from ciphermark.files import user_folders
from ciphermark.files.atomic import new_folder, remove, remove_leftovers
from ciphermark.messages import say_once
from ciphermark.record import index
from ciphermark.record.layout import TABLES, run_ids, table_file
from ciphermark.record.remote import Remote
from ciphermark.record.run import Run, Summary
from ciphermark.record.store import Store
from ciphermark.record.unsent import Unsent

if TYPE_CHECKING:
    from ciphermark.record.table import Table

MOST_BYTES = 4 * 2**30
"""Of all runs of one address together; some thousand runs of a survey."""

CHECKSUMS = "checksums"
"""The file of a copy with the checksums of all others: the footers of Parquet files have none of
their own, and a changed letter in the name of a column makes a column that seems to be missing."""

IN_USE_S = 600
"""A run that was asked for within this time may be being read."""


class RunCache:
    """The copies in one folder."""

    def __init__(self, folder: Path, most_bytes: int = MOST_BYTES) -> None:
        self.folder = folder
        self._most_bytes = most_bytes

    def find(self, run: str) -> Path | None:
        """The copy of a run, where there is one that is whole; it then counts as used."""
        folder = self.folder / run
        try:
            os.utime(folder)
            if (folder / CHECKSUMS).read_bytes() == _checksums(folder):
                return folder
        except OSError:
            if not folder.exists():
                return None
        remove(folder)
        say_once("copy", f"{folder}, a copy of a shared run, is damaged and fetched again")
        return None

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
            (partial / CHECKSUMS).write_bytes(_checksums(partial))
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


def _checksums(folder: Path) -> bytes:
    """SHA-256 and name of each Parquet file below a folder, a line each. Raises `OSError`."""
    lines = []
    for path in sorted(folder.rglob("*.parquet")):
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        lines.append(f"{digest}  {path.relative_to(folder).as_posix()}\n")
    return "".join(lines).encode()


class _Used:
    """When a copy was last used, and what it takes."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.at, self.bytes = folder, 0.0, 0
        with contextlib.suppress(OSError):  # another process may be removing it
            self.at = folder.stat().st_mtime
            self.bytes = sum(it.stat().st_size for it in folder.rglob("*") if it.is_file())


SHARED_INDEX_FROM = 50
"""Contexts that one look had to read, from which on the next machine is spared them by an index
beside the runs."""


class SharedStore(Store):
    """The runs that a URL means; `root` is where copies of them lie on this machine."""

    def __init__(self, url: str) -> None:
        """Raises `UsageError` when the filesystem is not known or its package is missing."""
        self.remote = Remote(url)
        # Not of the whole URL: another password is the same place.
        unsent = Unsent(self.remote.place)
        super().__init__(user_folders.cache_folder() / "runs" / unsent.name)
        self._unsent = unsent
        self._cache = RunCache(self.root)

    @property
    def place(self) -> str:
        return self.remote.place

    @property
    def notes(self) -> Path:
        return user_folders.data_folder() / "notes" / self.root.name

    def run_ids(self) -> list[str]:
        return self.remote.run_ids()

    @property
    def unsent(self) -> Path:
        """Where runs wait that could not be sent."""
        return self._unsent.folder

    def check_writable(self) -> None:
        try:
            self.remote.check_writable()
        except WorkError as error:
            raise UsageError(
                f"runs cannot be stored: {error}; or name another with --runs"
            ) from None
        Store(self.unsent).check_writable()

    def save(self, run: Run, rows: Table, also_rows: Sequence[Table] = ()) -> Path:
        """As `Store.save`. What cannot be sent is kept on this machine, and sent with the next."""
        name = run.context.run
        kept = self._unsent.keep(f"run {name} could not be kept", run, rows, also_rows)
        try:
            self._take(kept)
        except (OSError, WorkError) as error:
            if kept.exists():  # else another process has taken it along meanwhile
                raise self._unsent.told(str(error), kept) from None
        self._unsent.forget(kept)
        self.take_along()
        return self.folder(name)

    def folder(self, run: str) -> Path:
        """The copy of a run on this machine, fetched where it is not there yet."""
        if Path(run).is_absolute():
            return Path(run)
        return self._cache.find(run) or self._fetched(run)

    def started(self, run: str) -> int:
        with self.copies([run], "context") as folder:
            from ciphermark.record.run_folder import read_summary

            return read_summary(folder / run).started_unix_ns

    def listing(self, limit: int | None = None) -> index.Listing:
        stored = self.run_ids()
        found = index.brought_up_to_date(self.root, stored, self._summaries)
        return index.Listing(found.summaries[:limit], found.unreadable)

    @contextlib.contextmanager
    def copies(self, runs: Iterable[str], table: str) -> Iterator[Path]:
        """A folder with the folders of runs that have this one table: many of them at once, and
        only for the block. What is not complete is left out."""
        name = table_file(Path(), table).name
        with TemporaryDirectory(prefix="ciphermark-runs-") as folder:
            for path, content in self.remote.read(f"{run}/{name}" for run in runs):
                if content is not None:
                    file = Path(folder, path)
                    file.parent.mkdir()
                    file.write_bytes(content)
            yield Path(folder)

    def _summaries(self, runs: Sequence[str]) -> tuple[dict[str, Summary], list[str]]:
        """By the index beside the runs, then by their contexts."""
        found: dict[str, Summary] = {}
        if len(runs) >= SHARED_INDEX_FROM:
            [(_, content)] = self.remote.read([index.INDEX_FILE])
            wanted = set(runs)
            found = {it.run: it for it in index.decoded(content or b"") if it.run in wanted}
        missing = [run for run in runs if run not in found]
        read, unreadable = self._read_contexts(missing)
        found |= read
        if len(read) >= SHARED_INDEX_FROM:
            with contextlib.suppress(WorkError):  # who may only read does without
                self.remote.write_file(index.INDEX_FILE, index.encoded(list(found.values())))
        return found, unreadable

    def _read_contexts(self, runs: Sequence[str]) -> tuple[dict[str, Summary], list[str]]:
        if not runs:
            return {}, []
        with self.copies(runs, "context") as folder:
            complete = [run for run in runs if (folder / run).exists()]
            found, unreadable = index.read_contexts(folder, complete)
            said = [text.replace(str(folder), self.place) for text in unreadable]
        missing = [
            f"run {run} in {self.place} is not complete: it is being written, or its writer died"
            for run in runs
            if run not in complete
        ]
        return found, said + missing

    def _fetched(self, run: str) -> Path:
        sizes = self.remote.files(run)
        lacking = [f"{it}.parquet" for it in TABLES if f"{it}.parquet" not in sizes]
        if lacking:
            raise WorkError(
                f"run {run} in {self.place} has no {lacking[0]}: it is not complete; see "
                "ciphermark list runs"
            )
        paths = {f"{run}/{path}": size for path, size in sizes.items()}
        content = {}
        for path, found in self.remote.read(paths):
            if found is None or len(found) != paths[path]:
                raise WorkError(f"{self.place}/{path} was cut short on its way; try again")
            content[path.removeprefix(f"{run}/")] = found
        try:
            return self._cache.add(run, content.items())
        except OSError as error:
            raise WorkError(
                f"run {run} could not be copied to {self.root} ({error.strerror}); make room there"
            ) from error

    def _take(self, run: Path) -> str:
        """Sends a run that is kept here, which is then a copy like any other."""
        self.remote.write_run(run.name, run)
        files = [
            (path.relative_to(run).as_posix(), path.read_bytes()) for path in run.rglob("*.parquet")
        ]
        with contextlib.suppress(OSError):
            self._cache.add(run.name, files)
        return run.name
