"""Throughput with its interval."""

from __future__ import annotations

from ciphermark.statistics.estimate import Estimate
from ciphermark.workloads.single.row import Row


def throughput(row: Row) -> Estimate | None:
    """MB/s (10^6 bytes) of a row with the 95 % interval; None where the row has no throughput.

    A row's interval is that of its cycles. It is carried over at the mean clock of the samples, so
    that it says how well the function's cost is known and not how much the clock moved.
    """
    value, cycles = row.mbytes_per_second, row.cycles_per_message
    if value is None or cycles is None:
        return None
    low, high = row.cycles_per_message_low, row.cycles_per_message_high
    if low is None or low <= 0:
        return Estimate(value)
    return Estimate(value, value * cycles / high, value * cycles / low)
