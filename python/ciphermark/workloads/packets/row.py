"""Row of a case of packets: user-visible figures, cost of a packet in wall and CPU time, comparable
rows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from ciphermark import contract
from ciphermark.record.case_row import NOT_REACHED, CaseRow, key
from ciphermark.statistics.estimate import Estimate
from ciphermark.workloads.energy import Energy
from ciphermark.workloads.flows import Latencies

if TYPE_CHECKING:
    pass


Figure = Literal["transfer", "processing", "actual", "burnt"]
"""Figures that are known with an interval."""


class Interval(msgspec.Struct, kw_only=True):
    """95 % interval of a median."""

    low: float
    high: float


def interval(estimate: Estimate) -> Interval | None:
    """Returns the interval of an estimate, if any, in the form of stored rows."""
    bounds = estimate.interval
    return None if bounds is None else Interval(low=bounds[0], high=bounds[1])


class CoreShare(msgspec.Struct, kw_only=True):
    """Work of one CPU: medians of the passes with the cryptographic work."""

    cpu: int
    submits: bool
    """True if packets are submitted on it."""
    packets: float
    share: float
    """Share of all packets."""
    cpu_cycles: float
    useful_cycles: float
    """Useful work done while a device worked."""


class DeviceShare(msgspec.Struct, kw_only=True):
    """Times of a device: medians over the passes, core cycles a pass."""

    submissions: float
    in_cycles: float | None
    compute_cycles: float | None
    out_cycles: float | None
    wall_cycles: float


class PacketFailure(contract.Failure, kw_only=True):
    """Why a case has no figure: as the engine says, or that packets did not arrive."""

    kind: Literal[contract.FailureKind, "not-delivered"]  # type: ignore[assignment]  # one more


class PacketRow(CaseRow, kw_only=True):
    """Figures of one case of the workload `packets`. Every key is always present, null where it is
    not defined: figures per bit and byte of empty packets, all figures of failed cases.

    `operation` names both where there are two: `encrypt+decrypt`. Cycles without another word are
    of all packets together, from the first submission to the last delivery: core clock times wall
    time. MB is 10^6 bytes. design.md, "Metrics", defines the rest.
    """

    packets: int
    packet_bytes: int | None
    """Null with a profile."""
    bits: float
    """Bits of all packets, counted once for each operation: each crosses the function so often."""
    cores: int
    """Logical CPUs that process packets."""
    cpus: list[int]
    submit_cpu: int
    offload_cpus: list[int]
    batch: int
    flush_us: float | None
    queue_batches: int
    delivery: str
    architecture: str
    waiting: str
    key_setup: str
    priorities: int
    groups: list[list[int]]
    policy: str = "other"
    """Policy by which the kernel schedules the threads that process."""
    offered_per_s: float | None
    in_flight: int
    device: str | None = None
    """Name of the device by its own report; null without an offload."""
    transfer_cycles: float | None = None
    transfer_interval: Interval | None = None
    processing_cycles: float | None = None
    processing_interval: Interval | None = None
    actual_cycles: float | None = None
    """Processing less transfer: the median of the differences of pairs of passes."""
    actual_interval: Interval | None = None
    transfer_cycles_per_packet: float | None = None
    transfer_ns_per_packet: float | None = None
    processing_cycles_per_packet: float | None = None
    processing_cycles_per_byte: float | None = None
    """Over the bytes of all packets, counted once."""
    actual_cycles_per_packet: float | None = None
    cycles_per_bit: float | None = None
    """Actual cycles over `bits`."""
    cpu_cycles: float | None = None
    """CPU time of all threads of the pass with the cryptographic work, in core cycles."""
    transfer_cpu_cycles: float | None = None
    cpu_cycles_per_packet: float | None = None
    useful_cycles: float | None = None
    """Useful work done while a device worked; null without an offload."""
    burnt_cycles: float | None = None
    """CPU time of all threads without useful work: the cost of the packets."""
    burnt_interval: Interval | None = None
    packets_per_second: float | None = None
    mbytes_per_second: float | None = None
    bits_per_second: float | None = None
    """Payload, counted once."""
    latency_ns: Latencies | None = None
    """From submission to delivery, in the passes with the cryptographic work."""
    latency_by_priority_ns: list[Latencies] = []
    """Latencies by priority, the most urgent first; empty where all packets have the same, and in
    runs of engines that did not separate them.
    """
    urgency: float | None = None
    """Median latency of the least urgent packets over that of the most urgent ones in the same
    pass: the median over the passes."""
    urgency_interval: Interval | None = None
    transfer_latency_ns: Latencies | None = None
    hot_cycles_per_byte: float | None = None
    """The function alone, on packets in the nearest cache, without queue."""
    cold_cycles_per_byte: float | None = None
    """Cycles per byte of all packets, one after the other, from memory."""
    shares: list[CoreShare] = []
    device_times: DeviceShare | None = None
    lost: int | None = None
    """Over all passes, as the next two."""
    duplicated: int | None = None
    out_of_order: int | None = None
    queue_full: float | None = None
    """Times a pass that the queue had no room for a batch: median."""
    flushed: float | None = None
    """Batches a pass that were passed on before they were full: median."""
    buffer_bytes: int | None = None
    """Memory of packets, answers and queues."""
    core_hz: float | None = None
    energy: Energy | None = None
    """Energy of the passes with the cryptographic work; null where no meter can be read."""
    no_energy: str | None = None
    """Why not, where one can."""
    pairs: int = 0
    """Pairs of passes, one without and one with the cryptographic work."""
    disturbed: int = 0
    """Pairs that others disturbed, and that are not in the figures."""
    converged: bool = False
    not_converged_reason: str | None = None
    checked_against: str | None = None
    """The implementation whose answers those of all packets were compared with."""
    cycle_source: str
    backend_evidence: str
    features: list[str] = []
    constant_time: bool | None = None
    vectors_passed: int = 0
    agrees_with: list[str] = []
    error: PacketFailure | None = None

    def cycles(self, name: Figure) -> Estimate | None:
        """Returns these cycles of all packets, with the interval where there is one."""
        return _estimate(getattr(self, f"{name}_cycles"), getattr(self, f"{name}_interval"))

    @property
    def urgency_estimate(self) -> Estimate | None:
        """Returns the ratio of waiting times of the least and the most urgent packets.

        It has an interval where that is known.
        """
        return _estimate(self.urgency, self.urgency_interval)

    @property
    def why_unsettled(self) -> str | None:
        return None if self.converged else self.not_converged_reason or NOT_REACHED

    @property
    def is_measured(self) -> bool:
        """Returns whether it has figures."""
        return self.pairs > 0 and self.error is None


LOAD = (
    *("algorithm", "operation", "pattern", "keys", "packets", "cpus", "submit_cpu", "batch"),
    *("flush_us", "delivery", "architecture", "waiting", "key_setup", "priorities", "groups"),
    "policy",
)
"""Fields that a device and its rival on the CPU have in common, except the size."""

DEVICE = ("provider", "backend", "offload", "offload_cpus", "device", "lanes", "in_flight")
"""Fields whose values each make a curve of their own."""

Cost = Callable[["PacketRow"], Estimate | None]


def _estimate(value: float | None, ends: Interval | None) -> Estimate | None:
    """Joins a stored figure and its interval."""
    if value is None or ends is None:
        return None if value is None else Estimate(value)
    return Estimate(value, ends.low, ends.high)


def key_of(row: object, fields: Sequence[str]) -> tuple[Hashable, ...]:
    """Returns the values of these fields as a hashable key."""
    return tuple(repr(it) if isinstance(it, list) else it for it in key(row, fields))


def is_cpu(row: PacketRow) -> bool:
    """Returns whether OpenCL ran on the CPU, by the backend or the device's name."""
    if row.offload != "opencl":
        return False
    return row.backend == "cpu" or (row.device or "").upper().startswith("CPU")


