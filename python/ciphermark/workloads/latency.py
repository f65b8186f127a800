"""Percentiles of latencies that were counted by their length."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ciphermark import contract
from ciphermark.workloads.sessions.row import Latencies

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
