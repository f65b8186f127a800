"""What the separately measured parts of a suite would have said of it, 1 / (1/a + 1/b), and how
wrong that is."""

from __future__ import annotations

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ciphermark import contract
from ciphermark.show import figures
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
    """As it was measured, as a whole."""
    parts: list[str]
    parts_mbytes_per_second: float
    """1 / (1/a + 1/b) of the rates of the parts, each by itself at the packet's size."""
    error: float
    """How much higher that is than what was measured, as a share: 0.25 is 25 % too high."""


def parts_figures(algorithms: list[contract.Algorithm], rows: list[Row]) -> list[PartsFigure]:
    """One for each row of a suite whose parts were measured in the same run and library."""
    facts = {it.name: it for it in algorithms}
    plain = [row for row in rows if _is_timed(row) and ":" not in row.algorithm]
    found = []
    for row in rows:
        names = parts_of(facts[row.algorithm]) if row.algorithm in facts else []
        if names and _is_timed(row) and row.operation in SIDES:
            rates = [_rate(plain, row, name) for name in names]
            known = [rate for rate in rates if rate]
            if len(known) == len(names):
                found.append(_figure(row, names, known))
    return found


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
    """Of a part in the suite's library, with as many keys, at the packet's size or the next whole
    block."""
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
"""More are left to `--json` and the report."""


def print_parts(console: Console, found: list[PartsFigure]) -> None:
    """Prints them for the usual packet size of each suite and operation; nothing where there are
    none."""
    if not found:
        return
    shown = _at_usual_size(found)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("suite", no_wrap=True)
    table.add_column("")
    for heading in ("bytes", "measured\nMbit/s", "of its parts\nMbit/s", "wrong by"):
        table.add_column(heading, justify="right", no_wrap=True)
    for it in shown[:MOST_LINES]:
        table.add_row(
            it.algorithm,
            it.operation,
            figures.grouped(it.message_bytes),
            figures.significant(8 * it.mbytes_per_second),
            figures.significant(8 * it.parts_mbytes_per_second),
            _share(it.error),
        )
    console.print()
    console.print(Text("As a whole, and as 1/(1/a + 1/b) of cipher and MAC by themselves", "bold"))
    console.print(table)
    worst = max(found, key=lambda it: abs(it.error))
    console.print(
        Text(
            f"Worst of all sizes: {worst.algorithm}, {worst.operation} at "
            f"{figures.grouped(worst.message_bytes)} bytes, {_share(worst.error)}. "
            "Payload; 1 Mbit/s is 10^6 bit/s.",
            style="dim",
        )
    )


def _at_usual_size(found: list[PartsFigure]) -> list[PartsFigure]:
    """Of each suite and operation the largest that an Ethernet frame carries, else the smallest."""
    chosen: dict[tuple[str, str, str, int], PartsFigure] = {}
    for it in sorted(found, key=lambda it: it.message_bytes):
        what = (it.algorithm, it.operation, it.provider, it.keys)
        if what not in chosen or it.message_bytes <= 1500:
            chosen[what] = it
    return list(chosen.values())


def _share(error: float) -> str:
    """`+25 %`: so much too high."""
    return f"{100 * error:+.0f} %"
