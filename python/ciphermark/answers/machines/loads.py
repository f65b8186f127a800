"""What messages cost on each machine while others are at work: the figures of stored runs of many
sessions and of packets, by load."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ciphermark.answers.machines.figures import SENDING, Implementation, Point
from ciphermark.answers.machines.machine import Key, key_of, unsaid
from ciphermark.errors import UsageError, WorkError
from ciphermark.workload import NAMES, rows_from_table, workload_of
from ciphermark.workloads.loaded import LoadedRow

if TYPE_CHECKING:
    from ciphermark.record.run import Summary
    from ciphermark.record.store import Store

USUAL = {"pattern": "reused-key", "offload": "none", "buffers": "hot", "after": None}
"""Fields of rows of a function as it is usually called; lanes and keys belong to the load."""


class Loaded(NamedTuple):
    """What one run says of one implementation under one load."""

    what: Implementation
    load: str
    point: Point


def workloads() -> list[str]:
    """Those with a load whose rows are costs of messages."""
    found = ((name, workload_of(name)) for name in NAMES)
    return [name for name, it in found if it.compared is not None and it.load is not None]


def check(workload: str) -> None:
    """Raises `UsageError` for a name that is none of these."""
    if workload not in workloads():
        names = " or ".join(workloads())
        raise UsageError(f"--workload {workload!r} has no load: write {names}, or leave it out")


def loaded(
    store: Store,
    summaries: Sequence[Summary],
    workload: str,
    operations: Sequence[str] | None = None,
    say: Callable[[str], None] = unsaid,
) -> dict[Key, list[Loaded]]:
    """By machine the figures of the runs of a workload, the oldest first; those of the sending
    operations unless others are named. `say` is told of runs that cannot be read."""
    found: dict[Key, list[Loaded]] = {}
    of_workload = [it for it in summaries if it.workload == workload]
    for summary in sorted(of_workload, key=lambda it: it.started_unix_ns):
        try:
            rows = rows_from_table(store.rows(summary.run), workload)
        except WorkError as error:
            say(str(error))
            continue
        for row in workload_of(workload).message_rows(rows):
            if row.operation in (operations or SENDING) and isinstance(row, LoadedRow):
                found.setdefault(key_of(summary), []).extend(_of_row(row, summary))
    return found


def _of_row(row: LoadedRow, summary: Summary) -> Iterator[Loaded]:
    """What a usual row says, if it has a figure."""
    is_usual = all(getattr(row, name) == value for name, value in USUAL.items())
    if not is_usual or row.switches or not row.message_bytes or row.cycles_per_byte is None:
        return
    yield Loaded(
        Implementation(
            row.algorithm, row.operation, row.provider, row.backend_asked, row.message_bytes
        ),
        row.load,
        Point(
            run=summary.run,
            started_unix_ns=summary.started_unix_ns,
            backend=row.backend,
            cycles_per_byte=row.cycles_per_byte,
            ci_low=row.ci_low,
            ci_high=row.ci_high,
            mbytes_per_second=row.mbytes_per_second,
            converged=row.converged,
        ),
    )
