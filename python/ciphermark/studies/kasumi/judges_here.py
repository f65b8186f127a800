"""Statements about memory, keys and the queue, of which the thesis prints no figures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ciphermark.studies.evidence import (
    field,
    is_above,
    is_below,
    of_row,
    percent,
    quotient,
    shown,
)
from ciphermark.studies.kasumi.evidence import Evidence, Measured, cycles_of, name, printed
from ciphermark.studies.kasumi.judges import APART
from ciphermark.studies.kasumi.paper import (
    ACCELERATOR,
    BLOCKS_OF,
    BOTH,
    ENCRYPT,
    FAST,
    MANY_BYTES,
    SIZES,
    SOFTWARE,
    TYPICAL,
    UEA1,
)
from ciphermark.view import figures
from ciphermark.view.findings import NotTestable, Verdict
from ciphermark.workloads.flows import latency

if TYPE_CHECKING:
    from ciphermark.studies.evidence import Figure
    from ciphermark.workloads.packets import row as packets
    from ciphermark.workloads.packets.row import PacketRow

MOST_KEY_COST = 0.1
HALF = 2.0
MORE_MEMORY = 2.0
OF_ANOTHER_GROUP = 0.001
"""Share of all packets: flows have them in turn, so that one may have one more than another."""
BUFFER_BYTES = 2048
"""That it says more than 24,000 packets need."""


def memory_printed(evidence: Evidence) -> Verdict:
    """Only what its 2 KB can mean is to be told."""
    packets = max(load.packets for load in evidence.cores)
    payload, buffers = packets * MANY_BYTES, packets * BUFFER_BYTES
    raise NotTestable(
        f"no memory is printed: {figures.grouped(packets)} packets of {MANY_BYTES} bytes are "
        f"{payload / 1e6:.1f} MB, so 2 KB can only be the buffer of one packet, and all take "
        f"{buffers / 1e6:.0f} MB"
    )


def memory(measured: Measured) -> Verdict:
    """By what was allocated before the clock started."""
    fewest, most = (_buffers(measured, packets) for packets in (BLOCKS_OF[0], BLOCKS_OF[-1]))
    shown = "; ".join(
        f"{figures.grouped(packets)} packets of {MANY_BYTES} bytes: {allocated / 1e6:.1f} MB, "
        f"{figures.grouped(allocated / packets)} bytes each"
        for packets, allocated in ((BLOCKS_OF[0], fewest), (BLOCKS_OF[-1], most))
    )
    return most >= MORE_MEMORY * fewest, shown


def key_setup(measured: Measured) -> Verdict:
    """By actual cycles with a key schedule for each packet over those with one that is kept."""
    once, each = (
        _needed(measured, SOFTWARE, key_setup=it, operation=ENCRYPT, packet_bytes=SIZES[0])
        for it in ("cached", "per-packet")
    )
    found = _ratio(each, once, "actual")
    return is_below(found, 1 + MOST_KEY_COST), (
        f"{_each(once)} cycles a packet with kept schedules, {_each(each)} with one made for each: "
        f"{percent(found.value - 1)}"
    )


def optimisable(measured: Measured) -> Verdict:
    """By actual cycles of both kernels."""
    table, fast = (
        _needed(measured, role, operation=ENCRYPT, packet_bytes=SIZES[-1])
        for role in (SOFTWARE, FAST)
    )
    found = _ratio(table, fast, "actual")
    return is_above(found, HALF), (
        f"{name(table)} {_shown(table, 'cycles_per_bit')} cycles/bit, {name(fast)} "
        f"{_shown(fast, 'cycles_per_bit')}: {figures.times(found.value)}"
    )


def polling(measured: Measured) -> Verdict:
    """By the cycles of sleeping cores over those of polling ones."""
    return _compared(measured, {"waiting": "poll"}, {"waiting": "block"}, packet_bytes=SIZES[0])


def free_pipeline(measured: Measured) -> Verdict:
    """By the cycles of both pipelines on the same CPUs."""
    return _compared(
        measured,
        {"architecture": "free-pipeline"},
        {"architecture": "pinned-pipeline"},
        operation=BOTH,
    )


def ordered(measured: Measured) -> Verdict:
    """By the cycles of one flow on all CPUs."""
    return _compared(measured, {"delivery": "ordered"}, {"delivery": "per-flow"}, keys=1)


def groups(measured: Measured) -> Verdict:
    """By the share of all packets that the cores of each group had, where flows belong to groups in
    turn: as many of them as the group has flows, and not one more."""
    rows = [row for row in measured.with_figures if row.groups and row.shares]
    if not rows:
        raise NotTestable(
            "no packets passed in groups in this run: the groups are halves of all CPUs, which "
            "takes two CPUs"
        )
    row = rows[0]
    told, holds = [], []
    for place, group in enumerate(row.groups):
        flows = len(range(place, row.keys, len(row.groups)))
        had = sum(it.packets for it in row.shares if it.cpu in group)
        wanted = row.packets * flows / row.keys
        holds.append(abs(had - wanted) <= OF_ANOTHER_GROUP * row.packets)
        cpus = ", ".join(map(str, group))
        told.append(
            f"CPU {cpus}: {figures.grouped(had)} of {figures.grouped(row.packets)} packets, with "
            f"{flows} of {row.keys} flows"
        )
    return all(holds), "; ".join(told)


def priorities(measured: Measured) -> Verdict:
    """By the latencies of the least urgent packets over those of the most urgent ones, in the same
    passes."""
    rows = [row for row in measured.with_figures if row.latency_by_priority_ns]
    if not rows:
        raise NotTestable(
            "no packets passed with priorities in this run, or by an engine that did not tell "
            "their latencies apart"
        )
    row = rows[0]
    waits = ", ".join(latency(of_priority.p50) for of_priority in row.latency_by_priority_ns)
    told = (
        f"{name(row)}, {figures.counted(row.cores, 'CPU')}: median latency by priority, the most "
        f"urgent first: {waits}"
    )
    if row.urgency_estimate is None:
        raise NotTestable(f"{told}, of too few passes to decide")
    urgency = of_row(row.urgency_estimate, row)
    return is_above(urgency, 1.0), f"{told}; the least urgent wait {shown(urgency)} times as long"


def _ratio(over: PacketRow, under: PacketRow, which: packets.Figure) -> Figure:
    """Returns the quotient of cycles of two rows that have them."""
    both = [found for row in (over, under) if (found := cycles_of(row, which))]
    if len(both) < 2:
        raise NotTestable(f"{name(over)} or {name(under)} has no {which} cycles")
    return quotient(*both)


def _buffers(measured: Measured, packets: int) -> int:
    """Bytes, a count; else NotTestable."""
    allocated = [
        row.buffer_bytes
        for row in measured.with_figures
        if (row.packets, row.packet_bytes) == (packets, MANY_BYTES) and row.buffer_bytes
    ]
    if not allocated:
        raise NotTestable(
            f"{figures.grouped(packets)} packets of {MANY_BYTES} bytes have no figure in this run"
        )
    return max(allocated)


_KINDS = {FAST: "the fastest kernel"}
"""Roles as sentences name them."""


def _needed(measured: Measured, role: str, **fields: Any) -> PacketRow:
    usual = {"algorithm": UEA1, "packets": TYPICAL, "cores": 1}
    row = measured.one(role, **usual | fields)
    if row is None:
        what = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in fields.items())
        raise NotTestable(f"this run has no figure of {_KINDS.get(role, role)} with {what}")
    return row


def _each(row: PacketRow) -> str:
    """Actual cycles of a packet."""
    cycles = field(row, "actual_cycles_per_packet")
    return "–" if cycles is None else figures.grouped(cycles)


def _shown(row: PacketRow, name: str) -> str:
    number = field(row, name)
    return "–" if number is None else figures.significant(number)


def _compared(
    measured: Measured, better: dict[str, Any], worse: dict[str, Any], **fields: Any
) -> Verdict:
    """By the cycles of the worse over those of the better, of the most CPUs that have both."""
    pairs = [*_pairs(measured, better, worse, fields)]
    if not pairs:
        shown = " and ".join(str(value) for it in (better, worse) for value in it.values())
        raise NotTestable(f"{shown} are not both in this run")
    one, other = max(pairs, key=lambda pair: pair[0].cores)
    found = _ratio(other, one, "processing")
    shown = "; ".join(
        f"{value} {_shown(row, 'processing_cycles_per_packet')} cycles a packet"
        for row, fields_ in ((one, better), (other, worse))
        for value in fields_.values()
    )
    what = f"{name(one)}, {figures.counted(one.cores, 'CPU')}"
    return is_above(found, 1 + APART), f"{what}: {shown}: {percent(found.value - 1)}"


def _pairs(
    measured: Measured, better: dict[str, Any], worse: dict[str, Any], fields: dict[str, Any]
) -> Iterator[tuple[PacketRow, PacketRow]]:
    """Rows that differ in nothing but what is compared."""
    same = ("algorithm", "operation", "packets", "packet_bytes", "cores", "keys", "batch")
    for role in (FAST, SOFTWARE, ACCELERATOR):
        for row in measured.of_role(role, **better, **fields):
            alike = {it: getattr(row, it) for it in same}
            other = measured.one(role, **worse, **alike)
            if other is not None:
                yield row, other


def software_cycles() -> str:
    """Cycles per byte of the thesis's software, by size."""
    thesis = printed()
    shown = [
        f"{figures.significant(8 * cost.value)} at {load.packet_bytes} bytes"
        for load in thesis.loads(SOFTWARE, ENCRYPT, packets=TYPICAL)
        if (cost := thesis.per_bit(load))
    ]
    return "cycles/byte of encryption: " + ", ".join(shown)
