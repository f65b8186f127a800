"""Rate of a suite by its separately measured parts, 1 / (1/a + 1/b), and the error of that."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ciphermark import contract
from ciphermark.view import figures
from ciphermark.view.blocks import Block, Note, Section, Table
from ciphermark.view.column import Column, Place, count, of_text, of_words
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.suites.plan import SIDES, parts_of


class PartsFigure(msgspec.Struct, kw_only=True):
    """One measured suite beside its parts. MB is 10^6 bytes of the packet."""

    algorithm: str
    operation: str
    provider: str
    message_bytes: int
    keys: int
    mbytes_per_second: float
    """Throughput of the suite, measured as a whole."""
    parts: list[str]
    parts_mbytes_per_second: float
    """1 / (1/a + 1/b) of the rates of the parts, each by itself at the packet's size."""
    error: float
    """Excess of that over the measured rate, as a share: 0.25 is 25 % too high."""


def parts_figures(algorithms: list[contract.Algorithm], rows: list[Row]) -> list[PartsFigure]:
    """Returns a figure for each suite row whose parts the same run measured.

    The parts are of the same library.
    """
    facts = {it.name: it for it in algorithms}
    plain = [row for row in rows if _is_timed(row) and ":" not in row.algorithm]
    by_parts = []
    for row in rows:
        names = parts_of(facts[row.algorithm]) if row.algorithm in facts else []
        if names and _is_timed(row) and row.operation in SIDES:
            rates = [_rate(plain, row, name) for name in names]
            known = [rate for rate in rates if rate]
            if len(known) == len(names):
                by_parts.append(_figure(row, names, known))
    return by_parts


def _figure(row: Row, names: list[str], rates: list[float]) -> PartsFigure:
    assert row.mbytes_per_second is not None and row.message_bytes is not None
    together = 1 / sum(1 / it for it in rates)
    return PartsFigure(
        algorithm=row.algorithm,
        operation=row.operation,
        provider=row.provider,
        message_bytes=row.message_bytes,
        keys=row.keys,
        mbytes_per_second=row.mbytes_per_second,
        parts=names,
        parts_mbytes_per_second=together,
        error=together / row.mbytes_per_second - 1,
    )


def _is_timed(row: Row) -> bool:
    return row.error is None and bool(row.mbytes_per_second) and bool(row.message_bytes)


def _rate(plain: list[Row], suite: Row, name: str) -> float | None:
    """Returns the rate of a part in the suite's library, with as many keys.

    The size is the packet's, or the next whole block.
    """
    alike = [
        row
        for row in plain
        if row.algorithm == name
        and row.provider == suite.provider
        and row.keys == suite.keys
        and row.operation in SIDES[suite.operation]
        and 0 <= (row.message_bytes or 0) - (suite.message_bytes or 0) < _LARGEST_BLOCK
    ]
    nearest = min(alike, key=lambda row: row.message_bytes or 0, default=None)
    return None if nearest is None else nearest.mbytes_per_second


_LARGEST_BLOCK = 16
"""Bytes of a block of the ciphers that suites have."""


MOST_LINES = 40
"""Most lines of the table; more are left to `--json` and the report."""


def parts_blocks(found: list[PartsFigure]) -> Iterator[Block]:
    """Yields the figures of the usual packet size of each suite and operation."""
    if not found:
        return
    columns: list[Column[PartsFigure]] = [
        of_words("suite", lambda it: it.algorithm, key=True),
        of_words("operation", lambda it: it.operation, key=True),
        Column("bytes", lambda it: it.message_bytes, form=count),
        Column("", lambda it: 8 * it.mbytes_per_second, "measured\nMbit/s"),
        Column("", lambda it: 8 * it.parts_mbytes_per_second, "of its parts\nMbit/s"),
        of_text("wrong by", lambda it: _share(it.error)),
    ]
    worst = max(found, key=lambda it: abs(it.error))
    said = (
        f"Worst of all sizes: {worst.algorithm}, {worst.operation} at "
        f"{figures.grouped(worst.message_bytes)} bytes, {_share(worst.error)}. "
        "Payload; 1 Mbit/s is 10^6 bit/s."
    )
    yield Section(
        title="As a whole, and as 1/(1/a + 1/b) of cipher and MAC by themselves",
        blocks=[
            Table(columns=columns, rows=_at_usual_size(found)[:MOST_LINES], legend=[Note(said)])
        ],
        places=Place.TERMINAL,
    )


def _at_usual_size(found: list[PartsFigure]) -> list[PartsFigure]:
    """Returns the largest of each suite and operation in an Ethernet frame, else the smallest."""
    chosen: dict[tuple[str, str, str, int], PartsFigure] = {}
    for it in sorted(found, key=lambda it: it.message_bytes):
        what = (it.algorithm, it.operation, it.provider, it.keys)
        if what not in chosen or it.message_bytes <= 1500:
            chosen[what] = it
    return list(chosen.values())


def _share(error: float) -> str:
    """`+25 %`: so much too high."""
    return f"{100 * error:+.0f} %"
