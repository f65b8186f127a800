"""Which code path a library takes by itself, and whether another of its own is faster here."""

from __future__ import annotations

import msgspec

from ciphermark.analyse.row import Row

MATTERS = 1.02
"""Paths that differ by less are as fast as each other for whoever chooses."""


class Path(msgspec.Struct, kw_only=True):
    """One code path of an implementation, in one operation at one size."""

    path: str
    default: bool
    switches: dict[str, str]
    evidence: str
    cycles_per_byte: float | None
    ci_low: float | None
    ci_high: float | None


class Choice(msgspec.Struct, kw_only=True):
    """The code paths of an implementation, and which of them it should take."""

    algorithm: str
    provider: str
    operation: str
    message_bytes: int | None
    default: str
    """What the library takes by itself."""
    fastest: str | None
    """Absent where no path has a figure."""
    flagged: bool
    """Whether another path is faster than the default beyond both intervals, and by over 2 %."""
    gain: float | None
    """Cost of the default by that of the fastest."""
    paths: list[Path]
    """The fastest first; those without a figure last."""


def choices(rows: list[Row]) -> list[Choice]:
    """What the rows say of each implementation, in their order."""
    alike: dict[tuple[str, str, str, int | None], list[Row]] = {}
    for row in rows:
        question = (row.algorithm, row.provider, row.operation, row.message_bytes)
        alike.setdefault(question, []).append(row)
    return [_choice(found) for found in alike.values() if any(not it.switches for it in found)]


def _choice(rows: list[Row]) -> Choice:
    default = next(row for row in rows if not row.switches)
    measured = sorted(
        (row for row in rows if row.cycles_per_byte is not None), key=lambda it: it.cycles_per_byte
    )
    fastest = measured[0] if measured else None
    gain = _gain(default, fastest)
    return Choice(
        algorithm=default.algorithm,
        provider=default.provider,
        operation=default.operation,
        message_bytes=default.message_bytes,
        default=default.backend,
        fastest=fastest and fastest.backend,
        flagged=gain is not None and gain > MATTERS and _apart(fastest, default),
        gain=gain,
        paths=[_path(row) for row in measured + [it for it in rows if it not in measured]],
    )


def _gain(default: Row, fastest: Row | None) -> float | None:
    if fastest is None or default.cycles_per_byte is None or not fastest.cycles_per_byte:
        return None
    return default.cycles_per_byte / fastest.cycles_per_byte


def _apart(faster: Row | None, slower: Row) -> bool:
    """Whether the intervals do not overlap."""
    if faster is None or faster.ci_high is None or slower.ci_low is None:
        return False
    return faster.ci_high < slower.ci_low


def _path(row: Row) -> Path:
    return Path(
        path=row.backend,
        default=not row.switches,
        switches=row.switches,
        evidence=row.backend_evidence,
        cycles_per_byte=row.cycles_per_byte,
        ci_low=row.ci_low,
        ci_high=row.ci_high,
    )
