"""Rows of packets that differ in one number only: of packets, of cores, or of a batch; and how
packets scale over the cores that process them: speed-up, efficiency, and Amdahl's law."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, NamedTuple

from ciphermark.record.case_row import ASKED
from ciphermark.statistics.estimate import no_gain
from ciphermark.statistics.scaling_law import Law, Point, Undetermined, fitted
from ciphermark.workloads.flows import together

if TYPE_CHECKING:
    from ciphermark.workloads.packets.row import PacketRow

Over = Literal["packets", "cores", "batch"]

ALIKE = (
    *(*ASKED, "offload", "keys", "message_bytes", "profile", "flush_us", "queue_batches"),
    *("delivery", "architecture", "waiting", "key_setup", "priorities", "offered_per_s"),
    "in_flight",
)
"""Fields that all rows of a curve share, besides those that set the number of cores."""

SHARED: dict[Over, tuple[str, ...]] = {
    "packets": ("cpus", "groups", "batch", "lanes"),
    "cores": ("packets", "batch", "lanes"),
    "batch": ("packets", "cpus", "groups"),
}
"""Other fields, by the axis of a curve: the calls of a library grow with the batch."""


class Curve(NamedTuple):
    """Rows that differ in one number, by which they ascend."""

    over: Over
    rows: list[PacketRow]

    def number(self, row: PacketRow) -> int:
        number: int = getattr(row, self.over)
        return number


def curves(rows: Iterable[PacketRow], over: Over) -> list[Curve]:
    """Returns the curves of two numbers or more, in the order of the plan."""
    alike = together(
        (row for row in rows if row.is_measured), lambda row: tuple(map(repr, _shared(row, over)))
    )
    every = [
        Curve(over, sorted(group, key=lambda row: getattr(row, over))) for group in alike.values()
    ]
    return [curve for curve in every if len({curve.number(row) for row in curve.rows}) > 1]


def _shared(row: PacketRow, over: Over) -> Iterable[object]:
    yield from (getattr(row, name) for name in (*ALIKE, *SHARED[over]))
    yield sorted(row.switches.items())


class Step(NamedTuple):
    """A number of cores against the fewest of the curve."""

    cores: int
    speed_up: float
    """Packets per second over those of one core."""
    efficiency: float
    """Speed-up over the cores: 1 where every core does as much as one alone."""
    submits_too: bool
    """True if one of the cores also submits, and so has less time to process."""


class PacketScaling(NamedTuple):
    """A curve over cores that begins with one."""

    rows: list[PacketRow]
    steps: list[Step]
    """Returns the rows whose speed-up can be true."""
    law: Law | None
    """Amdahl's law of packets per second; nothing where it is not told."""


def packet_scalings(rows: Iterable[PacketRow]) -> list[PacketScaling]:
    """Returns every curve over cores with a figure of one core.

    Only of packets that are submitted as fast as there is room for them: an offered load decides
    the throughput by itself.
    """
    fast = [row for row in rows if row.offered_per_s is None]
    return [_scaling(curve) for curve in curves(fast, "cores") if curve.rows[0].cores == 1]


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
        if no_gain(point.per_second / alone, point.number) is None
    ]
    if len(steps) < len(points):
        return PacketScaling(curve.rows, steps, None)
    try:
        law = fitted("amdahl", points)
    except Undetermined:
        law = None
    return PacketScaling(curve.rows, steps, law)
