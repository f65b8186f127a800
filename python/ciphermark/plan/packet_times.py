"""How long packets pass in each case: an even share of the budget."""

from __future__ import annotations

import math

from ciphermark import contract
from ciphermark.errors import UsageError
from ciphermark.plan.packet_limits import needed_bytes

AROUND_S = 0.4
"""What a case takes besides its passes: a fresh process, its library, the right answers."""

AROUND_S_PER_BYTE = 4e-9
"""For making packets and looking at their answers afterwards, on one core."""

SHORTEST_S = 0.1
LONGEST_S = 2.5
"""Passes of a case take a few milliseconds: more time makes an interval hardly narrower."""

SPARE = 0.9
"""Of the budget is given away; the rest is for passes that are longer than they were thought."""


def around_s(case: contract.Case) -> float:
    """Seconds besides the passes."""
    return AROUND_S + AROUND_S_PER_BYTE * needed_bytes(case)


def needed_seconds(case: contract.Case) -> float:
    """Wall time of a case."""
    assert case.packets is not None
    return around_s(case) + case.packets.measure_ms / 1e3


def shared(cases: list[contract.Case], given: list[float | None], budget_s: float) -> list[float]:
    """Seconds for the passes of each case: what is given, else an even share of what is left.

    Raises UsageError where the shares are too short to mean anything.
    """
    taken = sum(map(around_s, cases)) + sum(it for it in given if it is not None)
    unsaid = given.count(None)
    least_s = taken + SHORTEST_S * unsaid
    if least_s > SPARE * budget_s:
        raise UsageError(_too_short(len(cases), least_s, budget_s))
    each = min((SPARE * budget_s - taken) / max(unsaid, 1), LONGEST_S)
    return [each if it is None else it for it in given]


def budget_for(needed_s: float) -> int:
    """Whole seconds in which there is time for what takes so long."""
    return math.ceil(needed_s / SPARE)


def _too_short(cases: int, least_s: float, budget_s: float) -> str:
    take = "1 case takes" if cases == 1 else f"{cases} cases take"
    return (
        f"{take} at least {math.ceil(least_s)} s with the making and checking of packets, and the "
        f"budget is {budget_s:g} s: write --budget {budget_for(least_s)}s, or choose less"
    )
