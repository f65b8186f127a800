"""What became of clock, heat and rate while sessions ran for minutes."""

from __future__ import annotations

from itertools import pairwise

import msgspec

from ciphermark import contract

LEAST_LOOK_MS = 500
"""The engine looks at the clock only with this interval or a longer one, which it then disturbs by
little."""

SHARE = 0.1
"""Of the looks, at the beginning and at the end: what is compared."""


class Change(msgspec.Struct, kw_only=True):
    """A quantity at the beginning and at the end, and what it was at its lowest and highest."""

    first: float
    last: float
    lowest: float
    highest: float

    @property
    def share(self) -> float:
        """By what share it has grown."""
        return self.last / self.first - 1 if self.first else 0.0


class Soak(msgspec.Struct, kw_only=True):
    """A long execution."""

    case: int
    seconds: float
    per_second: Change | None
    """Messages per second."""
    core_hz: Change | None
    temperature_c: Change | None
    throttles: int | None
    """Times that the processor throttled itself meanwhile."""


def soak(execution: contract.SessionsRun) -> Soak | None:
    """What its looks have seen; nothing where they did not look at the clock."""
    moments = execution.moments
    if execution.load.look_ms < LEAST_LOOK_MS or len(moments) < 2:
        return None
    rates = [
        1e9 * (now.messages - before.messages) / (now.at_ns - before.at_ns)
        for before, now in pairwise(moments)
        if now.at_ns > before.at_ns
    ]
    throttles = [it.throttles for it in moments if it.throttles is not None]
    return Soak(
        case=execution.case,
        seconds=(moments[-1].at_ns - moments[0].at_ns) / 1e9,
        per_second=_change(rates),
        core_hz=_change([it.core_hz for it in moments if it.core_hz is not None]),
        temperature_c=_change([it.temperature_c for it in moments if it.temperature_c is not None]),
        throttles=throttles[-1] - throttles[0] if throttles else None,
    )


def _change(values: list[float]) -> Change | None:
    """Ends are means of several looks, of which each alone is noisy."""
    if not values:
        return None
    some = max(1, round(SHARE * len(values)))
    return Change(
        first=sum(values[:some]) / some,
        last=sum(values[-some:]) / some,
        lowest=min(values),
        highest=max(values),
    )
