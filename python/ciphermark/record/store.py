"""The stored runs of a folder.

A run is written once and never changed; its folder can be copied, shared and removed like any
other. `record.layout` says which files it has, `record.shared_store` is the same on a shared
filesystem. What reads and writes Parquet is imported where it is needed: that takes 0.2 s, and a
list of runs can do without.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ciphermark.errors import UsageError, WorkError
from ciphermark.files import user_folders
from ciphermark.messages import is_utf8, say
from ciphermark.record import index, remote
from ciphermark.record.index import Listing
from ciphermark.record.layout import new_run_id, run_ids, table_file
from ciphermark.record.run import Context, Outline, Run, Summary
from ciphermark.record.unsent import Unsent

if TYPE_CHECKING:
    from ciphermark.record.query import Figures
    from ciphermark.record.table import Table


_MOST_NAMED = 5
"""Runs that a message names at most."""


def run_meant(name: str, stored: list[str], place: str, started: Callable[[str], int]) -> str:
    """The run meant by `last`, an identifier, a part of one that is unique, or a folder's path.

    `stored` are the runs in `place`, newest first; `started` tells when one began. A run outside of
    them is returned as its absolute path, which stands for an identifier wherever the store takes
    one. Raises `UsageError`.
    """
    if name in stored:
        return name
    if os.path.isfile(table_file(Path(name), "context")):
        return os.path.abspath(name)
    if not stored:
        raise UsageError(
            f"no runs are stored in {place}; measure with 'ciphermark survey', or name the folder "
            "of the runs with --runs DIR"
        )
    return _newest(stored, started) if name == "last" else _only(name, stored)


def _newest(stored: list[str], started: Callable[[str], int]) -> str:
    # Identifiers count whole seconds, in which two short runs may have begun.
    second = stored[0].rpartition("-")[0]
    candidates = [run for run in stored if run.startswith(second)]
    if len(candidates) == 1:
        return candidates[0]
    return max(candidates, key=started)


def _only(name: str, stored: list[str]) -> str:
    matches = _matches(name, stored)
    if len(matches) == 1:
        return matches[0]
    if matches:
        named = ", ".join(matches[:_MOST_NAMED]) + (", …" if len(matches) > _MOST_NAMED else "")
        raise UsageError(
            f"'{name}' means {len(matches)} runs ({named}); type more of the identifier, "
            "or see 'ciphermark list runs'"
        )
    raise UsageError(f"there is no run '{name}'{_near(name, stored)}; see 'ciphermark list runs'")


def _matches(name: str, stored: list[str]) -> list[str]:
    """Runs by their four hex digits, else by any part."""
    by_digits = [run for run in stored if run.endswith(f"-{name}")]
    return by_digits or [run for run in stored if name and name in run]


def _near(name: str, stored: list[str]) -> str:
    digits = {run.rpartition("-")[2]: run for run in stored}
    words = difflib.get_close_matches(name, [*stored, *digits], n=3)
    near = sorted({digits.get(word, word) for word in words}, reverse=True)
    return f"; near it: {', '.join(near)}" if near else ""


_PROBE_BYTES = 8 * 2**20
"""Room that there must be before measuring: a run of 200,000 samples, at 30 bytes each stored."""


class Store:
    """The runs in one folder. A run is named by its identifier, see `resolve`."""

    def __init__(self, root: Path) -> None:
        # As a shell does: `~nobody`, whom the system does not know, stays as it is written.
        self.root = Path(os.path.expanduser(root)).absolute()
        self._unsent = Unsent(str(self.root))

    @classmethod
    def default(cls, runs: Path | str | None = None) -> Store:
        """The folder or URL given, else that of CIPHERMARK_RUNS, else the user's data directory.

        Raises `UsageError` for the URL of a filesystem that cannot be used here.
        """
        chosen = runs or os.environ.get("CIPHERMARK_RUNS")
        folder = remote.local_folder(str(chosen or user_folders.data_folder() / "runs"))
        if folder is not None:
            store = Store(folder)
            if not is_utf8(store.place):
                raise UsageError(
                    f"the name of the runs folder ({store.place!a}) is not UTF-8, the encoding of "
                    "stored runs: name another one with --runs DIR"
                )
            return store
        from ciphermark.record.shared_store import SharedStore

        return SharedStore(str(chosen))

    @property
    def place(self) -> str:
        """Where the runs lie, as people are told."""
        return str(self.root)

    @property
    def notes(self) -> Path:
        """The folder on this machine for what is noted beside the runs: the ledgers of fleets."""
        return self.root

    def run_ids(self) -> list[str]:
        """Identifiers of the runs, newest first. Raises `WorkError`."""
        return run_ids(self.root)

    def kept(self) -> set[str]:
        """Identifiers of the runs that will not be lost any more. Raises `WorkError`."""
        return {*self.run_ids(), *self._unsent.run_ids()}

    def check_writable(self) -> None:
        """Makes the folder and tries whether it takes a run. Raises `UsageError`.

        To be called before measuring, so that nobody waits for a run that cannot be kept.
        """
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.root) as probe:
                probe.write(bytes(_PROBE_BYTES))
        except OSError as error:
            raise UsageError(
                f"runs cannot be stored in {self.root} ({error.strerror}); make room there, or "
                "name another folder with --runs DIR"
            ) from error

    def save(self, run: Run, rows: Table, also_rows: Sequence[Table] = ()) -> Path:
        """Writes a run with its rows, whole or not at all, and returns its folder. `also_rows` are
        those of the runs that belong to it. Runs that wait for this folder are taken along.

        Where the folder does not take it, the run is kept elsewhere on this machine. Raises then
        `KeptElsewhere`, and `NotStored` where there is no room for it anywhere.
        """
        from ciphermark.record.run_folder import add_run

        try:
            folder = add_run(self.root, run, rows, also_rows)
        except Exception as error:  # whatever it is, the figures are kept
            why = error.strerror if isinstance(error, OSError) else repr(error)
            reason = f"run {run.context.run} could not be stored in {self.root} ({why})"
            raise self._unsent.told(
                reason, self._unsent.keep(reason, run, rows, also_rows)
            ) from error
        self.take_along()
        # So that the list after thousands of saved runs need not read them all.
        with contextlib.suppress(WorkError):
            index.refreshed(self.root)
        return folder

    def take_along(self) -> None:
        """Stores the runs that wait for this place, as far as that is possible now."""
        for run in list(self._unsent.runs()):
            try:
                name = self._take(run)
            except (OSError, WorkError):
                continue  # it waits on
            self._unsent.forget(run)
            its = f"as {name} " if name != run.name else ""
            say(f"run {run.name}, which was kept in {run.parent}, is stored {its}in {self.place}")

    def _take(self, run: Path) -> str:
        """Stores a run that waits, and returns its identifier there."""
        from ciphermark.record.run_folder import (
            add_run,
            copy_run,
            read_also_rows,
            read_rows,
            read_run,
        )

        there = table_file(self.root / run.name, "context")
        if not there.exists():
            return copy_run(run, self.root).name
        if there.read_bytes() == table_file(run, "context").read_bytes():
            return run.name  # another process was quicker
        other = read_run(run)  # of the same second, and by chance with the same digits
        other.context.run = new_run_id(other.context.started_unix_ns)
        return add_run(self.root, other, read_rows(run), read_also_rows(run)).name

    def folder(self, run: str) -> Path:
        """Where the files of a run lie."""
        return self.root / run

    def resolve(self, name: str) -> str:
        """The run meant by `last`, an identifier, a part of one that is unique, or a folder's path.

        A folder's path is returned absolute, and stands for an identifier in all other methods.
        Raises `UsageError` when no run or several are meant.
        """
        return run_meant(name, self.run_ids(), self.place, self.started)

    def started(self, run: str) -> int:
        """When a run began, nanoseconds since 1970. Raises `WorkError`."""
        from ciphermark.record.run_folder import read_summary

        return read_summary(self.folder(run)).started_unix_ns

    @contextlib.contextmanager
    def copies(self, runs: Iterable[str], table: str) -> Iterator[Path]:
        """A folder in which each of these runs is a folder that has the table: here their own."""
        yield self.root

    def load(self, run: str) -> Run:
        """The whole run. Raises `WorkError` that names the file which cannot be read."""
        from ciphermark.record.run_folder import read_run

        return read_run(self.folder(run))

    def context(self, run: str) -> Context:
        """The context alone. Raises `WorkError`."""
        from ciphermark.record.run_folder import read_context

        return read_context(self.folder(run))

    def outline(self, run: str) -> Outline:
        """The context without its plan, in half the time. Raises `WorkError`."""
        from ciphermark.record.run_folder import read_outline

        return read_outline(self.folder(run))

    def rows(
        self, run: str, context: Summary | None = None, columns: Sequence[str] | None = None
    ) -> Table:
        """The rows as they were stored, or their columns of these names; `context` is what is
        known of the run already. Raises `WorkError`."""
        from ciphermark.record.run_folder import read_rows

        return read_rows(self.folder(run), context, columns)

    def listing(self, limit: int | None = None) -> Listing:
        """The runs, newest first, at most `limit`, and those that cannot be read."""
        found = index.refreshed(self.root)
        return Listing(found.summaries[:limit], found.unreadable)

    def summaries(self, limit: int | None = None) -> list[Summary]:
        """The runs that can be read, newest first, at most `limit`."""
        return self.listing(limit).summaries

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> Table:
        """The answer to a question in SQL over all runs that can be read.

        Views: `runs` (a row for each run, columns of `Summary`), `rows` and `samples` (with the
        identifier of their run in `run`). Raises `UsageError` when the question is not valid.
        """
        from ciphermark.record.query import query

        return query(self.place, self.summaries(), self.folder, sql, parameters)

    def figures(
        self, say: Callable[[str], object] = str
    ) -> contextlib.AbstractContextManager[Figures]:
        """Questions in SQL to the figures of all runs of one thread, for the block.

        Views: `runs` (a row for each of these runs, as in `query`) and `figures` (the columns of
        `record.query`). Of thousands of runs far quicker than `query`. `say` is told what cannot
        be read, and what takes long.
        """
        from ciphermark.record.query import figures

        return figures(self.root, self.summaries(), lambda some: self.copies(some, "rows"), say)
