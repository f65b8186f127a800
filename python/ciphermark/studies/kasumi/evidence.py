"""Figures that a statement can be asked of, be they printed in the thesis or measured here.

Both come in the same form, so that each statement has one judge that is asked twice.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from ciphermark.show.findings import NotTestable
from ciphermark.studies.kasumi.paper import BOTH

ACCELERATOR, SOFTWARE = "accelerator", "software"
"""The two implementations that the thesis compares. Its software is the specification's code,
optimised for the processor: here it is the kernel with tables."""

FAST, REFERENCE = "fast", "reference"
"""What it has not: the quickest kernel, which takes several packets at once, and one that follows
the specification line by line."""


ROLES = (ACCELERATOR, SOFTWARE, FAST, REFERENCE)


class Load(NamedTuple):
    """Packets of one size through one implementation on one core."""

    role: str
    operation: str
    packets: int
    packet_bytes: int

    @property
    def bits(self) -> int:
        """Of all packets, counted once as the thesis does, also where each is encrypted and
        decrypted."""
        return 8 * self.packets * self.packet_bytes


class Ticks(NamedTuple):
    """Cycles of all packets together."""

    transfer: float
    processing: float
    actual: float


class Evidence(msgspec.Struct, kw_only=True):
    """All figures from one place."""

    single: dict[Load, Ticks]
    """On one core."""
    cores: dict[Load, dict[int, float]]
    """Cycles with the cryptographic work by the number of cores, ascending."""
    busy: dict[Load, dict[int, float]] = {}
    """CPU time of all threads of the same, in core cycles."""
    hertz: float | None
    """Core clock."""
    operation: str = BOTH
    """In which implementations are compared: an accelerator may do one of a packet at a time."""
    unsettled: set[Load] = set()
    """Those on one core whose figures did not converge."""
    names: dict[str, str] = {}
    """What stands for a role."""
    missing: dict[str, str] = {}
    """Why a role has no figures."""

    def loads(
        self, role: str, operation: str, packets: int | None = None, packet_bytes: int | None = None
    ) -> list[Load]:
        """Those on one core of that kind that have actual cycles, by size and then by number."""
        found = [
            load
            for load in self.single
            if self.actual(load)
            and (load.role, load.operation) == (role, operation)
            and packets in (None, load.packets)
            and packet_bytes in (None, load.packet_bytes)
        ]
        return sorted(found, key=lambda load: (load.packet_bytes, load.packets))

    def actual(self, load: Load) -> float | None:
        """Cycles of the cryptographic work, unless they drown in those of the transfer."""
        ticks = self.single.get(load)
        return ticks.actual if ticks and ticks.actual > 0 else None

    def per_bit(self, load: Load) -> float | None:
        """Cycles of it per bit."""
        cycles = self.actual(load)
        return cycles and cycles / load.bits

    def rate(self, load: Load, cores: int) -> float | None:
        """Payload bits per second on so many cores."""
        cycles = self.cores.get(load, {}).get(cores)
        return load.bits * self.hertz / cycles if cycles and self.hertz else None

    def on_cores(self, role: str, packets: int, packet_bytes: int) -> Load | None:
        """What ran on several numbers of cores: both operations, else the one that implementations
        are compared in."""
        loads = (Load(role, it, packets, packet_bytes) for it in (BOTH, self.operation))
        return next((load for load in loads if load in self.cores), None)

    def lacks(self, role: str) -> NotTestable:
        """Why nothing can be said of a role."""
        return NotTestable(self.missing.get(role, f"the {role} has no such figures in this run"))


def ratios(evidence: Evidence, over: str, under: str) -> dict[Load, float]:
    """How many cycles one role takes for one of the other's, by the loads of `under`."""
    found = {}
    for load in evidence.loads(under, evidence.operation):
        above = evidence.actual(load._replace(role=over))
        below = evidence.actual(load)
        if above and below:
            found[load] = above / below
    return found
