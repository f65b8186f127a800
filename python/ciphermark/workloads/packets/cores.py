"""The fewest cores that carry a rate of packets or hold a latency, by the CPU alone and with
devices, and what the other cores keep.

The number of cores that is asked for is one of those that process packets. The core that submits
them is the application's own and not counted; cores that are a device are, as they can do nothing
else. As in `limits`, a figure follows a power law between two numbers of cores that were measured.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ciphermark.show import figures
from ciphermark.show.problems import UNSETTLED
from ciphermark.show.tables import Column, print_groups, print_left_out
from ciphermark.workloads.flows import medians, together
from ciphermark.workloads.latency import latency
from ciphermark.workloads.packets.row import DEVICE, LOAD, cpu_cycles, is_cpu, key_of
from ciphermark.workloads.sessions.limits import Figures, Reach, answer

if TYPE_CHECKING:
    from ciphermark.workloads.packets.row import PacketRow

Wanted = Literal["rate", "p99"]
"""Packets per second at least; 99 % of the latencies at most so many nanoseconds."""

PLACES = {"cpus", "submit_cpu", "offload_cpus"}
"""Where it is done: what differs with the number of cores."""

CURVE = tuple(field for field in (*LOAD, *DEVICE, "offered_per_s") if field not in PLACES)
"""What rows have in common that differ in their number of cores only, except the size."""


NOTHING = "–"
EXPLAINED = (
    "cores: CPUs that process packets, in the best batches, without the core that submits them. "
    "busy: CPU time at that rate, in cores"
)
EXTRAPOLATED = (
    f"{UNSETTLED} no measured number of cores is enough: the number needed if each added as much, "
    "an extrapolation"
)


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
    values: dict[Wanted, float | None] = {"rate": wishes.rate_per_s, "p99": wishes.p99_ns}
    needed = []
    for wanted, value in values.items():
        if value is not None:
            curves = _curves(_telling(measured, wanted, wishes))
            answers = [_needed(curve, wanted, value, machine_cores) for curve in curves]
            needed += _best_of_each([it for it in answers if it is not None])
    return needed


def _telling(rows: Sequence[PacketRow], wanted: Wanted, wishes: Wishes) -> Sequence[PacketRow]:
    """The rows that tell of a wish. What can be carried is seen where the queue is kept full; a
    latency is wanted at the wanted rate, where packets came at that."""
    if wanted == "rate":
        return [row for row in rows if row.offered_per_s is None]
    at_rate = [row for row in rows if row.offered_per_s == wishes.rate_per_s]
    return at_rate or rows


def _curves(rows: Iterable[PacketRow]) -> Iterable[Sequence[PacketRow]]:
    """Those that differ in their number of cores only."""
    return together(rows, lambda row: (key_of(row, CURVE), row.size)).values()


def _needed(
    curve: Sequence[PacketRow], wanted: Wanted, value: float, machine_cores: int
) -> CoresNeeded | None:
    """Of one arrangement; None where it lacks the figure."""
    measured = _figures(curve, wanted)
    if not measured:
        return None
    sign = 1 if wanted == "rate" else -1
    found = answer(value, measured, sign)
    first = curve[0]
    cores = found.number
    device_cores = _device_cores(curve, cores)
    best = max(measured, key=lambda place: sign * place[1])
    facts = ("algorithm", "operation", "size", "offload", "provider", "backend", "device")
    return CoresNeeded(
        **{field: getattr(first, field) for field in (*facts, "batch", "in_flight")},
        is_cpu=is_cpu(first),
        offered_per_s=first.offered_per_s,
        wanted=wanted,
        value=value,
        reach=found.reach,
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
    told = ((row.cores, value) for row in curve if (value := _figure(row, wanted)))
    return [*medians(told).items()][::-1]


def _figure(row: PacketRow, wanted: Wanted) -> float | None:
    if wanted == "rate":
        return row.packets_per_second
    return None if row.latency_ns is None else row.latency_ns.p99


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


def _best_of_each(answers: Iterable[CoresNeeded]) -> list[CoresNeeded]:
    """Of each function, size and way the arrangement with the fewest cores; of those alike the one
    with the best figure, and the CPU alone before the devices."""
    sign = {"rate": -1, "p99": 1}
    best: dict[Hashable, CoresNeeded] = {}
    for it in sorted(answers, key=lambda it: (_total(it), sign[it.wanted] * it.best[1])):
        best.setdefault((it.algorithm, it.operation, it.size, it.offload, it.device), it)
    return sorted(best.values(), key=_place)


def _place(it: CoresNeeded) -> tuple[Hashable, ...]:
    size = (isinstance(it.size, str), it.size)
    return (it.algorithm, it.operation, *size, it.offload != "none")


def _total(it: CoresNeeded) -> float:
    return math.inf if it.cores is None else it.cores + it.device_cores


def print_cores_needed(console: Console, needed: Sequence[CoresNeeded]) -> None:
    """Prints a table for each wish, then a sentence for each function; nothing without a wish."""
    if not needed:
        return
    groups = together(needed, lambda it: f"Fewest cores for {wish(it)}")
    console.print()
    left_out = print_groups(console, list(_columns()), list(groups.items()))
    for sentence in sentences(needed):
        console.print(Text(sentence))
    about = [EXTRAPOLATED] if any(it.if_even is not None for it in needed) else []
    for sentence in [EXPLAINED, *about]:
        console.print(Padding(Text(sentence, style="dim"), (0, 0, 0, 2)))
    print_left_out(console, left_out)


def sentences(needed: Sequence[CoresNeeded]) -> Iterator[str]:
    """What the largest packets of each function take, the CPU alone first."""
    for group in together(needed, lambda it: (it.algorithm, it.operation, it.wanted)).values():
        largest = max((it.size for it in group), key=figures.size_order)
        ways = [it for it in group if it.size == largest]
        yield f"{_function(ways[0])}, {wish(ways[0])}: {'; '.join(map(_takes, ways))}."


def wish(it: CoresNeeded) -> str:
    """`1 000 000 packets/s`, `a p99 within 20.0 µs with the queue kept full`."""
    if it.wanted == "rate":
        return f"{figures.significant(it.value)} packets/s"
    load = "with the queue kept full"
    if it.offered_per_s is not None:
        load = f"at {figures.significant(it.offered_per_s)} packets/s"
    return f"a p99 within {latency(it.value)} {load}"


def _columns() -> Iterator[Column[CoresNeeded]]:
    yield Column("", lambda it: Text(_function(it)), left=True)
    yield Column("by", lambda it: Text(_way(it)), left=True)
    yield Column("batch", lambda it: Text(figures.grouped(it.batch)), 3)
    yield Column("in\nflight", lambda it: Text(figures.grouped(it.in_flight)), 3)
    yield Column("cores", _cores)
    yield Column("as the\ndevice", lambda it: Text(str(it.device_cores or "")), 1)
    yield Column("busy", _busy_cell, 2)
    yield Column("left", _left)
    yield Column("", _share, 1, "share left")


def _function(it: CoresNeeded) -> str:
    return f"{it.algorithm} {it.operation} {figures.message_size(it.size)}"


def _way(it: CoresNeeded) -> str:
    """`the CPU alone`, `other cores with openssl`, `af_alg (kernel: ctr-aes-aesni)`."""
    if it.offload == "none":
        return "the CPU alone"
    if it.offload == "cores":
        return f"other cores with {it.provider}"
    return it.offload if it.device is None else f"{it.offload} ({it.device})"


def _cores(it: CoresNeeded) -> Text:
    if it.cores is not None:
        return Text(str(it.cores))
    return Text(NOTHING if it.if_even is None else f"{UNSETTLED}{it.if_even}", style="yellow")


def _busy_cell(it: CoresNeeded) -> Text:
    return Text(NOTHING if it.busy is None else figures.significant(it.busy, 2))


def _left(it: CoresNeeded) -> Text:
    return Text(NOTHING if it.left is None else f"{it.left} of {it.machine_cores}")


def _share(it: CoresNeeded) -> Text:
    return Text("" if it.left is None else figures.percent(it.left / it.machine_cores))


def _takes(it: CoresNeeded) -> str:
    """`opencl (…) needs 1 core and leaves 15 of 16 to others`."""
    if it.cores is None:
        number, figure = it.best
        reached = f"{figures.significant(figure)} packets/s"
        if it.wanted == "p99":
            reached = latency(figure)
        return f"{_way(it)} is not enough, {figures.counted(number, 'core')} reached {reached}"
    beside = f" and {it.device_cores} more as the device" if it.device_cores else ""
    return (
        f"{_way(it)} needs {figures.counted(it.cores, 'core')}{beside} and leaves {it.left} of "
        f"{it.machine_cores} to others"
    )
