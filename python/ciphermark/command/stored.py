"""Stored rows, as the commands that show a run take them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ciphermark.record.run import Context
    from ciphermark.record.store import Store
    from ciphermark.workload import AnyRows


def stored_rows(store: Store, run: str, workload: str) -> AnyRows:
    """The figures of a run as they were computed when it was stored. Raises `WorkError`."""
    from ciphermark.record.layout import table_file
    from ciphermark.record.parquet import explained
    from ciphermark.workload import rows_from_table

    with explained(table_file(store.folder(run), "rows")):
        return rows_from_table(store.rows(run), workload)


def rows_of(store: Store, run: str, context: Context) -> AnyRows:
    """The same, of functions that the run's context describes. Raises `WorkError`."""
    from ciphermark.record.layout import table_file
    from ciphermark.record.parquet import damaged

    found = stored_rows(store, run, context.workload)
    known = {it.name for it in context.algorithms}
    for row in found if known else ():
        if row.algorithm not in known:
            raise damaged(
                table_file(store.folder(run), "rows"),
                f"its row {row.case} is of {row.algorithm}, which the run's context does not have",
            )
    return found
