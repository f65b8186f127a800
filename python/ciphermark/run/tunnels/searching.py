"""Search of the rate that goes through (RFC 2544, section 26.1), with trials of a second or less.

A trial passes a tolerance when at most that share was lost. For the rate without loss what was
asked must have been sent too; where a sender that shares its core with others pauses now and then,
what a packet costs can be told nevertheless.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ciphermark.contract.tunnel import TunnelTrial

Run = Callable[[float | None], TunnelTrial]
"""Tries a rate in packets per second; None for as many as can be sent."""

TOLERANCES = (1e-4, 0.0)
"""Shares of packets that may be lost: RFC 2544 says none, and others that test say this
(CSIT's partial drop rate is larger still)."""

MEASURED_LOSS = 0.02
"""At most this is lost at the rate that a row is measured at, as a queue that is always full costs
the gateway time for packets that it throws away."""

SENT_SHARE = 0.97
"""Of what was asked must have been sent; pacing by a timer may be so far off in half a second."""

RESOLUTION = 1.07
"""Ratio of the lowest rate that fails to the highest that passes, at which a search ends."""

_FIRST_STEP = 1.15
"""Factor from the first rate to the next; each further step is the square of the one before."""

_LONGEST_STEP = 8.0

_LOWEST_SHARE = 1e-3
"""Share of the rate at the start: a path that loses more than the tolerance there has no rate."""


def passes(trial: TunnelTrial, tolerance: float) -> bool:
    """Whether this rate goes through with no more lost."""
    asked = trial.asked_per_second
    any_rate = asked is None or tolerance >= MEASURED_LOSS
    reached = any_rate or trial.sent_per_second >= SENT_SHARE * (asked or 0.0)
    return reached and trial.received_packets > 0 and trial.loss <= tolerance


def highest(trials: Sequence[TunnelTrial], tolerance: float) -> TunnelTrial | None:
    """Of the trials that pass, that with the highest rate."""
    passed = [it for it in trials if it.asked_per_second is not None and passes(it, tolerance)]
    return max(passed, key=lambda it: it.asked_per_second or 0.0, default=None)


def search(
    run: Run, start: float, tolerance: float, tried: list[TunnelTrial], ways: int = 1
) -> float | None:
    """Returns the highest rate that passes, to within 7 %, in packets per second of each way.

    From the start it goes up or down until one rate passes and another fails, and then halves the
    range. Trials are added to `tried`, and those already there count. None if nothing passes.
    """
    before = highest(tried, tolerance)
    low = None if before is None else (before.asked_per_second or 0.0) / ways
    asked = [it.asked_per_second / ways for it in tried if it.asked_per_second is not None]
    high = min((it for it in asked if before is not None and it > (low or 0.0)), default=None)
    step, rate = _FIRST_STEP, start
    while low is None or high is None or high / low > RESOLUTION:
        if low is not None and high is not None:
            rate = (low * high) ** 0.5
        elif low is not None or high is not None:
            rate = low * step if low is not None else (high or 0.0) / step
            step = min(step**2, _LONGEST_STEP)
        if rate < _LOWEST_SHARE * start:
            return None
        trial = run(rate)
        tried.append(trial)
        if not passes(trial, tolerance):
            high = rate
        elif trial.sent_per_second < SENT_SHARE * rate * ways:
            return rate  # the sender has no more
        else:
            low = rate
    return low
