"""The answer: what one suite carries."""

from __future__ import annotations

import msgspec

from ciphermark.answers.capacity.bursts import BurstFigures
from ciphermark.answers.capacity.framing import OnWire
from ciphermark.answers.capacity.keys import KeyLife
from ciphermark.answers.capacity.packet_cost import Basis
from ciphermark.statistics.estimate import Estimate
from ciphermark.workloads.core_rate import SpeedUp

FIXED = "fixed cost per packet"
BYTES = "bytes"
CORES = "cores"
"""Where it was not measured which part of a packet's cost is the larger one."""
LINK = "link"
ONE_EACH = "cores: one for each tunnel"
MEMORY = "memory bandwidth"


class Held(msgspec.Struct, kw_only=True):
    """What a rate that each tunnel is to have takes."""

    rate_bits_per_second: float
    cpu_share: Estimate
    """Of one core, for one tunnel; above 1 no core holds it."""
    tunnels: int
    """How many there can be, of those asked about so many as fit."""
    tunnels_low: int
    tunnels_high: int
    limit: str
    """What ends it: the cores, one core, or the link."""


class Answer(msgspec.Struct, kw_only=True):
    """What a suite carries of a profile. Rates are of payload, and in each direction."""

    suite: str
    profile: str
    machine: str
    cores: int
    tunnels: int | None
    both_ways: bool
    keep_free: float
    operations: list[str]
    provider: str
    backend: str
    basis: Basis
    source: str
    payload_bits_per_second: float
    low: float
    high: float
    packets_per_second: float
    packets_low: float
    packets_high: float
    mean_packet_bytes: float
    ns_per_packet: Estimate
    """Of one core, all operations."""
    wire_bits_per_second: float | None
    """With all headers and what Ethernet adds; None of what has no framing."""
    cores_per_gbit: Estimate
    """Cores for 1 Gbit/s (10^9) of payload."""
    flow: Estimate
    """Payload bits per second of one tunnel, which one core serves."""
    cores_used: float
    """CPUs that this load keeps busy."""
    limit: str
    fixed_share: float | None
    """Of the cost of a packet: what an empty one would cost; None where no sizes were measured."""
    speed_up: SpeedUp
    memory_bits_per_second: float | None
    """The same with packets that come from memory instead of a cache; None where not measured."""
    on_wire: OnWire | None
    held: Held | None
    key: KeyLife | None
    bursts: BurstFigures | None
    notes: list[str]


class Unanswered(msgspec.Struct, kw_only=True):
    """A suite of which nothing is known, and what to type."""

    suite: str
    reason: str
