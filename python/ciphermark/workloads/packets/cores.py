"""The fewest cores that carry a rate of packets or hold a latency, by the CPU alone and with
devices, and what the other cores keep.

The number of cores that is asked for is one of those that process packets. The core that submits
them is the application's own and not counted; cores that are a device are, as they can do nothing
else. As in `limits`, a figure follows a power law between two numbers of cores that were measured.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from ciphermark.statistics.median import median
from ciphermark.workloads.packets.costs import DEVICE, LOAD, cpu_cycles, is_cpu, key_of
from ciphermark.workloads.sessions.limits import Figures, Reach, answer

if TYPE_CHECKING:
    from ciphermark.workloads.packets.row import PacketRow

Wanted = Literal["rate", "p99"]
"""Packets per second at least; 99 % of the latencies at most so many nanoseconds."""

PLACES = {"cpus", "submit_cpu", "offload_cpus"}
"""Where it is done: what differs with the number of cores."""

CURVE = tuple(field for field in (*LOAD, *DEVICE, "offered_per_s") if field not in PLACES)
"""What rows have in common that differ in their number of cores only, but for the size."""


class Wishes(msgspec.Struct, frozen=True, kw_only=True):
    """What is wanted of cores, where the user says."""

    rate_per_s: float | None = None
    """Packets per second."""
    p99_ns: float | None = None
    """Longest latency that 99 % of the packets may have."""


class CoresNeeded(msgspec.Struct, kw_only=True):
    """The fewest cores for one function, size and way to do the work, in its best arrangement."""

    algorithm: str
    operation: str
    size: int | str
    offload: str
    provider: str
    backend: str
    device: str | None
    is_cpu: bool
    """Whether the device is the CPU itself behind OpenCL."""
    batch: int
    in_flight: int
    offered_per_s: float | None
    """Packets offered per second; absent where the queue was kept full."""
    wanted: Wanted
    value: float
    reach: Reach
    """`within` and `all`: so many cores do it, with `all` perhaps fewer than were measured; `none`:
    no number that was measured does."""
    cores: int | None
    """That process packets; nothing with `none`."""
    device_cores: int
    """Cores that are the device."""
    best: tuple[int, float]
    """The number of cores with the best figure that was measured, and that figure."""
    if_even: int | None
    """With `none`: the cores that a rate would take if every further one added as much as those
    that were measured do on average. An extrapolation."""
    left: int | None
    """Cores of this machine that nothing of this needs."""
    machine_cores: int
    busy: float | None
    """Cores' worth of CPU time that the wanted rate burns; nothing where a latency is wanted."""


def cores_needed(
    rows: Iterable[PacketRow], wishes: Wishes, machine_cores: int
) -> list[CoresNeeded]:
    """For each function and size the CPU alone, then each device; nothing without a wish."""
    measured = [row for row in rows if row.is_measured and row.size is not None]
    found = []
    for wanted, value in (("rate", wishes.rate_per_s), ("p99", wishes.p99_ns)):
        if value is not None:
            told = _telling(measured, wanted, wishes)
            answers = [_needed(curve, wanted, value, machine_cores) for curve in _curves(told)]
            found += _best_of_each([it for it in answers if it is not None])
    return found


def _telling(rows: Sequence[PacketRow], wanted: Wanted, wishes: Wishes) -> Sequence[PacketRow]:
    """The rows that tell of a wish. What can be carried is seen where the queue is kept full; a
    latency is wanted at the wanted rate, where packets came at that."""
    if wanted == "rate":
        return [row for row in rows if row.offered_per_s is None]
    at_rate = [row for row in rows if row.offered_per_s == wishes.rate_per_s]
    return at_rate or rows


def _curves(rows: Iterable[PacketRow]) -> Iterable[Sequence[PacketRow]]:
    """Those that differ in their number of cores only."""
    alike: dict[Hashable, list[PacketRow]] = defaultdict(list)
    for row in rows:
        alike[key_of(row, CURVE), row.size].append(row)
    return alike.values()


def _needed(
    curve: Sequence[PacketRow], wanted: Wanted, value: float, machine_cores: int
) -> CoresNeeded | None:
    """Of one arrangement; None where it lacks the figure."""
    figures = _figures(curve, wanted)
    if not figures:
        return None
    sign = 1 if wanted == "rate" else -1
    found = answer(value, figures, sign)
    first = curve[0]
    cores = found["number"]
    device_cores = _device_cores(curve, cores)
    best = max(figures, key=lambda it: sign * it[1])
    facts = ("algorithm", "operation", "size", "offload", "provider", "backend", "device")
    return CoresNeeded(
        **{field: getattr(first, field) for field in (*facts, "batch", "in_flight")},
        is_cpu=is_cpu(first),
        offered_per_s=first.offered_per_s,
        wanted=wanted,
        value=value,
        reach=found["reach"],
        cores=cores,
        device_cores=device_cores,
        best=best,
        if_even=_if_even(best, value) if cores is None and wanted == "rate" else None,
        left=None if cores is None else max(0, machine_cores - cores - device_cores),
        machine_cores=machine_cores,
        busy=_busy(curve, value) if wanted == "rate" else None,
    )


def _figures(curve: Sequence[PacketRow], wanted: Wanted) -> Figures:
    """The median figure at each number of cores, from the most downwards, so that all numbers above
    the answer hold too."""
    alike: dict[int, list[float]] = defaultdict(list)
    for row in curve:
        if value := _figure(row, wanted):
            alike[row.cores].append(value)
    return [(cores, median(alike[cores])) for cores in sorted(alike, reverse=True)]


def _figure(row: PacketRow, wanted: Wanted) -> float | None:
    return row.packets_per_second if wanted == "rate" else row.latency_ns and row.latency_ns.p99


def _device_cores(curve: Sequence[PacketRow], cores: int | None) -> int:
    """Beside so many that process packets, or where no number does beside the fewest."""
    rows = [row for row in curve if cores is None or row.cores >= cores]
    nearest = min(rows, key=lambda row: row.cores)
    return len({*nearest.offload_cpus} - {*nearest.cpus})


def _if_even(best: tuple[int, float], rate: float) -> int:
    cores, carried = best
    return math.ceil(cores * rate / carried)


def _busy(curve: Sequence[PacketRow], rate: float) -> float | None:
    """By the row that burns least."""
    each = [cost.value / row.core_hz for row in curve if row.core_hz and (cost := cpu_cycles(row))]
    return rate * min(each) if each else None


def _best_of_each(found: Sequence[CoresNeeded]) -> list[CoresNeeded]:
    """Of each function, size and way the arrangement with the fewest cores; of those alike the one
    with the best figure, and the CPU alone before the devices."""
    sign = {"rate": -1, "p99": 1}
    best: dict[Hashable, CoresNeeded] = {}
    for it in sorted(found, key=lambda it: (_total(it), sign[it.wanted] * it.best[1])):
        best.setdefault((it.algorithm, it.operation, it.size, it.offload, it.device), it)
    return sorted(best.values(), key=_place)


def _place(it: CoresNeeded) -> tuple[Hashable, ...]:
    size = (isinstance(it.size, str), it.size)
    return (it.algorithm, it.operation, *size, it.offload != "none")


def _total(it: CoresNeeded) -> float:
    return math.inf if it.cores is None else it.cores + it.device_cores
