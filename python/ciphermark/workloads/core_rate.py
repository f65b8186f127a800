"""How much more several cores do than one.

What was measured of many sessions or of packets on several cores comes first. Without that each
further core is taken to do as much as the first, and the interval says how little we know.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import median
from typing import TYPE_CHECKING, Literal

import msgspec

from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.possible import no_gain

if TYPE_CHECKING:
    from ciphermark.workloads.packets.row import PacketRow
    from ciphermark.workloads.sessions.row import SessionRow

FURTHER_CORE_LEAST = 0.75
"""Of the first core's work, what a further one does at least. An assumption: shared caches, memory
and power take the rest."""

SIBLING = (0.25, 0.0, 0.6)
"""Of a core's work, what the second thread of the same core adds, at least and at most. A wide
assumption."""

LEAST_SHARE = 0.02
"""Half-width of a measured speed-up at least: rows of sessions have no interval of their own."""


class SpeedUp(msgspec.Struct, kw_only=True):
    """How many times one core's work so many cores do."""

    cores: int
    factor: Estimate
    basis: Literal["one core", "measured", "extrapolated", "assumed"]
    largest_measured: int | None = None


class CoreRate(msgspec.Struct, frozen=True, kw_only=True):
    """Messages per second of something on so many cores."""

    what: tuple[str, str, str, int | str | None]
    """Algorithm, operation, provider and size."""
    cores: int
    per_second: float


def of_sessions(rows: Iterable[SessionRow]) -> list[CoreRate]:
    """Rates of sessions that take messages as fast as they can, one a core at least."""
    return [
        _rate(row, row.messages_per_second)
        for row in rows
        if row.valid
        and row.messages_per_second
        and _is_free(row)
        and row.sessions >= row.cores
        and row.quota_cpus is None
    ]


def of_packets(rows: Iterable[PacketRow]) -> list[CoreRate]:
    """Rates of a queue of packets."""
    return [
        _rate(row, row.packets_per_second)
        for row in rows
        if row.packets_per_second and _is_free(row)
    ]


def _is_free(row: SessionRow | PacketRow) -> bool:
    """Whether nothing but the cores bounds it."""
    return row.offered_per_s is None and row.offload == "none"


def _rate(row: SessionRow | PacketRow, per_second: float) -> CoreRate:
    what = (row.algorithm, row.operation, row.provider, row.size)
    return CoreRate(what=what, cores=row.cores, per_second=per_second)


def speed_up(
    cores: int, rates: Sequence[CoreRate], algorithms: Sequence[str], physical: int | None
) -> SpeedUp:
    """The factor for a suite; `algorithms` are its own name and those of its parts."""
    if cores == 1:
        return SpeedUp(cores=1, factor=Estimate.exact(1), basis="one core")
    if measured := measured_factors(rates, algorithms):
        return _by_measured(cores, measured)
    return SpeedUp(cores=cores, factor=_assumed(cores, physical or cores), basis="assumed")


def measured_factors(rates: Sequence[CoreRate], algorithms: Iterable[str]) -> dict[int, Estimate]:
    """By the number of cores, of the first of the algorithms that was measured on several; empty
    where none was."""
    each = (_measured([it for it in rates if it.what[0] == name]) for name in algorithms)
    return next(filter(None, each), {})


def _measured(rates: Iterable[CoreRate]) -> dict[int, Estimate]:
    """The median speed-up over sizes and operations at each number of cores, with their range."""
    best: dict[tuple[str, str, str, int | str | None], dict[int, float]] = defaultdict(dict)
    for it in rates:
        known = best[it.what].get(it.cores, 0.0)
        best[it.what][it.cores] = max(known, it.per_second)
    found: dict[int, list[float]] = defaultdict(list)
    for alike in best.values():
        for cores, per_second in alike.items():
            if 1 in alike and cores > 1 and no_gain(per_second / alike[1], cores) is None:
                found[cores].append(per_second / alike[1])
    return {cores: _range(values) for cores, values in sorted(found.items())}


def _range(values: Sequence[float]) -> Estimate:
    middle = median(values)
    half = LEAST_SHARE * middle
    return Estimate(middle, min(min(values), middle - half), max(max(values), middle + half))


def _by_measured(cores: int, measured: dict[int, Estimate]) -> SpeedUp:
    """As measured; between two numbers, and beyond, by the share of the nearest smaller one, which
    the interval lets fall to half of what a further core did and rise to all."""
    largest = max(measured)
    if cores in measured:
        return SpeedUp(
            cores=cores, factor=measured[cores], basis="measured", largest_measured=largest
        )
    near = max((it for it in measured if it < cores), default=min(measured))
    least, _ = measured[near].interval or (1.0, near)
    share = (measured[near].value - 1) / (near - 1)
    factor = Estimate(
        1 + share * (cores - 1),
        1 + min(share, (least - 1) / (near - 1)) / 2 * (cores - 1),
        1 + max(1.0, share) * (cores - 1),
    )
    return SpeedUp(cores=cores, factor=factor, basis="extrapolated", largest_measured=largest)


def _assumed(cores: int, physical: int) -> Estimate:
    whole = min(cores, physical)
    siblings = max(0, cores - physical)
    usual, least, most = SIBLING
    return Estimate(
        whole + siblings * usual,
        1 + (whole - 1) * FURTHER_CORE_LEAST + siblings * least,
        whole + siblings * most,
    )


def whole_tunnels(each: float, wanted: float) -> int:
    """How many tunnels of a rate one core holds; rounding must not lose one that fits exactly."""
    return math.floor(round(each / wanted, 9))
