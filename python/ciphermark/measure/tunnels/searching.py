"""The rate that goes through: RFC 2544's search (section 26.1), with trials of a second or less.

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

STEPS = 5
"""Halvings of the range, on a scale of ratios: from a factor of 8 to one of 1.07."""

RANGE = 8.0


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


def search(run: Run, top: float, tolerance: float, tried: list[TunnelTrial]) -> float | None:
    """The highest rate that passes between `top` and an eighth of it, to within 7 %; None where not
    even the lowest does. Trials are added to `tried`, and what was tried is not tried again."""
    before = highest(tried, tolerance)
    low = before.asked_per_second if before else None
    high = top
    if low is None:
        low = top / RANGE
        tried.append(run(low))
        if not passes(tried[-1], tolerance):
            return None
    for _ in range(STEPS):
        if high / low < RANGE ** (1 / 2**STEPS):
            break
        middle = (low * high) ** 0.5
        tried.append(run(middle))
        if passes(tried[-1], tolerance):
            low = middle
        else:
            high = middle
    return low
