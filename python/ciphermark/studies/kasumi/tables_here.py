"""Tables of what the thesis has not: keys, successors, accelerators, overheads and ways."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ciphermark.studies.evidence import field, implementation, over
from ciphermark.studies.kasumi.evidence import PLAIN, Evidence, Measured, is_of_cpu, name, printed
from ciphermark.studies.kasumi.judges import parted
from ciphermark.studies.kasumi.packet_terms import PacketTerms, Term, packet_terms
from ciphermark.studies.kasumi.paper import (
    BLOCKS,
    BLOCKS_OF,
    ENCRYPT,
    MAC,
    ROLES,
    SIZES,
    SUCCESSORS,
    TYPICAL,
    UEA1,
    UIA1,
    VERIFY,
)
from ciphermark.view import figures
from ciphermark.view.findings import Cell, Column, Table, columns

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.packets.row import PacketRow


SETUPS = ("cached", "per-batch", "per-packet")
"""When a key schedule is made."""

FUNCTIONS = ((UEA1, ENCRYPT), (UIA1, MAC))
MODES = ((BLOCKS, ENCRYPT), *FUNCTIONS)
BLOCK_BYTES = 8


def key_generation(measured: Measured) -> Table:
    """What a schedule costs that is not kept."""
    table = Table(
        title=f"Key generation (an empty row of Table 3), {TYPICAL} packets on one core",
        columns=[
            *columns("function", "implementation", "bytes"),
            *columns(*SETUPS, group="actual cycles a packet", digits=4),
            Column(heading="per-packet/cached"),
        ],
        notes=["cached: made once for each flow before the clock starts"],
    )
    for algorithm, operation in FUNCTIONS:
        for role in ROLES:
            for size in SIZES:
                found = [
                    _row(measured, role, algorithm, operation, size, key_setup=it) for it in SETUPS
                ]
                costs = [field(row, "actual_cycles_per_packet") for row in found]
                if found[0] and any(costs[1:]):
                    ratio = over(costs[-1], costs[0])
                    table.rows.append([algorithm, name(found[0]), size, *costs, ratio])
    return table


def modes(measured: Measured) -> Table:
    """What f8 and f9 cost beside the blocks that they are made of."""
    table = Table(
        title=f"Cipher mode (an empty row of Table 3), {TYPICAL} packets on one core",
        columns=[
            *columns("implementation", "bytes"),
            *columns(
                "blocks alone",
                "f8 (UEA1)",
                "f9 (UIA1)",
                group="actual cycles per 8 bytes",
                digits=4,
            ),
            *columns("f8", "f9", group="against blocks alone"),
        ],
    )
    for role in ROLES:
        for size in SIZES:
            found = [_row(measured, role, *function, size) for function in MODES]
            if found[0]:
                costs = [
                    over(field(row, "actual_cycles_per_packet"), size / BLOCK_BYTES)
                    for row in found
                ]
                ratios = [over(cost, costs[0]) for cost in costs[1:]]
                table.rows.append([name(found[0]), size, *costs, *ratios])
    return table


def _row(
    measured: Measured, role: str, algorithm: str, operation: str, size: int, **fields: Any
) -> PacketRow | None:
    return measured.one(
        role,
        algorithm=algorithm,
        operation=operation,
        packets=TYPICAL,
        packet_bytes=size,
        cores=1,
        **fields,
    )


def integrity(measured: Measured) -> Table:
    """UIA1 on one core."""
    table = Table(
        title="UIA1 (f9), one core",
        columns=[
            *columns("operation", "implementation", "bytes", "packets"),
            *columns("transfer", "processing", "actual", group="cycles", decimals=0),
            Column(heading="cycles/bit"),
        ],
    )
    for operation in (MAC, VERIFY):
        for row in _by_load(measured.all(algorithm=UIA1, operation=operation, cores=1)):
            if measured.role(row):
                _mark(table, row)
                ticks = (row.transfer_cycles, row.processing_cycles, row.actual_cycles)
                names = [operation, name(row), row.packet_bytes, row.packets]
                table.rows.append([*names, *ticks, row.cycles_per_bit])
    return table


def successors(measured: Measured) -> Table:
    """KASUMI, SNOW 3G and ZUC by every library that has them."""
    table = Table(
        title=f"KASUMI and its successors SNOW 3G and ZUC, {TYPICAL} packets on one core",
        columns=[
            *columns("function", "implementation"),
            *columns(*(f"{size} bytes" for size in SIZES), group="actual cycles/bit"),
            *columns(
                "million/s",
                *(f"{it}, cycles/byte" for it in ("hot", "cold")),
                group=f"packets of {SIZES[-1]} bytes",
            ),
        ],
        notes=["hot and cold: the function alone, from the nearest cache and from memory"],
    )
    for algorithm in (UEA1, UIA1, *SUCCESSORS):
        for shown, by_size in _by_implementation(measured, algorithm).items():
            large = by_size.get(SIZES[-1])
            table.rows.append(
                [
                    algorithm,
                    shown,
                    *(by_size[it].cycles_per_bit if it in by_size else None for it in SIZES),
                    over(field(large, "packets_per_second"), 1e6),
                    field(large, "hot_cycles_per_byte"),
                    field(large, "cold_cycles_per_byte"),
                ]
            )
    return table


TRAFFIC = ("umts-nas", "umts-rrc")
"""Profiles of what the thesis is about: messages of the NAS layer, and of RRC, for which f9 is."""


PARTS = ("transfer", "processing", "actual")


def traffic(measured: Measured) -> Table:
    """The messages of the layer in its title, whose lengths it does not ask about."""
    each = "cycles a message"
    table = Table(
        title=f"NAS and RRC messages, {TYPICAL} on one core",
        columns=[
            *columns("messages", "function", "implementation"),
            Column(heading="bytes", digits=3),
            *columns("transfer", "processing", "actual", group=each, digits=4),
            *columns("actual cycles/bit", "million/s"),
        ],
        notes=[
            "lengths are assumptions (ciphermark list profiles); the thesis sends 40 to 1000 bytes",
            "transfer is what a message costs without its cryptography",
        ],
    )
    for profile in TRAFFIC:
        for algorithm, operation in FUNCTIONS:
            found = measured.all(
                algorithm=algorithm,
                operation=operation,
                packets=TYPICAL,
                cores=1,
                profile=profile,
            )
            for row in found:
                if not measured.role(row):
                    continue
                _mark(table, row)
                costs = [field(row, f"{it}_cycles_per_packet") for it in PARTS]
                mean = over(field(row, "bits"), 8 * row.packets)
                names = [profile, algorithm, name(row), mean]
                rate = over(field(row, "packets_per_second"), 1e6)
                table.rows.append([*names, *costs, row.cycles_per_bit, rate])
    return table


def _by_implementation(measured: Measured, algorithm: str) -> dict[str, dict[int, PacketRow]]:
    """Rows by name and size; the first of several is the plan's main one."""
    found: dict[str, dict[int, PacketRow]] = defaultdict(dict)
    for operation in (ENCRYPT, MAC):
        rows = measured.all(algorithm=algorithm, operation=operation, packets=TYPICAL, cores=1)
        for row in rows:
            if row.offload == "none" and row.packet_bytes is not None:
                found[name(row)].setdefault(row.packet_bytes, row)
    return found


