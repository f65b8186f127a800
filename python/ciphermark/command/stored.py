"""Stored runs as commands take them, and the one rule for the newest run with figures.

A run whose every sample was disturbed has rows and no figures. It is passed over with a message; a
run that is named by its identifier is taken as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ciphermark.errors import WorkError

if TYPE_CHECKING:
    from ciphermark.record.run import Context, Summary
    from ciphermark.record.store import Store
    from ciphermark.workload import AnyRow, AnyRows


def stored_rows(store: Store, run: str, workload: str) -> AnyRows:
    """Returns the rows of a run as they were stored. Raises `WorkError`."""
    from ciphermark.record.layout import table_file
    from ciphermark.record.parquet import explained
    from ciphermark.workload import rows_from_table

    with explained(table_file(store.folder(run), "rows")):
        return rows_from_table(store.rows(run), workload)


def rows_of(store: Store, run: str, context: Context) -> AnyRows:
    """Returns the rows of a run as they were stored.

    Raises `WorkError`, also for a row of a function that the context does not describe.
    """
    from ciphermark.record.layout import table_file
    from ciphermark.record.parquet import damaged

    stored = stored_rows(store, run, context.workload)
    known = {it.name for it in context.algorithms}
    for number, row in enumerate(stored if known else ()):
        if row.algorithm not in known:
            raise damaged(
                table_file(store.folder(run), "rows"),
                f"row {number} is of {row.algorithm}, which the run's context does not have",
            )
    return stored


LAST = "last"
"""Word for the newest run."""

_MOST_NAMED = 3
"""Most runs that the message names."""

# Whether a command can do its work with these rows of a run.
Serves = Callable[[Sequence[Any]], bool]


class Newest:
    """Search for runs with figures in a store, which notes the runs passed over and the reasons.

    The run that is `named` serves whatever it has.
    """

    def __init__(self, store: Store, named: str | None = None) -> None:
        self._store = store
        self.named = named
        self._passed: dict[str, str] = {}

    def first(self, candidates: Iterable[Summary], serves: Serves = bool) -> str | None:
        """Returns the first of the candidates that serves, None if none does."""
        return next((it.run for it in self.serving(candidates, serves)), None)

    def serving(self, candidates: Iterable[Summary], serves: Serves = bool) -> Iterator[Summary]:
        """Yields the candidates that serve by their rows with figures.

        `candidates` are given newest first. One that would serve if all its rows had figures is
        passed over, and so is one that cannot be read.
        """
        from ciphermark.workload import workload_of

        for it in candidates:
            if it.run == self.named:
                yield it
                continue
            try:
                rows = stored_rows(self._store, it.run, it.workload)
            except WorkError:
                self._passed[it.run] = "its rows cannot be read"
                continue
            workload = workload_of(it.workload)
            with_figures = [row for row in rows if workload.has_figure(row)]
            if serves(with_figures):
                yield it
            elif serves(rows):
                without = [row for row in rows if not workload.has_figure(row)]
                what = "lacks figures for this" if with_figures else "has no figure"
                self._passed[it.run] = f"it {what}: {_why(without)}"

    def say_passed_over(self) -> None:
        """Prints the runs passed over in one line; nothing where every run served."""
        from ciphermark.messages import say

        if self._passed:
            named = [f"run {run} ({why})" for run, why in self._passed.items()]
            more = len(named) - _MOST_NAMED
            listed = "; ".join(named[:_MOST_NAMED]) + (f"; and {more} more" if more > 0 else "")
            say(f"passed over {listed}")


def resolve(store: Store, name: str, plan_name: str | None = None) -> str:
    """Returns the run that is meant where figures are needed.

    `last` is the newest run that has some, of this plan or any; all else is as `Store.resolve`
    takes it. Raises `UsageError`.
    """
    if name != LAST:
        return store.resolve(name)
    summaries = store.summaries()
    latest = store.resolve(name)
    if all(it.run != latest for it in summaries):
        return latest  # it cannot be read, and whoever does so says why
    newest = Newest(store)
    of_plan = [it for it in summaries if plan_name in (None, it.plan_name)]
    chosen = newest.first(of_plan)
    if chosen is None:  # the command says what is missing in it
        return of_plan[0].run if of_plan else latest
    newest.say_passed_over()
    return chosen


def _why(rows: Sequence[AnyRow]) -> str:
    """Returns the reason why these rows, at least one, have no figure."""
    if all(row.error for row in rows):
        return "every case failed"
    if not any(getattr(row, "samples", 0) for row in rows):
        return "it ended before a case was measured"
    failed = any(row.error for row in rows)
    return "every sample was disturbed" + (", or the case failed" if failed else "")
