"""The index of a runs folder: the summaries of all runs in one file.

It is never the truth. Each look compares it with the folder, reads the contexts of the runs that
it lacks, forgets those that have vanished, and writes it anew; what cannot be written is only kept
in memory. Reading 10,000 contexts takes seconds, reading the index takes milliseconds.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path

import msgspec
import pyarrow as pa

from ciphermark.errors import WorkError
from ciphermark.record import parquet, tables
from ciphermark.record.atomic import replaced_file
from ciphermark.record.contexts import read_summary
from ciphermark.record.layout import run_ids
from ciphermark.record.run import Summary

INDEX_FILE = "index.parquet"


class Index(msgspec.Struct, frozen=True):
    """What is known of the runs in a folder."""

    runs: pa.Table
    """Columns of `tables.SUMMARY`, newest run first."""
    unreadable: list[str]
    """For each run whose context cannot be read, the sentence that names it and says why."""


def refreshed(root: Path) -> Index:
    """Brings the index of a folder up to date, and returns it."""
    known = _read(root / INDEX_FILE)
    indexed = known["run"].to_pylist()
    stored = run_ids(root)
    vanished = set(indexed).difference(stored)
    added, unreadable = _read_summaries(root, set(stored).difference(indexed))
    if vanished or added:
        kept = known.filter(pa.array([run not in vanished for run in indexed], pa.bool_()))
        known = _newest_first(pa.concat_tables([kept, tables.summaries_table(added)]))
        _write(known, root / INDEX_FILE)
    return Index(known, unreadable)


def _read_summaries(root: Path, runs: Iterable[str]) -> tuple[list[Summary], list[str]]:
    summaries: list[Summary] = []
    unreadable: list[str] = []
    for run in sorted(runs):
        try:
            # The folder's name is what a run is found by, even if someone has renamed it.
            summaries.append(msgspec.structs.replace(read_summary(root / run), run=run))
        except WorkError as error:
            unreadable.append(str(error))
    return summaries, unreadable


def _newest_first(runs: pa.Table) -> pa.Table:
    return runs.sort_by([("started_unix_ns", "descending"), ("run", "descending")])


def _read(path: Path) -> pa.Table:
    """The index as it is on disk; empty when it is missing, damaged or of another version."""
    with contextlib.suppress(WorkError):
        table = parquet.read(path)
        if table.schema.equals(tables.SUMMARY):
            return table
    return tables.SUMMARY.empty_table()


def _write(runs: pa.Table, path: Path) -> None:
    with contextlib.suppress(OSError), replaced_file(path) as partial:
        parquet.write(runs, partial)
