"""Percentiles of latencies that were counted by their length, and latencies in words."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import msgspec

from ciphermark import contract
from ciphermark.show import figures


class Latencies(msgspec.Struct, kw_only=True):
    """Times that so many percent of the messages did not exceed, nanoseconds."""

    p50: int
    p90: int
    p99: int
    p999: int


SHARES = {
    "p50": Fraction(1, 2),
    "p90": Fraction(9, 10),
    "p99": Fraction(99, 100),
    "p999": Fraction(999, 1000),
}


def percentiles(counted: Sequence[contract.LatencyCount]) -> Latencies | None:
    """Those of a row; None where nothing was timed."""
    if not any(it.count for it in counted):
        return None
    return Latencies(**{name: percentile(counted, share) for name, share in SHARES.items()})


def percentile(counted: Sequence[contract.LatencyCount], share: Fraction) -> int:
    """The shortest time, in nanoseconds, that this share of the messages did not exceed; some must
    have been counted."""
    ordered = sorted(counted, key=lambda it: it.ns)
    wanted = share * sum(it.count for it in ordered)
    reached = 0
    for it in ordered:
        reached += it.count
        if reached >= wanted and it.count:
            return it.ns
    raise ValueError("nothing was counted")


def latency(ns: float) -> str:
    """A latency in the largest unit of which it is one or more: `37.5 µs`, `4.10 ms`."""
    for unit, length in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= length:
            return f"{figures.significant(ns / length)} {unit}"
    return f"{figures.significant(ns)} ns"
