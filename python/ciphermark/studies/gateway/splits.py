"""Gain of splitting one message over several cores: the rate of one caller over that on one core.

The 95 % interval comes from those of both figures. The rate of a split message is one over its
time: its latency falls by as much.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple

from ciphermark.record.case_row import ASKED, key
from ciphermark.statistics.estimate import no_gain
from ciphermark.workloads.single.ratio import ratio_of_rows
from ciphermark.workloads.single.row import Row


class Split(NamedTuple):
    """One function on messages of one size, split and whole."""

    algorithm: str
    operation: str
    message_bytes: int
    speedup: float | None = None
    low: float | None = None
    high: float | None = None
    """End of the 95 % interval."""
    why_not: str | None = None
    """Reason for no speed-up: a function that cannot be split, a fault, an impossible figure."""
    cannot: bool = False
    """True if the function cannot be split."""


def splits(rows: Iterable[Row], cores: int) -> list[Split]:
    """Returns the functions that were measured both whole and split over so many cores."""
    sides: dict[Hashable, dict[str, Row]] = {}
    for row in rows:
        if row.message_bytes and row.offload in ("none", "split"):
            sides.setdefault(key(row, (*ASKED, "message_bytes")), {}).setdefault(row.offload, row)
    return [_split(it["none"], it["split"], cores) for it in sides.values() if len(it) > 1]


def _split(whole: Row, split: Row, cores: int) -> Split:
    found = Split(whole.algorithm, whole.operation, whole.message_bytes or 0)
    for row in (split, whole):
        if row.error is not None:
            cannot = row.error.kind == "unsupported"
            return found._replace(why_not=reason(row.error.message), cannot=cannot)
        if not row.is_measured:
            return found._replace(why_not="not measured within the budget")
    if whole.cycles_per_message is None or split.cycles_per_message is None:
        return found._replace(why_not="all samples were disturbed")
    ratio = ratio_of_rows(whole, split)
    alone, together = whole.mbytes_per_second, split.mbytes_per_second
    if why := no_gain(ratio.value, cores, together / alone if alone and together else None):
        return found._replace(why_not=why)
    return found._replace(speedup=ratio.value, low=ratio.low, high=ratio.high)


def reason(message: str) -> str:
    """Returns the last part of an engine's message, which says why a function cannot be split."""
    return message.removeprefix("not supported: ").rpartition("split over cores: ")[2]
