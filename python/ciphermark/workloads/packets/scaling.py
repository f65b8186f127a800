"""How packets scale over the cores that process them: speed-up, efficiency, and Amdahl's law."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from ciphermark.statistics.scaling_law import Law, Point, Undetermined, fitted
from ciphermark.workloads.packets.curves import Curve, curves

if TYPE_CHECKING:
    from ciphermark.workloads.packets.row import PacketRow


class Step(NamedTuple):
    """A number of cores against the fewest of the curve."""

    cores: int
    speed_up: float
    """How many times as quick as one core: packets per second over those of one."""
    efficiency: float
    """Speed-up over the cores: 1 where every core does as much as one alone."""
    submits_too: bool
    """Whether one of the cores also submits, and so has less time to process."""


class PacketScaling(NamedTuple):
    """A curve over cores that begins with one."""

    rows: list[PacketRow]
    steps: list[Step]
    law: Law | None
    """Amdahl's law of packets per second; nothing where it is not told."""


def packet_scalings(rows: Iterable[PacketRow]) -> list[PacketScaling]:
    """Every curve over cores with a figure of one core.

    Only of packets that are submitted as fast as there is room for them: an offered load decides
    the throughput by itself.
    """
    fast = [row for row in rows if row.offered_per_s is None]
    return [_scaling(it) for it in curves(fast, "cores") if it.rows[0].cores == 1]


def _scaling(curve: Curve) -> PacketScaling:
    points = [Point(row.cores, row.packets_per_second or 0.0) for row in curve.rows]
    alone = points[0].per_second
    steps = [
        Step(
            cores=point.number,
            speed_up=point.per_second / alone,
            efficiency=point.per_second / alone / point.number,
            submits_too=row.submit_cpu in row.cpus,
        )
        for point, row in zip(points, curve.rows, strict=True)
    ]
    try:
        law = fitted("amdahl", points)
    except Undetermined:
        law = None
    return PacketScaling(curve.rows, steps, law)
