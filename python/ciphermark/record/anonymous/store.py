"""A folder of runs without what tells whose they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ciphermark.errors import WorkError
from ciphermark.record.anonymous.run import anonymous
from ciphermark.record.anonymous.words import Names
from ciphermark.record.run_folder import add_run
from ciphermark.workload import rows, rows_table

if TYPE_CHECKING:
    from ciphermark.record.store import Store


def write_anonymous(
    store: Store,
    runs: Sequence[str],
    output: Path,
    left_out: Callable[[WorkError], object] | None = None,
) -> list[str]:
    """Writes these runs of a store, which are given newest first, and returns their new
    identifiers, oldest first.

    `left_out` is told of runs that cannot be read. Raises `WorkError` for the first of them unless
    it is given, and where a run cannot be written.
    """
    names, written = Names(), []
    # Oldest first, so that the order of the runs of a day is kept.
    for run in reversed(runs):
        try:
            kept = anonymous(store.load(run), names)
        except WorkError as error:
            if left_out is None:
                raise
            left_out(error)
            continue
        # Computed anew: rows hold texts too.
        also = [rows_table(rows(it), it.context.workload) for it in kept.also]
        try:
            add_run(output, kept, rows_table(rows(kept), kept.context.workload), also)
        except OSError as error:
            raise WorkError(
                f"run {run} could not be written to {output} ({error.strerror}); make room there, "
                "or name another folder with --output DIR"
            ) from error
        written.append(kept.context.run)
    return written
