"""Power from the readings of a machine's meters: what passed between two readings, and over spans.

Counters of energy wrap, stand still, are set back or vanish; gauges of batteries have a new value
every few seconds only. A span in which a meter did any of that has no figure of it, and a sentence
says why. Errors of the kind that remain: a counter's last new value is up to one update old at
both ends of a span, which is why spans are at least `LEAST_UPDATES` updates long; of meters that
change more rarely than they are read only what passed between two changes counts.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import mean, stdev
from typing import NamedTuple

import msgspec

from ciphermark import contract
from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.quantiles import student_quantile

MOST_WATTS = 10_000.0
"""More than any processor, board or battery of one machine: who shows more was set back, or has
jumped."""

LEAST_UPDATES = 100
"""Updates of a counter in all spans together: then the age of its last values is below 1 %."""

LEAST_CHANGES = 6
"""Changes of a meter that changes more rarely than it is read."""

STILL_READINGS = 5
"""Readings in a row without a change, of a counter that changes more often than it is read, that
tell that it stands still."""

STEADY_S = 120.0
"""A gauge of power that does not say how often it has a new value, and shows the same all the
time, is believed after so long: batteries have new values every second to every minute."""

PARTS = 8
"""Of a window, for the interval over them."""


class Span(NamedTuple):
    """A stretch of time, nanoseconds since the start of the run."""

    start_ns: float
    end_ns: float


class Passed(NamedTuple):
    """What a meter saw pass."""

    joules: float
    seconds: float

    @property
    def watts(self) -> float:
        return self.joules / self.seconds


class NoFigure(Exception):
    """Why a meter tells nothing of a span: a sentence without its end."""


class MeterPower(msgspec.Struct, kw_only=True, frozen=True):
    """Mean power by one meter."""

    meter: str
    watts: float


class Power(msgspec.Struct, kw_only=True, frozen=True):
    """Mean power of the machine, or of that part of it which its meters see."""

    source: str
    """`powercap: package, dram`: the meters that are added up."""
    watts: Estimate
    """With the interval over parts of the window."""
    idle_watts: Estimate | None
    """By the same meters, before it began; None where they are too slow for that."""
    meters: list[MeterPower]
    """By each meter that has a figure, those too that are parts of others."""
    reading_share: float
    """Share of the time that reading the meters took of a CPU."""

    @property
    def own_watts(self) -> Estimate | None:
        """Without what the machine takes when idle."""
        return None if self.idle_watts is None else self.watts.minus(self.idle_watts)


def power(readings: contract.Readings, window: Span) -> Power:
    """Mean power over a window, from readings within it. Raises `NoFigure`."""
    return _power(readings, [window], parts_of(window, PARTS))


def power_of_spans(readings: contract.Readings, spans: Sequence[Span]) -> Power:
    """Mean power over spans of the same kind, each of which has too few readings for itself: the
    interval is over groups of them. Raises `NoFigure`."""
    return _power(readings, spans, spans)


class Moment(NamedTuple):
    """Mean power of a stretch of time."""

    at_ns: float
    """Its middle, since the start of the run."""
    watts: float


def power_over_time(readings: contract.Readings, window: Span, parts: int) -> list[Moment]:
    """Power in parts of a window, by the meters that tell the most; those parts are left out of
    which they tell nothing. Raises `NoFigure` where they tell nothing of the whole."""
    whole = [window]
    for _, places in _candidates(readings, whole):
        try:
            _sum(readings, places, whole, whole)
        except NoFigure:
            continue
        return list(_of_parts(readings, places, parts_of(window, parts)))
    raise NoFigure("no meter tells the power over this time")


def _of_parts(
    readings: contract.Readings, places: Sequence[int], spans: Sequence[Span]
) -> Iterator[Moment]:
    for span in spans:
        try:
            watts = _sum(readings, places, [span], [span]).value
        except NoFigure:
            continue
        yield Moment((span.start_ns + span.end_ns) / 2, watts)


def parts_of(window: Span, parts: int) -> list[Span]:
    """Equal parts, one after the other."""
    step = (window.end_ns - window.start_ns) / parts
    edges = [window.start_ns + place * step for place in range(parts + 1)]
    return [Span(*edge) for edge in pairwise(edges)]


def _power(readings: contract.Readings, spans: Sequence[Span], parts: Sequence[Span]) -> Power:
    """Mean over the spans; the interval is over the parts, where the meters tell of each."""
    if not readings.meters:
        raise NoFigure("no meter of energy can be read here")
    reasons = []
    for name, places in _candidates(readings, spans):
        try:
            watts = _sum(readings, places, spans, parts)
        except NoFigure as why:
            reasons.append(str(why))
            continue
        return Power(
            source=name,
            watts=watts,
            idle_watts=_idle(readings, places),
            meters=list(_of_each(readings, spans)),
            reading_share=_reading_share(readings),
        )
    raise NoFigure(reasons[0] if reasons else "no meter tells the power of the whole machine")


def _candidates(
    readings: contract.Readings, spans: Sequence[Span]
) -> Iterator[tuple[str, list[int]]]:
    """Sets of meters whose sum is the machine's, the most exact first.

    Packages and memory are measured apart, cores are part of their package. Sensors of a board may
    be parts of each other, so that the one that shows most stands for all.
    """
    meters = readings.meters

    def places(source: str, scope: str) -> list[int]:
        alike = (at for at, it in enumerate(meters) if (it.source, it.scope) == (source, scope))
        return [at for at in alike if _counts(readings, at)]

    for source in ("powercap", "perf", "hwmon"):
        packages, memory = places(source, "package"), places(source, "dram")
        if packages:
            yield f"{source}: package{', dram' if memory else ''}", packages + memory
    for source in ("powercap", "perf"):
        if platform := places(source, "platform"):
            yield f"{source}: platform", platform
    boards = [*places("hwmon", "board"), *places("iio", "board")]
    shown = {at: it.watts for at in boards if (it := _try(readings, at, spans)) is not None}
    if shown:
        most = max(shown, key=shown.__getitem__)
        yield f"{meters[most].source}: {meters[most].name}", [most]
    batteries = places("battery", "battery")
    for quantity in ("energy", "power"):
        if gauges := [at for at in batteries if meters[at].quantity == quantity]:
            yield f"battery: {quantity}", gauges


def _counts(readings: contract.Readings, at: int) -> bool:
    """Whether a counter moves at all: some processors show domains that stay at 0."""
    counts = {row[at] for row in readings.counts}
    return readings.meters[at].quantity == "power" or len(counts) > 1


def _sum(
    readings: contract.Readings,
    places: Sequence[int],
    spans: Sequence[Span],
    parts: Sequence[Span],
) -> Estimate:
    """Power of several meters; the interval is over groups of parts, in each of which they are
    added up. Raises `NoFigure` where a meter does not tell of the spans."""
    value = sum(_total(_usable(readings, at, spans)).watts for at in places)
    try:
        of_each = [_usable(readings, at, parts) for at in places]
    except NoFigure:  # too slow for them
        return Estimate(value)
    groups = min(PARTS, *(len(passed) for passed in of_each))
    if groups < 2:
        return Estimate(value)
    grouped = [[_total(group).watts for group in _groups(passed, groups)] for passed in of_each]
    values = [sum(watts) for watts in zip(*grouped, strict=True)]
    half = student_quantile(0.975, groups - 1) * stdev(values) / math.sqrt(groups)
    return Estimate.of_cost(value, half)


def _groups(passed: Sequence[Passed], count: int) -> list[Sequence[Passed]]:
    edges = [round(place * len(passed) / count) for place in range(count + 1)]
    return [passed[first:last] for first, last in pairwise(edges)]


def _total(passed: Iterable[Passed]) -> Passed:
    every = list(passed)
    return Passed(sum(it.joules for it in every), sum(it.seconds for it in every))


def _usable(readings: contract.Readings, at: int, spans: Sequence[Span]) -> list[Passed]:
    """What a meter saw of the spans in which it was read at least twice. One faulty span makes
    all of them faulty: nobody knows when it began."""
    meter = readings.meters[at]
    found = []
    for span in spans:
        inner = _inner(meter, span)
        if len(_within(readings, inner)) >= 2:
            found.append(passed_within(readings, at, inner))
        elif len(spans) == 1:
            raise NoFigure(f"{meter.name} was read less than twice: measure for longer")
    if not found:
        raise NoFigure(
            f"{meter.name} was never read twice within one stretch of work: let each take longer"
        )
    if meter.update_ms is not None:
        needed_s = LEAST_UPDATES * meter.update_ms / 1e3
        known_s = _total(found).seconds
        if known_s < needed_s:
            raise NoFigure(
                f"{meter.name} has a new value every {meter.update_ms:g} ms, and was read over "
                f"{known_s:.3g} s: measure for {needed_s:g} s"
            )
    return found


def _inner(meter: contract.Meter, span: Span) -> Span:
    """Without the first update, whose value may be of the time before."""
    lag_ns = 1e6 * (meter.update_ms or 0.0)
    return Span(span.start_ns + lag_ns, span.end_ns)


def _try(readings: contract.Readings, at: int, spans: Sequence[Span]) -> Passed | None:
    try:
        return _total(_usable(readings, at, spans))
    except NoFigure:
        return None


def _of_each(readings: contract.Readings, spans: Sequence[Span]) -> Iterator[MeterPower]:
    for at, meter in enumerate(readings.meters):
        passed = _try(readings, at, spans) if _counts(readings, at) else None
        if passed is not None:
            yield MeterPower(meter=meter.name, watts=passed.watts)


def _idle(readings: contract.Readings, places: Sequence[int]) -> Estimate | None:
    window = Span(readings.at_ns[0], readings.idle_until_ns)
    try:
        return _sum(readings, places, [window], parts_of(window, PARTS))
    except NoFigure:
        return None


def mean_apart_ns(readings: contract.Readings) -> float:
    """Time between two readings; 0 of one alone."""
    return (readings.at_ns[-1] - readings.at_ns[0]) / max(len(readings.at_ns) - 1, 1)


def _reading_share(readings: contract.Readings) -> float:
    spent_ns = readings.reading_ns * len(readings.at_ns)
    lasted_ns = readings.at_ns[-1] - readings.at_ns[0]
    return spent_ns / lasted_ns if lasted_ns else 0.0


def _within(readings: contract.Readings, span: Span) -> range:
    """The readings of a span."""
    first = bisect_left(readings.at_ns, span.start_ns)
    return range(first, bisect_right(readings.at_ns, span.end_ns))


def passed_within(readings: contract.Readings, at: int, span: Span) -> Passed:
    """What the meter at this place saw pass between its first and last reading of a span.
    Raises `NoFigure`."""
    meter = readings.meters[at]
    places = _within(readings, span)
    if len(places) < 2:
        raise NoFigure(f"{meter.name} was read less than twice: measure for longer")
    times = [readings.at_ns[place] / 1e9 for place in places]
    counts = []
    for place in places:
        count = readings.counts[place][at]
        if count is None:
            raise NoFigure(_gone(meter))
        counts.append(count)
    if meter.quantity == "power":
        return _of_gauge(meter, times, counts)
    return _of_counter(meter, times, counts)


def _gone(meter: contract.Meter) -> str:
    if meter.source == "battery":
        return f"{meter.name} did not supply the machine all the time: unplug the charger"
    return f"{meter.name} could not be read any more"


def _of_counter(meter: contract.Meter, times: list[float], counts: list[int]) -> Passed:
    steps = [
        _step(meter, after - before, later - earlier)
        for (before, after), (earlier, later) in zip(pairwise(counts), pairwise(times), strict=True)
    ]
    changes = [place for place, step in enumerate(steps) if step]
    apart_s = (times[-1] - times[0]) / len(steps)
    if not changes:
        raise NoFigure(f"{meter.name} stood still")
    if meter.update_ms is not None and meter.update_ms / 1e3 < apart_s:
        if _longest_still(steps) >= STILL_READINGS:
            raise NoFigure(f"{meter.name} stood still")
        return Passed(sum(steps), times[-1] - times[0])
    if 2 * len(changes) >= len(steps):
        return Passed(sum(steps), times[-1] - times[0])
    if len(changes) < LEAST_CHANGES:
        raise NoFigure(
            f"{meter.name} had {len(changes)} new values in {times[-1] - times[0]:.3g} s: measure "
            f"until it has {LEAST_CHANGES}, for example with --soak 10m"
        )
    first, last = changes[0], changes[-1]
    return Passed(sum(steps[first + 1 : last + 1]), times[last + 1] - times[first + 1])


def _step(meter: contract.Meter, counts: int, seconds: float) -> float:
    """Joules between two readings."""
    joules = shown = counts * meter.unit
    if shown < 0 and meter.wraps_at is not None:
        joules += meter.wraps_at * meter.unit
    is_too_much = joules > MOST_WATTS * max(seconds, 1e-3)
    if joules < 0 or (shown < 0 and is_too_much):
        raise NoFigure(f"{meter.name} went back by {-shown:.3g} J")
    if is_too_much:
        raise NoFigure(f"{meter.name} jumped by {shown:.3g} J in {seconds:.3g} s")
    return joules


def _longest_still(steps: Sequence[float]) -> int:
    longest = still = 0
    for step in steps:
        still = 0 if step else still + 1
        longest = max(longest, still)
    return longest


def _of_gauge(meter: contract.Meter, times: list[float], counts: list[int]) -> Passed:
    """Energy under the readings of power. What a rare update leaves of the time before is left out:
    the readings up to the second change."""
    changes = [place for place, pair in enumerate(pairwise(counts), 1) if pair[0] != pair[1]]
    lasted_s = times[-1] - times[0]
    is_steady = not changes and lasted_s >= STEADY_S
    if meter.update_ms is None and 2 * len(changes) < len(counts) - 1 and not is_steady:
        if len(changes) < LEAST_CHANGES:
            raise NoFigure(
                f"{meter.name} had {len(changes)} new values in {lasted_s:.3g} s: measure until it "
                f"has {LEAST_CHANGES}, for example with --soak 10m"
            )
        times, counts = times[changes[1] :], counts[changes[1] :]
    joules = sum(
        meter.unit * mean(pair) * (later - earlier)
        for pair, (earlier, later) in zip(pairwise(counts), pairwise(times), strict=True)
    )
    return Passed(joules, times[-1] - times[0])
