"""Lasting changes of a machine's figures, and libraries that were released then.

The runs are cut where their costs stay on another level: by the exact search of Killick, Fearnhead
and Eckley (PELT, Journal of the American Statistical Association 107, 2012) on the logarithms, with
the penalty of the Bayesian information criterion for a spread by the differences of neighbours,
which a change of level hardly moves. A cut is a change when the ratio of the medians after and
before has an interval without 1 in it, and is over 2 %.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import msgspec
import numpy as np

from ciphermark.answers.machines.figures import Point
from ciphermark.answers.machines.page import MATTERS, History
from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.quantiles import FEWEST_GROUPS, Floats, estimate_median, median
from ciphermark.statistics.ratio import OrderStatistics, is_above, unpaired_ratio

FEWEST_POINTS = 2 * FEWEST_GROUPS
"""Runs of a figure from which on changes are looked for: a median of fewer than six has no
interval."""

NORMAL_QUARTILE = 0.6745
"""Half of the values of a normal distribution are within so many standard deviations."""

LEAST_SPREAD = 1e-4
"""Least spread of logarithms: figures are not known better, and equal ones would be cut everywhere.
"""

Versions = Callable[[str], Mapping[str, str]]
"""The libraries of a run with their versions, where that is known."""


class Change(msgspec.Struct, kw_only=True):
    """The cost of an implementation is another one from some run on."""

    run: str
    """The first of the new level."""
    started_unix_ns: int
    ratio: Estimate
    """Ratio of the median after to that before, with the 95 % interval."""
    before: int
    """Runs on the old level, back to the change before this one."""
    after: int


class Release(msgspec.Struct, kw_only=True):
    """A library has another version from some run on."""

    run: str
    started_unix_ns: int
    version: str
    """The new one."""
    was: str


def changes(history: History) -> list[Change]:
    """Returns the changes of a figure over a machine's runs, the oldest first.

    The list is empty where there are too few runs.
    """
    points = history.points
    if len(points) < FEWEST_POINTS:
        return []
    logs = np.log([point.cycles_per_byte for point in points])
    cuts = _cuts(logs)
    while True:
        edges = [0, *cuts, len(points)]
        parts = [logs[start:end] for start, end in pairwise(edges)]
        ratios = [_ratio(after, before) for before, after in pairwise(parts)]
        # A cut that is no change is taken back, the smallest first, and its sides are one level.
        doubtful = [place for place, ratio in enumerate(ratios) if not _is_change(ratio)]
        if not doubtful:
            break
        del cuts[min(doubtful, key=lambda place: abs(math.log(ratios[place].value)))]
    return [
        Change(
            run=points[cut].run,
            started_unix_ns=points[cut].started_unix_ns,
            ratio=Estimate(*ratio),
            before=len(before),
            after=len(after),
        )
        for cut, ratio, (before, after) in zip(cuts, ratios, pairwise(parts), strict=True)
    ]


def releases(points: Sequence[Point], provider: str, versions: Versions) -> list[Release]:
    """Returns new versions of a library, with the first run of each."""
    made, was = [], ""
    name = provider.partition("@")[0]
    for point in points:
        version = versions(point.run).get(provider) or versions(point.run).get(name) or ""
        if version and was and version != was:
            made.append(
                Release(
                    run=point.run,
                    started_unix_ns=point.started_unix_ns,
                    version=version,
                    was=was,
                )
            )
        was = version or was
    return made


def _cuts(logs: Floats) -> list[int]:
    """Returns where other levels may begin."""
    steps = np.abs(np.diff(logs))
    spread = max(median(steps) / (NORMAL_QUARTILE * math.sqrt(2)), LEAST_SPREAD)
    return cheapest_cuts(logs, 2 * spread**2 * math.log(len(logs)), FEWEST_GROUPS)


def cheapest_cuts(values: Floats, penalty: float, fewest: int) -> list[int]:
    """Returns the starts of the parts, but the first, into which values are cut best.

    The best cuts have the least sum of the squares about the means of their parts and of a penalty
    for each cut; a part has `fewest` values or more.
    """
    centred = values - values.mean()
    sums, squares = (np.concatenate(([0.0], np.cumsum(it))) for it in (centred, centred**2))
    count = len(values)
    cost, last = np.full(count + 1, np.inf), np.zeros(count + 1, dtype=int)
    cost[0] = -penalty
    # Until where a start is tried: from there on another one is better whatever follows.
    tried_until = np.full(count + 1, count + 1)
    starts = np.array([0])
    for end in range(fewest, count + 1):
        total = sums[end] - sums[starts]
        up_to = cost[starts] + squares[end] - squares[starts] - total**2 / (end - starts)
        best = int(np.argmin(up_to))
        cost[end], last[end] = up_to[best] + penalty, starts[best]
        worse = starts[up_to > cost[end]]
        tried_until[worse] = np.minimum(tried_until[worse], end + fewest)
        starts = np.append(starts, end + 1 - fewest)
        starts = starts[(tried_until[starts] > end + 1) & np.isfinite(cost[starts])]
    cuts, end = [], int(last[count])
    while end:
        cuts.append(end)
        end = int(last[end])
    return cuts[::-1]


def _is_change(ratio: Estimate) -> bool:
    return max(ratio.value, 1 / ratio.value) > MATTERS and is_above(ratio, 1.0) is not None


def _ratio(after: Floats, before: Floats) -> Estimate:
    sides = [
        (estimate_median(np.exp(logs)), OrderStatistics(len(logs))) for logs in (after, before)
    ]
    (a, of_a), (b, of_b) = sides
    assert a is not None and b is not None
    return unpaired_ratio(a, of_a, b, of_b)
