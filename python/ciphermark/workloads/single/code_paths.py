"""Which code path a library takes by itself, and whether another of its own is faster here."""

from __future__ import annotations

import msgspec

from ciphermark.statistics.ratio import Ratio, is_above
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.row_ratio import Paired, ratio_of_rows

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
    """Whether another path is faster, beyond the interval of the ratio, and by over 2 %."""
    gain: float | None
    """Cost of the default by that of the fastest."""
    paths: list[Path]
    """The fastest first; those without a figure last."""


def choices(rows: list[Row], ratio: Paired = ratio_of_rows) -> list[Choice]:
    """What the rows say of each implementation, in their order; `ratio` where they are of one run
    whose groups are known."""
    alike: dict[tuple[str, str, str, int | None], list[Row]] = {}
    for row in rows:
        question = (row.algorithm, row.provider, row.operation, row.message_bytes)
        alike.setdefault(question, []).append(row)
    return [
        _choice(found, ratio) for found in alike.values() if any(not it.switches for it in found)
    ]


def _choice(rows: list[Row], ratio: Paired) -> Choice:
    default = next(row for row in rows if not row.switches)
    measured = sorted(
        (row for row in rows if row.cycles_per_byte is not None), key=lambda it: it.cycles_per_byte
    )
    fastest = measured[0] if measured else None
    gain = _gain(default, fastest)
    apart = gain is not None and gain > MATTERS and _is_slower(ratio(default, fastest))
    return Choice(
        algorithm=default.algorithm,
        provider=default.provider,
        operation=default.operation,
        message_bytes=default.message_bytes,
        default=default.backend,
        fastest=fastest and fastest.backend,
        flagged=apart,
        gain=gain,
        paths=[_path(row) for row in measured + [it for it in rows if it not in measured]],
    )


def _gain(default: Row, fastest: Row | None) -> float | None:
    if fastest is None or default.cycles_per_byte is None or not fastest.cycles_per_byte:
        return None
    return default.cycles_per_byte / fastest.cycles_per_byte


def _is_slower(found: Ratio | str) -> bool:
    return isinstance(found, Ratio) and is_above(found, 1.0) is True


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
