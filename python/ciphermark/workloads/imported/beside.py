"""Figures of `openssl speed` beside this machine's, by the same calls and by whole messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from ciphermark import contract
from ciphermark.view import figures
from ciphermark.view.blocks import Block, Notes, Table
from ciphermark.view.column import Column, of_words
from ciphermark.workloads.imported.readers.openssl_loops import loops

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.record.store import Store
    from ciphermark.workloads.single.row import Row

LIBRARY = "openssl"

MOST_RUNS = 10
"""Newest runs of this machine that are looked through."""

LEAST_CHUNKS = 16
"""Calls for data in a message that has one nonce and one tag, to come near to the data alone."""

_SHOWN_BYTES = 1024
"""The size on the screen is the nearest to this."""

_Key = tuple[str, str, contract.Pattern, int]


class Beside(msgspec.Struct, kw_only=True):
    """One function at one size; MB/s, null where it was not measured here."""

    algorithm: str
    operation: str
    message_bytes: int
    timed: str
    """Work of the other program's loop for each message."""
    theirs: float
    here_by_same_calls: float | None
    here_by_whole_messages: float | None
    same_calls: contract.Pattern | None
    """Our calling pattern with the same calls."""


def beside(run: Run, rows: Sequence[Row], store: Store) -> list[Beside]:
    """Returns each figure of an imported run of `openssl speed` beside those of this machine."""
    if run.origin is None or not run.origin.timed or run.origin.processes > 1:
        return []
    said = {it.case: it.said for it in run.imported}
    here = _here(store)
    pairs = []
    for row in rows:
        loop = loops().loops[run.origin.timed[said[row.case]]]
        if row.mbytes_per_second is None or row.message_bytes is None:
            continue

        def speed(pattern: contract.Pattern | None, row: Row = row) -> float | None:
            if pattern is None or row.message_bytes is None:
                return None
            return here.get((row.algorithm, row.operation, pattern, row.message_bytes))

        pairs.append(
            Beside(
                algorithm=row.algorithm,
                operation=row.operation,
                message_bytes=row.message_bytes,
                timed=loop.times,
                theirs=row.mbytes_per_second,
                here_by_same_calls=speed(loop.here),
                here_by_whole_messages=speed("reused-key"),
                same_calls=loop.here,
            )
        )
    return pairs


def _here(store: Store) -> dict[_Key, float]:
    """Returns MB/s of the library in the newest runs of this machine."""
    from ciphermark.command.stored import stored_rows
    from ciphermark.run.here import machine_id

    own = (it for it in store.summaries() if it.workload == "single")
    values: dict[_Key, float] = {}
    for summary in islice((it for it in own if it.machine_id == machine_id()), MOST_RUNS):
        for row in stored_rows(store, summary.run, summary.workload):
            size = row.chunk_bytes or row.message_bytes
            usual = (
                row.lanes,
                row.offload,
                row.after,
                row.profile,
                row.switches,
                row.backend_asked,
            )
            whole = row.chunk_bytes is None or row.message_bytes >= LEAST_CHUNKS * row.chunk_bytes
            if (
                row.provider == LIBRARY
                and usual == (1, "none", None, None, {}, "default")
                and whole
                and size
                and row.mbytes_per_second
            ):
                key = (row.algorithm, row.operation, row.pattern, size)
                values.setdefault(key, row.mbytes_per_second)
    return values


def blocks(found: Sequence[Beside]) -> Iterator[Block]:
    """Yields a line for each function at one size, and the commands for missing figures."""
    shown: dict[tuple[str, str], Beside] = {}
    for it in sorted(found, key=lambda it: abs(it.message_bytes - _SHOWN_BYTES)):
        shown.setdefault((it.algorithm, it.operation), it)
    yield Table(
        columns=[
            of_words("MB/s beside this machine", lambda it: f"{it.algorithm} {it.operation}"),
            of_words("at", lambda it: figures.message_size(it.message_bytes)),
            Column("theirs", lambda it: it.theirs),
            _here_column("same calls", lambda it: it.here_by_same_calls),
            _here_column("whole messages", lambda it: it.here_by_whole_messages),
            of_words("timed there", lambda it: it.timed, dispensable=1),
        ],
        rows=list(shown.values()),
    )
    yield Notes.of(commands(list(shown.values())), title="Missing here", style="dim")


def _here_column(name: str, value: Callable[[Beside], float | None]) -> Column[Beside]:
    return Column(name, value, f"here\n{name}", instead=lambda it, separator: "–")


def commands(shown: Sequence[Beside]) -> Iterator[str]:
    """Yields the commands that measure figures that lack here."""
    by_pattern: dict[str, list[Beside]] = {}
    for it in shown:
        if it.here_by_whole_messages is None:
            by_pattern.setdefault("reused-key", []).append(it)
        if it.here_by_same_calls is None and it.same_calls not in (None, "reused-key"):
            by_pattern.setdefault(str(it.same_calls), []).append(it)
    for pattern, lacking in by_pattern.items():
        size = lacking[0].message_bytes
        names = ",".join(dict.fromkeys(it.algorithm for it in lacking))
        operations = ",".join(dict.fromkeys(it.operation for it in lacking))
        chunked = pattern == "incremental"
        yield (
            f"ciphermark survey --providers {LIBRARY} --algorithms {names} --operations "
            f"{operations} --sizes {size * LEAST_CHUNKS if chunked else size} --pattern {pattern}"
            + (f" --chunk {size}" if chunked else "")
        )