def _by_load(rows: Iterable[PacketRow]) -> list[PacketRow]:
    return sorted(rows, key=lambda row: (name(row), row.packet_bytes, row.packets))


def _mark(table: Table, row: PacketRow) -> None:
    """Marks the row that comes next where its figures did not converge."""
    if not row.converged:
        table.unsettled.append(len(table.rows))


def accelerators(measured: Measured) -> Table:
    """All that was offloaded from one core; of several, Table 15 has some."""
    table = Table(
        title="KASUMI by each accelerator",
        columns=[
            *columns("operation", "accelerator", "bytes", "packets", "batches at once"),
            *columns(
                "transfer", "processing", "actual", "CPU", "useful", group="cycles", decimals=0
            ),
            *columns("in", "compute", "out", group="cycles of the device", decimals=0),
        ],
        notes=["useful: work that the CPU with batches at the device did meanwhile"],
    )
    rows = [row for row in measured.with_figures if row.offload != "none" and row.cores == 1]
    table.rows += [_of_offload(row) for row in rows]
    if any(is_of_cpu(row) for row in rows):
        table.notes.append(
            "OpenCL's device is the CPU itself: no gain of an accelerator is computed"
        )
    return table


def _of_offload(row: PacketRow) -> list[Cell]:
    times = row.device_times
    return [
        row.operation,
        name(row),
        row.packet_bytes,
        row.packets,
        row.in_flight,
        row.transfer_cycles,
        row.processing_cycles,
        row.actual_cycles,
        row.cpu_cycles,
        row.useful_cycles,
        *((times.in_cycles, times.compute_cycles, times.out_cycles) if times else (None,) * 3),
    ]


def overheads(here: Evidence) -> Table:
    """Transfer and the fixed part of the function against what bytes cost."""
    table = Table(
        title=f"Overheads of a packet (3.1), {ENCRYPT}, {TYPICAL} packets on one core",
        columns=[
            *columns("where", "implementation", "bytes"),
            *columns("transfer", "fixed", "for its bytes", group="cycles a packet", digits=4),
            Column(heading="overheads, %", decimals=1),
        ],
        notes=["fixed, for its bytes: a and b·n of the line through actual cycles over size"],
    )
    for where, evidence in (("the thesis", printed()), ("here", here)):
        for role in ROLES:
            for size, parts in (parted(evidence, role) or {}).items():
                cycles = [part.value for part in parts]
                share = 100 * parts.overhead.value / sum(cycles)
                table.rows.append([where, evidence.names[role], size, *cycles, share])
    return table