def wall_cycles(row: PacketRow) -> Estimate | None:
    """Returns wall cycles of the whole pass, a packet."""
    return per_packet(row, "processing")


def cpu_cycles(row: PacketRow) -> Estimate | None:
    """Returns CPU cycles of a packet, with those of cores that are the device."""
    own, beside = per_packet(row, "burnt"), _device_cycles(row)
    if own is None or beside is None:
        return None
    return own.mapped(lambda end: end + beside / row.packets)


def cheapest(rows: Sequence[PacketRow], cost: Cost) -> tuple[PacketRow, Estimate] | None:
    """Returns the row of the least cost, with it; None where no row has a cost."""
    costs = [(row, it) for row in rows if (it := cost(row)) is not None]
    return min(costs, key=lambda it: it[1].value, default=None)


def _device_cycles(row: PacketRow) -> float | None:
    """Returns the CPU cycles of a pass that a device took from cores; None if unknown."""
    if row.offload != "cores":
        return 0.0
    times = row.device_times
    parts = (times.in_cycles, times.compute_cycles, times.out_cycles) if times else (None,)
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None


def per_packet(row: PacketRow, name: Figure) -> Estimate | None:
    """Returns these cycles of a packet."""
    cycles = row.cycles(name)
    return cycles and cycles.mapped(lambda end: end / row.packets)
