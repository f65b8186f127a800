"""The row of a case of packets: what users see of it, what a packet costs, in time that passes and
in CPU time, and which rows may be held together."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from ciphermark import contract
from ciphermark.record.case_row import NOT_REACHED, CaseRow, key
from ciphermark.statistics.estimate import Estimate
from ciphermark.workloads.energy import Energy
from ciphermark.workloads.latency import Latencies

if TYPE_CHECKING:
    pass


Figure = Literal["transfer", "processing", "actual", "burnt"]
"""What is known with an interval."""


class Interval(msgspec.Struct, kw_only=True):
    """95 % interval of a median."""

    low: float
    high: float


def interval(estimate: Estimate) -> Interval | None:
    """That of an estimate, where it has one, as rows are stored."""
    ends = estimate.interval
    return None if ends is None else Interval(low=ends[0], high=ends[1])


class CoreShare(msgspec.Struct, kw_only=True):
    """What one CPU did: medians of the passes with the cryptographic work."""

    cpu: int
    submits: bool
    """Whether packets are submitted on it."""
    packets: float
    share: float
    """Of all packets."""
    cpu_cycles: float
    useful_cycles: float
    """Useful work done while a device worked."""


class DeviceShare(msgspec.Struct, kw_only=True):
    """Where the time of a device went: medians over the passes, core cycles a pass."""

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
    not defined: figures per bit and byte of empty packets, all of what failed.

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
    """How the kernel schedules the threads that process."""
    offered_per_s: float | None
    in_flight: int
    device: str | None = None
    """Where the work was done, as the device says; null without an offload."""
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
    """CPU time of all threads without useful work: what the packets cost."""
    burnt_interval: Interval | None = None
    packets_per_second: float | None = None
    mbytes_per_second: float | None = None
    bits_per_second: float | None = None
    """Payload, counted once."""
    latency_ns: Latencies | None = None
    """From submission to delivery, in the passes with the cryptographic work."""
    latency_by_priority_ns: list[Latencies] = []
    """The same of the packets of each priority, the most urgent first; empty where all have the
    same, and in runs of engines that did not tell them apart."""
    urgency: float | None = None
    """Median latency of the least urgent packets over that of the most urgent ones in the same
    pass: the median over the passes."""
    urgency_interval: Interval | None = None
    transfer_latency_ns: Latencies | None = None
    hot_cycles_per_byte: float | None = None
    """The function alone, on packets in the nearest cache, without queue."""
    cold_cycles_per_byte: float | None = None
    """The same on all packets, one after the other, from memory."""
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
    """Of the passes with the cryptographic work; null where no meter can be read."""
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
        """These cycles of all packets, with the interval where there is one."""
        return _estimate(getattr(self, f"{name}_cycles"), getattr(self, f"{name}_interval"))

    @property
    def urgency_estimate(self) -> Estimate | None:
        """How many times as long the least urgent packets wait as the most urgent ones, with the
        interval where there is one."""
        return _estimate(self.urgency, self.urgency_interval)

    @property
    def why_unsettled(self) -> str | None:
        return None if self.converged else self.not_converged_reason or NOT_REACHED

    @property
    def is_measured(self) -> bool:
        """Whether it has figures."""
        return self.pairs > 0 and self.error is None


LOAD = (
    *("algorithm", "operation", "pattern", "keys", "packets", "cpus", "submit_cpu", "batch"),
    *("flush_us", "delivery", "architecture", "waiting", "key_setup", "priorities", "groups"),
    "policy",
)
"""What a device and its rival on the CPU have in common, except the size."""

DEVICE = ("provider", "backend", "offload", "offload_cpus", "device", "lanes", "in_flight")
"""What is a curve of its own besides."""

Cost = Callable[["PacketRow"], Estimate | None]


def _estimate(value: float | None, ends: Interval | None) -> Estimate | None:
    """A stored figure and its interval as one."""
    if value is None or ends is None:
        return None if value is None else Estimate(value)
    return Estimate(value, ends.low, ends.high)


def key_of(row: object, fields: Sequence[str]) -> tuple[Hashable, ...]:
    """The values of these fields, as something that can be looked up."""
    return tuple(repr(it) if isinstance(it, list) else it for it in key(row, fields))


def is_cpu(row: PacketRow) -> bool:
    """Whether OpenCL ran on the CPU, by the backend or by what the device says of itself."""
    if row.offload != "opencl":
        return False
    return row.backend == "cpu" or (row.device or "").upper().startswith("CPU")


def wall_cycles(row: PacketRow) -> Estimate | None:
    """Of the whole pass, a packet."""
    return per_packet(row, "processing")


def cpu_cycles(row: PacketRow) -> Estimate | None:
    """CPU time that a packet burns, with that of cores that are the device."""
    own, beside = per_packet(row, "burnt"), _device_cycles(row)
    if own is None or beside is None:
        return None
    return own.mapped(lambda end: end + beside / row.packets)


def cheapest(rows: Sequence[PacketRow], cost: Cost) -> tuple[PacketRow, Estimate] | None:
    """The row of the least cost, with it; None where no row has it."""
    found = [(row, it) for row in rows if (it := cost(row)) is not None]
    return min(found, key=lambda it: it[1].value, default=None)


def _device_cycles(row: PacketRow) -> float | None:
    """CPU time of a pass that a device took from cores; nothing is known where it does not tell."""
    if row.offload != "cores":
        return 0.0
    times = row.device_times
    parts = (times.in_cycles, times.compute_cycles, times.out_cycles) if times else (None,)
    told = [part for part in parts if part is not None]
    return sum(told) if len(told) == len(parts) else None


def per_packet(row: PacketRow, name: Figure) -> Estimate | None:
    """These cycles of a packet."""
    cycles = row.cycles(name)
    return cycles and cycles.mapped(lambda end: end / row.packets)
