"""Packet size from which a device beats the CPU, and the CPU time that it frees.

Two costs of a packet are compared. *Wall cycles* are those of the whole pass over its packets, the
queue included: the cheaper side has the higher throughput. *CPU cycles* are the CPU time of all
threads without the useful work that was done while the device worked; where the device is made of
other cores of the same processor, the time they worked is CPU time too. Cycles that the device's
side saves are freed.

Against a device stands, at each size, the row with the lowest cost of all that did the same packets
on the same CPUs in batches of the same size without a device: another library or number of lanes
may be the best at another size. `models.crossing` has how the crossing and its interval are found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np

from ciphermark.statistics.crossing import Crossing, crossing, is_doubtful
from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.line import Line, fitted
from ciphermark.workloads.flows import implementation, together
from ciphermark.workloads.packets.row import (
    DEVICE,
    LOAD,
    cheapest,
    cpu_cycles,
    is_cpu,
    key_of,
    wall_cycles,
)

if TYPE_CHECKING:
    from ciphermark.workloads.packets.row import PacketRow

LARGEST_PACKET = 65_535
"""Bytes that the length field of an IP packet can say (RFC 791, section 3.1). Costs that would meet
beyond do not meet for packets."""

Outcome = Literal["always", "from", "up-to", "beyond", "never", "several", "even", "no-figure"]
"""`always`, `never`: at every measured size, and for `never` by the fitted lines at every larger
packet as well. `beyond`: at no measured size, and the lines would meet further up. `even`: at no
size can the costs be distinguished. `no-figure`: one of them is not known."""

Measure = Literal["throughput", "cpu_time"]

GOOD_FIRST = ("always", "from", "several", "up-to", "even", "beyond", "never", "no-figure")
"""Outcomes, from the one that speaks most for a device."""


class BreakEven(msgspec.Struct, kw_only=True):
    """At which sizes one cost is lower with the device."""

    outcome: Outcome
    message_bytes: float | None = None
    """Size at which costs cross; with `beyond` that of the fitted lines, an extrapolation."""
    low: float | None = None
    """95 % interval of the crossing; an end that is not within the measured sizes is absent."""
    high: float | None = None
    has_interval: bool = False
    """True if the interval is known, even with open ends."""
    doubtful: list[int] = []
    """Measured sizes at which the costs are not distinguished."""


class Point(msgspec.Struct, kw_only=True):
    """Both costs at one size, cycles per packet; the estimates have 95 % intervals where known."""

    message_bytes: int
    rival: str
    """The implementation on the CPU: `kernels · bytesliced-avx512 · 64 lanes`."""
    cpu_wall_cycles: Estimate
    device_wall_cycles: Estimate
    gained_wall_cycles: Estimate
    """Wall cycles by which a packet is quicker with the device."""
    cpu_cycles: Estimate | None
    """CPU time of a packet without the device, by whichever implementation has the least."""
    device_cpu_cycles: Estimate | None
    freed_cycles: Estimate | None
    freed_cycles_per_byte: float | None
    cases: tuple[int, int]
    """Cases of the CPU and of the device."""


class Comparison(msgspec.Struct, kw_only=True):
    """A function on a device against the CPU, over packet sizes."""

    algorithm: str
    operation: str
    offload: str
    provider: str
    backend: str
    device: str | None
    offload_cpus: list[int]
    cpus: list[int]
    batch: int
    in_flight: int
    is_cpu: bool
    """True if the device is the CPU itself behind OpenCL: then nothing is quoted."""
    throughput: BreakEven | None
    """Break-even by wall cycles."""
    cpu_time: BreakEven | None
    """Break-even by CPU cycles."""
    points: list[Point]
    """Points by size, ascending."""

    def found(self, measure: Measure) -> BreakEven:
        """Returns the result by this cost, of a device that is not the CPU itself."""
        result = self.throughput if measure == "throughput" else self.cpu_time
        assert result is not None
        return result

    def gain(self, measure: Measure) -> float:
        """Cycles of the largest packet that are fewer with the device; none where not known."""
        last = self.points[-1]
        gain = last.gained_wall_cycles if measure == "throughput" else last.freed_cycles
        return 0.0 if gain is None else gain.value


def break_even(rows: Iterable[PacketRow]) -> list[Comparison]:
    """Returns one comparison for each function, device, batch and number in flight.

    Only those with a rival on the CPU.
    """
    measured = [row for row in rows if _can_be_compared(row)]
    alone = [row for row in measured if row.offload == "none"]
    rivals = together(alone, lambda row: key_of(row, LOAD))
    devices = together(
        (row for row in measured if row.offload != "none"),
        lambda row: (key_of(row, LOAD), key_of(row, DEVICE)),
    )
    comparisons = [
        _comparison(part, rivals[load])
        for (load, _), part in devices.items()
        if _shared_sizes(part, rivals.get(load, []))
    ]
    return sorted(comparisons, key=_order)


def grouped(found: Iterable[Comparison]) -> list[list[Comparison]]:
    """Groups comparisons that differ only in the batch and the number in flight."""
    facts = ("algorithm", "operation", "offload", "provider", "backend", "device")
    alike = together(found, lambda it: key_of(it, (*facts, "cpus", "offload_cpus")))
    return list(alike.values())


def best(group: Iterable[Comparison], measure: Measure) -> Comparison:
    """Returns the comparison in which a device is the cheaper one first.

    Of those alike the one with the largest advantage left at the largest size.
    """

    def merit(it: Comparison) -> tuple[float, ...]:
        result = it.found(measure)
        where = result.message_bytes or 0.0
        sooner = -where if result.outcome == "up-to" else where
        return (GOOD_FIRST.index(result.outcome), sooner, -it.gain(measure))

    return min(group, key=merit)


def _can_be_compared(row: PacketRow) -> bool:
    """Returns whether a row has figures and its packets were not offered at a rate.

    A rate would set the length of the pass.
    """
    return row.is_measured and bool(row.message_bytes) and row.offered_per_s is None


def _shared_sizes(device: Sequence[PacketRow], rivals: Sequence[PacketRow]) -> list[int]:
    """Returns the sizes that both sides have, ascending."""
    both = {row.message_bytes for row in device} & {row.message_bytes for row in rivals}
    return sorted(size for size in both if size is not None)


def _order(it: Comparison) -> tuple[Any, ...]:
    """Comparisons of a function and of a device stand together."""
    place = (it.algorithm, it.operation, it.offload, it.provider, it.backend)
    return (*place, len(it.cpus), it.batch, it.in_flight)


def _comparison(device: Sequence[PacketRow], rivals: Sequence[PacketRow]) -> Comparison:
    first = device[0]
    points = [
        _point(
            size,
            [row for row in device if row.message_bytes == size],
            [row for row in rivals if row.message_bytes == size],
        )
        for size in _shared_sizes(device, rivals)
    ]
    refused = is_cpu(first)
    facts = ("algorithm", "operation", "offload", "provider", "backend", "device")
    place = ("offload_cpus", "cpus", "batch", "in_flight")
    return Comparison(
        **{field: getattr(first, field) for field in (*facts, *place)},
        is_cpu=refused,
        throughput=None if refused else _break_even(points, _wall_costs),
        cpu_time=None if refused else _break_even(points, _cpu_costs),
        points=points,
    )


def _point(size: int, device: Sequence[PacketRow], rivals: Sequence[PacketRow]) -> Point:
    """Returns the point at one size. Of repeated rows the best counts on either side."""
    on_cpu, on_device = cheapest(rivals, wall_cycles), cheapest(device, wall_cycles)
    assert on_cpu is not None and on_device is not None
    (rival, of_rival), (own, of_own) = on_cpu, on_device
    cpu, rest = cheapest(rivals, cpu_cycles), cheapest(device, cpu_cycles)
    freed = None if cpu is None or rest is None else cpu[1].minus(rest[1])
    return Point(
        message_bytes=size,
        rival=_implementation(rival),
        cpu_wall_cycles=of_rival,
        device_wall_cycles=of_own,
        gained_wall_cycles=of_rival.minus(of_own),
        cpu_cycles=cpu and cpu[1],
        device_cpu_cycles=rest and rest[1],
        freed_cycles=freed,
        freed_cycles_per_byte=None if freed is None else freed.value / size,
        cases=(rival.case, own.case),
    )


def _implementation(row: PacketRow) -> str:
    lanes = "" if row.lanes == 1 else f" · {row.lanes} lanes"
    return implementation(row) + lanes


def _break_even(
    points: Sequence[Point], costs: Callable[[Point], tuple[Estimate | None, Estimate | None]]
) -> BreakEven:
    """Returns the break-even by the costs of both sides, where both are known."""
    known = [
        (point.message_bytes, on_cpu, on_device)
        for point, (on_cpu, on_device) in zip(points, map(costs, points), strict=True)
        if on_cpu is not None and on_device is not None
    ]
    if not known:
        return BreakEven(outcome="no-figure")
    sizes, cpu, device = zip(*known, strict=True)
    gains = [a.minus(b) for a, b in zip(cpu, device, strict=True)]
    doubtful = [size for size, gain in zip(sizes, gains, strict=True) if is_doubtful(gain)]
    if len(doubtful) == len(sizes):
        return BreakEven(outcome="even", doubtful=doubtful)
    cross = _crossing(sizes, gains)
    if cross.reach == "nowhere":
        outcome, where = _beyond(sizes, cpu, device)
        return BreakEven(outcome=outcome, message_bytes=where, doubtful=doubtful)
    return BreakEven(
        outcome="always" if cross.reach == "everywhere" else cross.reach,
        message_bytes=cross.message_bytes,
        low=cross.low,
        high=cross.high,
        has_interval=cross.has_interval,
        doubtful=doubtful,
    )


def _wall_costs(point: Point) -> tuple[Estimate, Estimate]:
    return point.cpu_wall_cycles, point.device_wall_cycles


def _cpu_costs(point: Point) -> tuple[Estimate | None, Estimate | None]:
    return point.cpu_cycles, point.device_cpu_cycles


def _crossing(sizes: Sequence[int], gains: Sequence[Estimate]) -> Crossing:
    """Returns the crossing by all sizes; if it is ambiguous, by the certain ones.

    Near a crossing noise alone makes costs cross again.
    """
    first = crossing(sizes, gains)
    if first.reach != "several":
        return first
    certain = [(size, it) for size, it in zip(sizes, gains, strict=True) if not is_doubtful(it)]
    return crossing([size for size, _ in certain], [gain for _, gain in certain])


def _beyond(
    sizes: Sequence[int], cpu: Sequence[Estimate], device: Sequence[Estimate]
) -> tuple[Outcome, float | None]:
    """Returns the fitted outcome for larger packets, and where the lines meet.

    The device is dearer at all measured sizes.
    """
    if len(sizes) < 2:
        return "beyond", None
    of_cpu, of_device = _line(sizes, cpu), _line(sizes, device)
    saved = of_cpu.b - of_device.b
    if saved <= 0:
        return "never", None
    meets = (of_device.a - of_cpu.a) / saved
    if meets > LARGEST_PACKET:
        return "never", None
    # Costs that are not straight may have lines that meet among the sizes where they do not.
    return "beyond", meets if meets > sizes[-1] else None


def _line(sizes: Sequence[int], costs: Sequence[Estimate]) -> Line:
    """Returns a + b·n by relative errors, as the cost card fits it."""
    values = np.array([cost.value for cost in costs])
    return fitted(np.array(sizes, dtype=float), values, units=values, errors=np.zeros(len(values)))