def memory(measured: Measured) -> Table:
    """What was allocated for the packets of Tables 15 to 17."""
    table = Table(
        title="Memory of packets, answers and queues, allocated before the clock starts",
        columns=[
            *columns("packets", "bytes"),
            *columns("of the packets", "allocated", group="MB"),
            Column(heading="bytes each", decimals=0),
        ],
        notes=["MB: 10^6 bytes"],
    )
    found = {
        (row.packets, row.packet_bytes): row.buffer_bytes
        for row in measured.with_figures
        if row.buffer_bytes and row.packet_bytes and row.packets in BLOCKS_OF
    }
    for (packets, size), allocated in sorted(found.items()):
        own = packets * size / 1e6
        table.rows.append([packets, size, own, allocated / 1e6, allocated / packets])
    return table


def terms(run: Run, measured: Measured) -> Table:
    """Each influence as a term in cycles, of the smallest and of the largest packets."""
    table = Table(
        title="Influences on the cost of a packet (3.1), one core",
        columns=[
            *columns("function", "implementation", "influence", "term"),
            *(
                Column(heading=heading, group=f"{which} packets", decimals=decimals)
                for which in ("smallest", "largest")
                for heading, decimals in (("bytes", None), ("cycles", 0), ("%", 1))
            ),
            Column(heading="says", detail=True),
        ],
        notes=["%: share of the cost of such a packet; some terms contain others"],
    )
    rows = [
        row
        for row in measured.with_figures
        if (row.algorithm, row.operation) in FUNCTIONS and row.cores == 1 and measured.role(row)
        if row.packet_bytes is not None
    ]
    clocks = run.context.engine_hello.environment.clocks
    for found in packet_terms(rows, clocks.wall_read_ns):
        table.rows += [_of_term(found, term) for term in found.terms]
        table.notes += [
            f"{found.row.algorithm}, {_implementation(found)}: {why}" for why in found.lacking
        ]
    return table


def _of_term(found: PacketTerms, term: Term) -> list[Cell]:
    shown: list[Cell] = [found.row.algorithm, _implementation(found), term.influence, term.term]
    for size in (min(found.cycles), max(found.cycles)):
        share = term.shares.get(size)
        shown += [size, term.cycles.get(size), None if share is None else 100 * share]
    return [*shown, term.note]


def _implementation(found: PacketTerms) -> str:
    where = "" if found.row.offload == "none" else f" by {found.row.offload}"
    return implementation(found.row) + where


NAMED = ("delivery", "architecture", "waiting")
"""Fields whose values are words."""


def ways(measured: Measured) -> Table:
    """Whatever passes in another way, and the same packets in the plain way."""
    each = "cycles a packet"
    table = Table(
        title="How packets pass (4.2.4)",
        columns=[
            *columns("operation", "implementation", "bytes", "CPUs", "flows", "way"),
            *columns("transfer", "processing", "CPU", group=each, digits=4),
            *columns("p50", "p99", group="latency, µs"),
            Column(heading="largest share, %", decimals=1),
        ],
        notes=["plain: unordered, run to completion, polling, one priority, no groups"],
    )
    rows = [row for row in measured.with_figures if measured.role(row)]
    loads = {_load_of(row) for row in rows if way(row)}
    for row in sorted((row for row in rows if _load_of(row) in loads), key=_load_of):
        if not row.converged:
            table.unsettled.append(len(table.rows))
        table.rows.append(_of_way(row))
    return table


def way(row: PacketRow) -> str:
    """What is not plain: `block`, `4 priorities`; empty where all is."""
    found = [getattr(row, it) for it in NAMED if getattr(row, it) != PLAIN[it]]
    if row.priorities > 1:
        found.append(f"{row.priorities} priorities")
    if row.groups:
        found.append(figures.counted(len(row.groups), "group"))
    return ", ".join(found)


def _load_of(row: PacketRow) -> tuple[str, str, str, int, int, int, int]:
    facts = (row.algorithm, row.operation, name(row))
    return (*facts, row.packet_bytes or 0, row.packets, row.cores, row.keys)


def _of_way(row: PacketRow) -> list[Cell]:
    latency = row.latency_ns
    return [
        row.operation,
        name(row),
        row.packet_bytes,
        row.cores,
        row.keys,
        way(row) or "plain",
        row.transfer_cycles_per_packet,
        row.processing_cycles_per_packet,
        row.cpu_cycles_per_packet,
        over(field(latency, "p50"), 1e3),
        over(field(latency, "p99"), 1e3),
        100 * max((it.share for it in row.shares), default=1.0),
    ]
