"""Where one of two costs over message size becomes the cheaper one.

Between two neighbouring sizes that were measured each cost is taken to be a straight line, so the
crossing is exact where costs are a + b·n, and lanes and caches may bend them elsewhere. Beyond the
measured sizes nothing is read off.

The interval is found by inverting the test: it holds every size at which the interval of the
difference of both costs holds 0, which is Fieller's way with ratios (E. C. Fieller, Journal of the
Royal Statistical Society B 16, 1954). The difference's own interval is put together from those of
the two costs by the method of variance estimates recovery (Zou and Donner, Statistics in Medicine
27, 2008). Its ends are joined by straight lines as well, which is wider than what two independent
neighbours would give. The interval of a crossing may go on beyond the sizes; that end is open.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal

import msgspec

from ciphermark.statistics.estimate import Estimate

Reach = Literal["everywhere", "nowhere", "from", "up-to", "several"]
"""At which of the sizes the second cost is the lower: all, none, those from a crossing on, those up
to one; or the costs cross more than once."""


class Crossing(msgspec.Struct, kw_only=True):
    """At which sizes the second cost is lower than the first."""

    reach: Reach
    message_bytes: float | None = None
    """Where the costs cross; nothing unless they cross once."""
    low: float | None = None
    """95 % interval of that; an end beyond the measured sizes is absent."""
    high: float | None = None
    has_interval: bool = False
    """Whether the interval is known, be its ends open or not."""


def crossing(sizes: Sequence[float], gains: Sequence[Estimate]) -> Crossing:
    """Where the gains, which are the first cost less the second, change their sign.

    Sizes ascend; there must be one.
    """
    ahead = [gain.value > 0 for gain in gains]
    changes = sum(before != after for before, after in pairwise(ahead))
    if changes == 0:
        return Crossing(reach="everywhere" if ahead[0] else "nowhere")
    if changes > 1:
        return Crossing(reach="several")
    if ahead[0]:
        return _crossed("up-to", sizes, [_negated(gain) for gain in gains])
    return _crossed("from", sizes, gains)


def is_doubtful(gain: Estimate) -> bool:
    """Whether the interval of a gain leaves its sign open."""
    return gain.interval is not None and gain.interval[0] <= 0 <= gain.interval[1]


def _crossed(reach: Reach, sizes: Sequence[float], gains: Sequence[Estimate]) -> Crossing:
    """The one crossing from a loss to a gain."""
    found = Crossing(reach=reach, message_bytes=_first_zero(sizes, [gain.value for gain in gains]))
    intervals = [gain.interval for gain in gains if gain.interval is not None]
    if len(intervals) < len(gains):
        return found
    found.has_interval = True
    # It begins where a gain is first possible, and ends where a loss is last possible.
    found.low = _first_zero(sizes, [high for _, high in intervals])
    found.high = _first_zero(sizes[::-1], [-low for low, _ in intervals[::-1]])
    return found


def _first_zero(sizes: Sequence[float], values: Sequence[float]) -> float | None:
    """The first place at which values that begin below 0 are no longer so; None where they begin
    otherwise, since then it lies before the first size."""
    if values[0] >= 0:
        return None
    return next(_zeros(sizes, values), None)


def _zeros(sizes: Sequence[float], values: Sequence[float]) -> Iterator[float]:
    points = zip(sizes, values, strict=True)
    for (left, before), (right, after) in pairwise(points):
        if before < 0 <= after:
            yield left + (right - left) * before / (before - after)


def _negated(gain: Estimate) -> Estimate:
    if gain.low is None or gain.high is None:
        return Estimate(-gain.value)
    return Estimate(-gain.value, -gain.high, -gain.low)
