"""Rows of packets that differ in one number only: of packets, of cores, or of a batch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Literal, NamedTuple

from ciphermark.record.case_row import ASKED

if TYPE_CHECKING:
    from ciphermark.workloads.packets.row import PacketRow

Over = Literal["packets", "cores", "batch"]

ALIKE = (
    *(*ASKED, "offload", "keys", "message_bytes", "profile", "flush_us", "queue_batches"),
    *("delivery", "architecture", "waiting", "key_setup", "priorities", "offered_per_s"),
    "in_flight",
)
"""What all rows of a curve share, besides what decides how many cores there are."""

SHARED: dict[Over, tuple[str, ...]] = {
    "packets": ("cpus", "groups", "batch", "lanes"),
    "cores": ("packets", "batch", "lanes"),
    "batch": ("packets", "cpus", "groups"),
}
"""The rest, by what a curve is over: the calls of a library grow with the batch."""


class Curve(NamedTuple):
    """Rows that differ in one number, by which they ascend."""

    over: Over
    rows: list[PacketRow]

    def number(self, row: PacketRow) -> int:
        return getattr(row, self.over)


def curves(rows: Iterable[PacketRow], over: Over) -> list[Curve]:
    """The curves of two numbers or more, in the order of the plan."""
    alike: dict[Hashable, list[PacketRow]] = defaultdict(list)
    for row in rows:
        if row.is_measured:
            alike[tuple(map(repr, _shared(row, over)))].append(row)
    found = [
        Curve(over, sorted(group, key=lambda row: getattr(row, over))) for group in alike.values()
    ]
    return [it for it in found if len({it.number(row) for row in it.rows}) > 1]


def _shared(row: PacketRow, over: Over) -> Iterable[object]:
    yield from (getattr(row, name) for name in (*ALIKE, *SHARED[over]))
    yield sorted(row.switches.items())
