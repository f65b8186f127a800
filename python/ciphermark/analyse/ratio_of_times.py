"""Ratios with figures of other programs, which have no interval and often no cycles.

They are of times, which every program tells: cycles would be times by a clock that somebody has
named. Without an interval there is no verdict.
"""

from __future__ import annotations

from typing import NamedTuple

from ciphermark.analyse.row import Row

NO_VERDICT = "a figure of another program has no interval, so there is no verdict"


class BareRatio(NamedTuple):
    """A ratio of which nobody knows how wrong it is."""

    value: float
    reason: str = NO_VERDICT


def ratio_of_times(a: Row, b: Row) -> BareRatio | str:
    """Time per message of `a` by that of `b`, of a byte where no message is told; or why none."""
    for times in ((a.ns_per_message, b.ns_per_message), (_ns_per_byte(a), _ns_per_byte(b))):
        if None not in times and min(times) > 0:
            return BareRatio(times[0] / times[1])
    return "one side has no time"


def _ns_per_byte(row: Row) -> float | None:
    return row.mbytes_per_second and 1e3 / row.mbytes_per_second
