"""What the separately measured parts of a suite would have said of it: 1 / (1/a + 1/b), and how
wrong that is."""

from __future__ import annotations

import msgspec

from ciphermark import contract
from ciphermark.workloads.single.row import Row

SIDES = {"seal": ("seal", "encrypt", "mac"), "open": ("open", "decrypt", "mac")}
"""What the parts do in each operation of a suite."""


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
        suite = facts[row.algorithm].suite if row.algorithm in facts else None
        if suite is None or not _is_timed(row) or row.operation not in SIDES:
            continue
        names = [it for it in (suite.cipher, suite.integrity) if it is not None]
        rates = [_rate(plain, row, name) for name in names]
        if all(rates):
            found.append(_figure(row, names, [it for it in rates if it]))
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
    """Of a part in the suite's library, at the packet's size or the next whole block."""
    alike = [
        row
        for row in plain
        if row.algorithm == name
        and row.provider == suite.provider
        and row.operation in SIDES[suite.operation]
        and 0 <= (row.message_bytes or 0) - (suite.message_bytes or 0) < _LARGEST_BLOCK
    ]
    nearest = min(alike, key=lambda row: (row.message_bytes or 0, row.keys), default=None)
    return None if nearest is None else nearest.mbytes_per_second


_LARGEST_BLOCK = 16
"""Bytes of a block of the ciphers that suites have."""
