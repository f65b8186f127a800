"""What bursts do to packets that are served at a steady rate: delay, loss, and the buffer needed.

One source sends at its peak rate h for times of mean 1/β, and is silent for times of mean 1/α; a
server takes c < h, as fluid. With exponential times everything is known in closed form (D. Anick,
D. Mitra, M. M. Sondhi, Stochastic theory of a data-handling system with multiple sources, Bell
System Technical Journal 61(8), 1982, for one source). With z = β/(h − c) − α/c the data that arrive
find more than x in the buffer with probability exp(−z·x), so that their delay is exponential with
mean 1/(z·c). A buffer of B loses the share

    (h − c)/h · w·E / ((1 − E)/z + w·E),    E = exp(−z·B),  w = (h − c)/β

since the densities of the buffer's content are multiples of exp(−z·x), with all that does not fit
waiting at B. Heavy-tailed times have no such form: there Lindley's recursion is followed exactly
from one time of sending to the next, many times. With such tails one burst in a lifetime outweighs
all others, and sums over ever more of them settle nowhere; so a figure is that of a typical stretch
of 15,000 bursts, the median over stretches, with the interval of that median.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import msgspec

from ciphermark.plan.profile import Bursts
from ciphermark.statistics.estimate import Estimate

if TYPE_CHECKING:
    import numpy as np

    from ciphermark.statistics.quantiles import Floats

LATE_SHARE = 0.01
"""Of the data, those whose delay is said: all but so many wait less."""

LOST_SHARE = 0.01
"""The loss that the buffer is computed for, where none is given."""

REPLICATIONS = 200
STRETCHES = 20
"""Groups of replications: each has 15,000 bursts."""

PERIODS = 1500
"""Times of sending in each replication, after as many again that only fill the buffer."""

NEARLY_ONE = 1e-12
LARGEST_EXPONENT = 30.0
"""A share below e^-30, which is 10^-13, counts as none."""


class BurstFigures(msgspec.Struct, kw_only=True):
    """One bursty source at one server."""

    method: Literal["closed form", "simulation"]
    peak_bits_per_second: float
    mean_bits_per_second: float
    served_bits_per_second: float
    load: float
    """Mean rate over rate of service."""
    mean_delay_s: Estimate | None
    """None where it has none: too much load, or a tail so heavy that a mean does not exist."""
    late_delay_s: Estimate | None
    """All but `LATE_SHARE` of the data wait less; None with too much load."""
    buffer_bytes: Estimate | None
    """With which only `lost_for_buffer` of the data are lost; None where no buffer helps."""
    lost_for_buffer: float
    given_buffer_bytes: float | None
    lost: Estimate | None
    """Share of the data that are lost with the buffer that was given."""
    source: str


def figures(
    bursts: Bursts, served_bits_per_second: float, buffer_bytes: float | None = None, seed: int = 1
) -> BurstFigures:
    """What becomes of the source when it is served at this rate."""
    if served_bits_per_second >= bursts.peak_bits_per_second:
        return _never_waits(bursts, served_bits_per_second, buffer_bytes)
    if bursts.kind == "on-off":
        return _closed_form(bursts, served_bits_per_second, buffer_bytes)
    return _simulated(bursts, served_bits_per_second, buffer_bytes, seed)


def decay_per_bit(bursts: Bursts, served_bits_per_second: float) -> float:
    """z: how fast the probability of a content falls with it; below 0 with too much load."""
    c, h = served_bits_per_second, bursts.peak_bits_per_second
    return 1 / (bursts.mean_on_s * (h - c)) - 1 / (bursts.off_s * c)


def lost_share(bursts: Bursts, served_bits_per_second: float, buffer_bits: float) -> float:
    """Share of the data of an on-off source that a buffer does not take."""
    c, h = served_bits_per_second, bursts.peak_bits_per_second
    z = decay_per_bit(bursts, c)
    waiting = (h - c) * bursts.mean_on_s
    exponent = z * buffer_bits
    if exponent > LARGEST_EXPONENT:
        return 0.0
    # (1 − E)/(z·E), which tends to B where z tends to 0.
    filled = buffer_bits if abs(exponent) < NEARLY_ONE else math.expm1(exponent) / z
    return (h - c) / h * waiting / (filled + waiting)


def buffer_bits(bursts: Bursts, served_bits_per_second: float, lost: float) -> float | None:
    """The buffer with which this share is lost; None where even an endless one loses more."""
    c, h = served_bits_per_second, bursts.peak_bits_per_second
    z = decay_per_bit(bursts, c)
    at_once = (h - c) / h
    if lost >= at_once:
        return 0.0
    # lost = at_once · w/(filled + w), solved for filled = (e^(zB) − 1)/z.
    filled = (h - c) * bursts.mean_on_s * (at_once / lost - 1)
    if abs(z * filled) < NEARLY_ONE:
        return filled
    return math.log1p(z * filled) / z if z * filled > -1 else None


def waits(service: Floats, gaps: Floats) -> Floats:
    """Lindley's recursion: how long each customer waits before its service begins.

    `gaps` are the times from each arrival to the next; both have one entry a customer. The first
    does not wait. With the walk S of the differences the wait is S less its minimum so far.
    """
    import numpy as np

    walk = np.concatenate(([0.0], np.cumsum(service[:-1] - gaps[:-1])))
    return walk - np.minimum.accumulate(walk)


def _never_waits(bursts: Bursts, served: float, buffer: float | None) -> BurstFigures:
    nothing = Estimate(0.0)
    return BurstFigures(
        method="closed form",
        **_rates(bursts, served),
        mean_delay_s=nothing,
        late_delay_s=nothing,
        buffer_bytes=nothing,
        lost_for_buffer=LOST_SHARE,
        given_buffer_bytes=buffer,
        lost=None if buffer is None else nothing,
        source=bursts.source,
    )


def _closed_form(bursts: Bursts, served: float, buffer: float | None) -> BurstFigures:
    z = decay_per_bit(bursts, served)
    stable = z > 0
    needed = buffer_bits(bursts, served, LOST_SHARE)
    lost = None if buffer is None else lost_share(bursts, served, 8 * buffer)
    late = math.log(1 / LATE_SHARE)
    return BurstFigures(
        method="closed form",
        **_rates(bursts, served),
        mean_delay_s=Estimate(1 / (z * served)) if stable else None,
        late_delay_s=Estimate(late / (z * served)) if stable else None,
        buffer_bytes=None if needed is None else Estimate(needed / 8),
        lost_for_buffer=LOST_SHARE,
        given_buffer_bytes=buffer,
        lost=None if lost is None else Estimate(lost),
        source=bursts.source,
    )


def _simulated(bursts: Bursts, served: float, buffer: float | None, seed: int) -> BurstFigures:
    import numpy as np

    random = np.random.default_rng(seed)
    up, down = _steps(bursts, served, random)
    stable = bursts.mean_rate_bits_per_second < served
    begun, grown = _contents(up, down, math.inf)
    late = _over(lambda those: _content_found(begun[:, those], grown[:, those], LATE_SHARE))
    needed = _over(lambda those: _content_found(begun[:, those], grown[:, those], LOST_SHARE))
    finite_mean = stable and (bursts.shape is None or bursts.shape > 2)
    mean = _over(lambda those: _mean_content(begun[:, those], grown[:, those]))
    return BurstFigures(
        method="simulation",
        **_rates(bursts, served),
        mean_delay_s=mean.times(1 / served) if finite_mean else None,
        late_delay_s=late.times(1 / served) if stable else None,
        # What data find in an endless buffer bounds what a buffer of that size loses.
        buffer_bytes=needed.times(1 / 8) if stable else None,
        lost_for_buffer=LOST_SHARE,
        given_buffer_bytes=buffer,
        lost=None if buffer is None else _lost(bursts, served, up, down, 8 * buffer),
        source=bursts.source,
    )


def _rates(bursts: Bursts, served: float) -> dict[str, float]:
    mean = bursts.mean_rate_bits_per_second
    return {
        "peak_bits_per_second": bursts.peak_bits_per_second,
        "mean_bits_per_second": mean,
        "served_bits_per_second": served,
        "load": mean / served,
    }


def _steps(bursts: Bursts, served: float, random: np.random.Generator) -> tuple[Floats, Floats]:
    """By how many bits the buffer fills in each time of sending, and could empty in each silence:
    a row for each step, a column for each replication."""
    shape = (2 * PERIODS, REPLICATIONS)
    tail = bursts.shape
    if tail is None:
        on = random.exponential(bursts.mean_on_s, shape)
    else:
        # Pareto's distribution from its least value on, whose mean is shape/(shape − 1) of that.
        on = (1 + random.pareto(tail, shape)) * bursts.mean_on_s * (tail - 1) / tail
    off = random.exponential(bursts.off_s, shape)
    return (bursts.peak_bits_per_second - served) * on, served * off


def _contents(up: Floats, down: Floats, most: float) -> tuple[Floats, Floats]:
    """What is in the buffer when each time of sending begins, and by how much it then grows, of the
    second half of the steps."""
    import numpy as np

    content = np.zeros(up.shape[1])
    begun, grown = np.empty_like(up), np.empty_like(up)
    for step in range(len(up)):
        begun[step] = content
        grown[step] = np.minimum(up[step], most - content)
        content = np.maximum(0.0, content + grown[step] - down[step])
    return begun[PERIODS:], grown[PERIODS:]


def _content_found(begun: Floats, grown: Floats, share: float) -> float:
    """The content that all but this share of the data find less than.

    In a time of sending data find all contents from its beginning to its end equally often.
    """
    import numpy as np

    low, high = 0.0, float((begun + grown).max())
    end, weight = begun + grown, float(grown.sum())
    for _ in range(30):
        middle = (low + high) / 2
        above = float(np.clip(end - middle, 0, grown).sum()) / weight
        low, high = (middle, high) if above > share else (low, middle)
    return high


def _mean_content(begun: Floats, grown: Floats) -> float:
    return float((grown * (begun + grown / 2)).sum() / grown.sum())


def _lost(bursts: Bursts, served: float, up: Floats, down: Floats, most: float) -> Estimate:
    """Share of the data that did not fit."""
    _, grown = _contents(up, down, most)
    filling = 1 - served / bursts.peak_bits_per_second
    fitted = up[PERIODS:]

    def share(those: slice) -> float:
        sent = float(fitted[:, those].sum()) / filling
        return float((fitted[:, those] - grown[:, those]).sum()) / sent

    return _over(share)


def _over(of_replications: Callable[[slice], float]) -> Estimate:
    """The figure of a typical stretch, which is a group of replications, with its interval."""
    import numpy as np

    from ciphermark.statistics.quantiles import estimate_median

    each = REPLICATIONS // STRETCHES
    found = [of_replications(slice(at, at + each)) for at in range(0, REPLICATIONS, each)]
    typical = estimate_median(np.array(found))
    assert typical is not None  # of so many stretches
    return typical
