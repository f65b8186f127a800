"""Judgement of which figures can be true; the others are withheld with their reason."""

from __future__ import annotations

from ciphermark.statistics.estimate import Estimate

MOST_PER_CPU = 1.1
"""Times the work of one CPU that each CPU does at most: a core may keep its data nearer."""

AGREE = 0.1
"""Share by which two figures of one gain may differ."""


def is_cost(cost: Estimate) -> bool:
    """Returns whether a cost can be true: not below 0 by more than its interval explains."""
    return cost.value >= 0 or (cost.high is not None and cost.high >= 0)


def no_gain(gain: float, cpus: int, by_rates: float | None = None) -> str | None:
    """Returns why several CPUs cannot have this gain over one; None where they can.

    `by_rates` is the quotient of the rates that are shown beside it.
    """
    if gain > MOST_PER_CPU * cpus:
        return f"×{gain:.2f} is more than {cpus} CPUs can do: other work slowed the single one"
    if by_rates is not None and abs(gain / by_rates - 1) > AGREE:
        return f"×{gain:.2f} in cycles, but ×{by_rates:.2f} in MB/s: other work slowed one of them"
    return None
