"""What became of clock, heat, power and rate while sessions ran for minutes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, takewhile

import msgspec

from ciphermark import contract
from ciphermark.show import figures
from ciphermark.statistics.power import NoFigure, Span, power_over_time
from ciphermark.workloads.sessions import remarks
from ciphermark.workloads.sessions.row import SessionRow

LEAST_LOOK_MS = 500
"""The engine looks at the clock only with this interval or a longer one, which it then disturbs by
little."""

POWER_PARTS = 60
"""Stretches of a soak that power is looked at in."""

LEAST_DROP = 0.05
"""A core clock that stays lower by this share from some moment on is taken for throttling where
the processor does not count it: less moves in a quiet guest too."""

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


class Throttling(msgspec.Struct, kw_only=True):
    """When the processor began to slow itself down, and how it was then."""

    after_s: float
    counted: bool
    """Whether the processor counts it; else the clock stays lower from then on."""
    core_hz: float | None
    temperature_c: float | None
    watts: float | None


class Soak(msgspec.Struct, kw_only=True):
    """A long execution."""

    case: int
    seconds: float
    per_second: Change | None
    """Messages per second."""
    core_hz: Change | None
    temperature_c: Change | None
    watts: Change | None
    throttles: int | None
    """Times that the processor throttled itself meanwhile."""
    throttling: Throttling | None
    """None where it did not."""


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
    watts = watts_of(execution)
    throttles = [it.throttles for it in moments if it.throttles is not None]
    return Soak(
        case=execution.case,
        seconds=(moments[-1].at_ns - moments[0].at_ns) / 1e9,
        per_second=_change(rates),
        core_hz=_change([it.core_hz for it in moments if it.core_hz is not None]),
        temperature_c=_change([it.temperature_c for it in moments if it.temperature_c is not None]),
        watts=_change([value for _, value in watts]),
        throttles=throttles[-1] - throttles[0] if throttles else None,
        throttling=_throttling(moments, watts),
    )


def watts_of(execution: contract.SessionsRun) -> list[tuple[float, float]]:
    """Seconds since the start of the sessions, and mean power about then; none where no meter
    tells it."""
    if execution.energy is None:
        return []
    at_ns, moments = execution.at_ns, execution.moments
    window = Span(at_ns + moments[0].at_ns, at_ns + moments[-1].at_ns)
    try:
        found = power_over_time(execution.energy, window, POWER_PARTS)
    except NoFigure:
        return []
    return [((it.at_ns - at_ns) / 1e9, it.watts) for it in found]


def _throttling(
    moments: Sequence[contract.Moment], watts: Sequence[tuple[float, float]]
) -> Throttling | None:
    """By the processor's own count, else by a clock that falls and stays low."""
    counted = [it for it in moments if it.throttles is not None]
    if counted:
        since = (now for before, now in pairwise(counted) if now.throttles != before.throttles)
        began = next(since, None)
    else:
        began = _slower_from(moments)
    if began is None:
        return None
    after_s = began.at_ns / 1e9
    nearest = min(watts, key=lambda it: abs(it[0] - after_s), default=None)
    return Throttling(
        after_s=after_s,
        counted=bool(counted),
        core_hz=began.core_hz,
        temperature_c=began.temperature_c,
        watts=None if nearest is None else nearest[1],
    )


def _slower_from(moments: Sequence[contract.Moment]) -> contract.Moment | None:
    """The first look from which on the clock is lower than at the beginning in every look."""
    seen = [it for it in moments if it.core_hz is not None]
    clock = _change([it.core_hz for it in seen if it.core_hz is not None])
    if clock is None:
        return None
    limit = (1 - LEAST_DROP) * clock.first
    slower = list(takewhile(lambda it: it.core_hz is not None and it.core_hz <= limit, seen[::-1]))
    return slower[-1] if len(slower) >= max(2, SHARE * len(seen)) else None


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
    changes = ", ".join(_changes(soak)) or "rate, clock and temperature were not recorded"
    return f"{remarks.case(row)}: over {soak.seconds:.0f} s {changes}"


def _changes(soak: Soak) -> Iterator[str]:
    yield from _told("messages/s", soak.per_second, figures.significant)
    yield from _told("core clock", soak.core_hz, figures.clock)
    yield from _told("power", soak.watts, lambda it: f"{figures.significant(it)} W")
    yield from _told("temperature", soak.temperature_c, lambda it: f"{it:.0f} °C", relative=False)
    if soak.throttles is not None:
        yield f"throttled {figures.counted(soak.throttles, 'time')}"
    if soak.throttling is not None:
        yield _throttled(soak.throttling)


def _throttled(it: Throttling) -> str:
    """`first after 95 s, at 2.9 GHz, 88 °C and 28.1 W`."""
    how = [
        *([] if it.core_hz is None else [figures.clock(it.core_hz)]),
        *([] if it.temperature_c is None else [f"{it.temperature_c:.0f} °C"]),
        *([] if it.watts is None else [f"{figures.significant(it.watts)} W"]),
    ]
    when = "first after" if it.counted else "the clock stays lower from second"
    unit = " s" if it.counted else ""
    return f"{when} {it.after_s:.0f}{unit}" + (f", at {', '.join(how)}" if how else "")


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
