"""What became of clock, heat and rate while sessions ran for minutes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import msgspec

from ciphermark import contract
from ciphermark.show import figures
from ciphermark.workloads.sessions import remarks
from ciphermark.workloads.sessions.row import SessionRow

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


def sentence(soak: Soak, row: SessionRow) -> str:
    """`aes-128-gcm 1 KiB, …: over 300 s messages/s from 5.31 million to … (−3.8 %), …`."""
    changes = ", ".join(_changes(soak)) or "nothing was seen of rate, clock and heat"
    return f"{remarks.case(row)}: over {soak.seconds:.0f} s {changes}"


def _changes(soak: Soak) -> Iterator[str]:
    yield from _told("messages/s", soak.per_second, figures.significant)
    yield from _told("core clock", soak.core_hz, figures.clock)
    yield from _told("temperature", soak.temperature_c, lambda it: f"{it:.0f} °C", relative=False)
    if soak.throttles is not None:
        yield f"throttled {figures.counted(soak.throttles, 'time')}"


def _told(
    name: str, change: Change | None, text: Callable[[float], str], *, relative: bool = True
) -> Iterator[str]:
    """From the beginning to the end, and between which values."""
    if change is None:
        return
    sign = "−" if change.share < 0 else "+"
    by = f", {sign}{figures.percent(abs(change.share))}" if relative else ""
    yield (
        f"{name} from {text(change.first)} to {text(change.last)} (between "
        f"{text(change.lowest)} and {text(change.highest)}{by})"
    )
