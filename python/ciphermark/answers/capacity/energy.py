"""What a load takes of energy: a gigabyte, and power at the rate that is asked about.

A run with `--energy` tells what one core that works on a suite takes beyond the idle machine. That
power, times the time that a packet takes of a core, is the packet's energy. Further cores are taken
to take as much as the first, which is an upper bound: what wakes with the first core wakes once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from statistics import median

import msgspec

from ciphermark.statistics.estimate import Estimate
from ciphermark.workloads.single.row import Row

GIGABYTE = 1e9


class EnergyUse(msgspec.Struct, kw_only=True):
    """Of payload in each direction, headers not counted."""

    source: str
    """The meters."""
    core_watts: Estimate
    """What one busy core takes beyond the idle machine."""
    idle_watts: float
    joules_per_gigabyte: Estimate
    """Without the idle machine's; 10^9 bytes of payload in each direction."""
    watts: Estimate
    """Of the machine at the load that is asked about, else at the most that it carries."""


def energy_use(
    rows: Iterable[Row],
    algorithms: Collection[str],
    provider: str,
    ns_per_packet: Estimate,
    mean_bytes: float,
    busy_cores: Estimate,
) -> EnergyUse | None:
    """By the rows of what answers; None where no meter was read for them."""
    providers = {name.strip() for name in provider.split("+")}
    known = [
        (own, row.energy)
        for row in rows
        if row.algorithm in algorithms
        and row.provider in providers
        and row.energy is not None
        and row.energy.idle_watts is not None
        and (own := row.energy.watts.minus(row.energy.idle_watts)).value > 0
    ]
    if not known:
        return None
    middle = median_low([own for own, _ in known])
    idle = median(it.idle_watts.value for _, it in known if it.idle_watts is not None)
    nanojoules = ns_per_packet.by(middle)
    return EnergyUse(
        source=known[0][1].source,
        core_watts=middle,
        idle_watts=idle,
        joules_per_gigabyte=nanojoules.times(GIGABYTE / mean_bytes / 1e9),
        watts=busy_cores.by(middle).plus(Estimate.exact(idle)),
    )


def median_low(estimates: list[Estimate]) -> Estimate:
    """The one in the middle, with its interval."""
    ordered = sorted(estimates, key=lambda it: it.value)
    return ordered[(len(ordered) - 1) // 2]
