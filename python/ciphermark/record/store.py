"""The stored runs of a folder.

A run is written once and never changed; its folder can be copied, shared and removed like any
other. `record.layout` says which files it has.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import platformdirs
import pyarrow as pa

from ciphermark.errors import UsageError, WorkError
from ciphermark.record import index, names, parquet, tables
from ciphermark.record.atomic import new_folder, remove_leftovers
from ciphermark.record.contexts import read_context, read_summary
from ciphermark.record.layout import table_file
from ciphermark.record.run import Context, Run, Summary

Decoded = TypeVar("Decoded")

_PROBE_BYTES = 8 * 2**20
"""Room that there must be before measuring: a run of 200,000 samples, at 30 bytes each stored."""


class Listing(msgspec.Struct, frozen=True):
    """What `Store.listing` finds."""

    summaries: list[Summary]
    """Newest first."""
    unreadable: list[str]
    """For each run that cannot be read, the sentence that names it and says why."""


class Store:
    """The runs in one folder. A run is named by its identifier, see `resolve`."""

    def __init__(self, root: Path) -> None:
        self.root = root.expanduser().absolute()

    @classmethod
    def default(cls, runs: Path | None = None) -> Store:
        """The folder given, else that of CIPHERMARK_RUNS, else the user's data directory."""
        chosen = runs or os.environ.get("CIPHERMARK_RUNS")
        return cls(Path(chosen or platformdirs.user_data_path("ciphermark") / "runs"))

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

    def save(self, run: Run, rows: pa.Table) -> Path:
        """Writes a run with its rows, whole or not at all, and returns its folder.

        Raises `WorkError` when the disk is full, the folder cannot be written, or the run is
        there already.
        """
        folder = self.folder(run.context.run)
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            remove_leftovers(self.root)
            with new_folder(folder) as partial:
                for name, table in _tables(run, rows).items():
                    parquet.write(table, table_file(partial, name))
        except OSError as error:
            raise WorkError(
                f"run {run.context.run} could not be stored in {self.root} ({error.strerror}); "
                "make room there, or name another folder with --runs DIR"
            ) from error
        # So that the list after thousands of saved runs need not read them all.
        with contextlib.suppress(WorkError):
            index.refreshed(self.root)
        return folder

    def folder(self, run: str) -> Path:
        """Where the files of a run lie."""
        return self.root / run

    def resolve(self, name: str) -> str:
        """The run meant by `last`, an identifier, a part of one that is unique, or a folder's path.

        A folder's path is returned absolute, and stands for an identifier in all other methods.
        Raises `UsageError` when no run or several are meant.
        """
        return names.resolve(self.root, name)

    def load(self, run: str) -> Run:
        """The whole run. Raises `WorkError` that names the file which cannot be read."""
        folder = self.folder(run)
        return Run(
            context=read_context(folder),
            cases=_decoded(folder, "cases", tables.cases_of),
            samples=_decoded(folder, "samples", tables.samples_of),
            warnings=_decoded(folder, "warnings", tables.warnings_of),
        )

    def context(self, run: str) -> Context:
        """The context alone. Raises `WorkError`."""
        return read_context(self.folder(run))

    def rows(self, run: str) -> pa.Table:
        """The rows as they were stored. Raises `WorkError`."""
        folder = self.folder(run)
        read_summary(folder)
        return parquet.read(table_file(folder, "rows"))

    def listing(self, limit: int | None = None) -> Listing:
        """The runs, newest first, at most `limit`, and those that cannot be read."""
        found = index.refreshed(self.root)
        return Listing(tables.summaries_of(found.runs.slice(0, limit)), found.unreadable)

    def summaries(self, limit: int | None = None) -> list[Summary]:
        """The runs that can be read, newest first, at most `limit`."""
        return self.listing(limit).summaries

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> pa.Table:
        """The answer to a question in SQL over all runs that can be read.

        Views: `runs` (a row for each run, columns of `Summary`), `rows` and `samples` (with the
        identifier of their run in `run`). Raises `UsageError` when the question is not valid.
        """
        # DuckDB takes 0.15 s to import, which the other methods need not wait for.
        from ciphermark.record.query import query

        return query(self.root, index.refreshed(self.root), sql, parameters)


def _tables(run: Run, rows: pa.Table) -> dict[str, pa.Table]:
    return {
        "context": tables.context_table(run.context),
        "cases": tables.cases_table(run.cases),
        "samples": tables.samples_of(run.samples),
        "warnings": tables.warnings_table(run.warnings),
        "rows": rows,
    }


def _decoded(folder: Path, name: str, decode: Callable[[pa.Table], Decoded]) -> Decoded:
    file = table_file(folder, name)
    with parquet.explained(file):
        return decode(parquet.read(file))
