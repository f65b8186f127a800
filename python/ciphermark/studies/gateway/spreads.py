"""Ways to use a second core: one message split, one tunnel's packets in order, many tunnels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ciphermark.show import figures
from ciphermark.show.findings import Cell, Column, NotTestable, Table, Verdict
from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.ratio import is_above
from ciphermark.studies.gateway.estimates import all_of, quotient, shown
from ciphermark.studies.gateway.measured import Measured
from ciphermark.studies.gateway.paper import AES, CBC, GCM, named, operation
from ciphermark.workloads.cores.spreads import Spread, message_spreads

if TYPE_CHECKING:
    from ciphermark.workloads.packets.row import PacketRow

DOUBLED = 0.05
"""Share by which all CPUs may carry less than so many times what one does, and still double it."""

GAINED = 0.10
"""Share that a second core must add to count as used."""

ONE_TUNNEL, MANY, SPLIT = "one tunnel's packets in order", "many tunnels", "one message of"

SIZES = {1024: "1 KiB", 65536: "64 KiB"}
"""Of messages that are split: a packet, and one so long that meeting again costs little."""


class Grown(NamedTuple):
    """How many times the throughput of one CPU several have."""

    cpus: int
    ratio: Estimate
    """Of tunnels without an interval: an execution is one look."""
    why_not: str | None = None
    """Why it does not count."""


def ways(measured: Measured) -> Table:
    """AES in the two modes: what more CPUs bring in each way that was measured."""
    table = Table(
        title="Ways to use more CPUs: throughput of several / of one, packets of 1024 bytes",
        columns=[
            Column(heading="function"),
            Column(heading="CPUs"),
            Column(heading="times", group=ONE_TUNNEL),
            *(Column(heading=it, group=ONE_TUNNEL, detail=True) for it in ("low", "high")),
            Column(heading="times", group=MANY),
            *(Column(heading=it, group=SPLIT) for it in SIZES.values()),
        ],
        notes=[
            "in order: packets pass from one queue to all CPUs and leave as they came; where no "
            "CPU is left, one submits them as well",
            *_refusals(measured),
        ],
    )
    for function in AES:
        flow, many = one_tunnel(measured, function), many_tunnels(measured, function)
        messages = [one_message(measured, function, size) for size in SIZES]
        if flow is None and many is None:
            continue
        place = len(table.rows)
        table.doubtful += [
            (place, column) for it, column in ((flow, 2), (many, 5)) if it and it.why_not
        ]
        cells: list[Cell] = [function, (flow or many).cpus]
        cells += list(flow.ratio) if flow else [None] * 3
        table.rows.append(
            [*cells, many and many.ratio.value, *(it and it.speedup for it in messages)]
        )
    if table.doubtful:
        table.notes.append("? does not count, since others used the CPUs")
    return table


def gcm_doubles(measured: Measured) -> Verdict:
    """By many tunnels, and by one tunnel's packets where these were measured."""
    verdicts, told = [], []
    for way, function, it in _found(measured, GCM):
        verdicts.append(is_above(it.ratio, (1 - DOUBLED) * it.cpus))
        told.append(_told(way, function, it))
    return all_of(verdicts), "; ".join([*told, *_split(measured, GCM)])


def cbc_cannot(measured: Measured) -> Verdict:
    """By the same ways, in which a gateway has packets and no single endless message."""
    beyond, told = [], []
    for way, function, it in _found(measured, [name for name in CBC if name in AES]):
        beyond.append(is_above(it.ratio, 1 + GAINED))
        told.append(_told(way, function, it))
    cannot = all_of(None if it is None else not it for it in beyond)
    return cannot, "; ".join([*told, *_split(measured, CBC), *_refusals(measured)])


def many_tunnels(measured: Measured, function: str) -> Grown | None:
    """By a session on each CPU."""
    rows = [measured.on(cpus, function) for cpus in (1, measured.cpus)]
    if measured.cpus < 2 or None in rows:
        return None
    ratio = Estimate.exact(rows[1].mbytes_per_second / rows[0].mbytes_per_second)
    why = [
        f"{function} on {figures.counted(row.cores, 'CPU')}: no attempt at it was valid ("
        f"{'; '.join(it.message for it in row.objections)})"
        for row in rows
        if not row.valid
    ]
    return Grown(measured.cpus, ratio, next(iter(why), None))


def one_tunnel(measured: Measured, function: str) -> Grown | None:
    """By packets of one flow that leave in their order."""
    rows = {row.cores: row for row in _flows(measured, function)}
    cpus = max(rows, default=1)
    if cpus < 2 or 1 not in rows:
        return None
    one, every = rows[1], rows[cpus]
    costs = [_cycles(row) for row in (one, every)]
    if None in costs:
        ratio = one.processing_cycles / every.processing_cycles
        return Grown(cpus, Estimate(ratio), f"packets of {function} have no interval")
    why = [
        f"packets of {function} on {figures.counted(row.cores, 'CPU')} did not settle "
        f"({row.not_converged_reason})"
        for row in (one, every)
        if not row.converged
    ]
    return Grown(cpus, quotient(*costs), next(iter(why), None))


def one_message(measured: Measured, function: str, message_bytes: int) -> Spread | None:
    """A message of so many bytes, split over several cores; None where it was not measured."""
    what = (function, operation(function, "sending"), message_bytes)
    found = message_spreads(measured.split, measured.sharing)
    alike = (it for it in found if (it.algorithm, it.operation, it.message_bytes) == what)
    return next(alike, None)


def _split(measured: Measured, functions: tuple[str, ...]) -> Iterator[str]:
    """What splitting one message brought."""
    for function in functions:
        for size, name in SIZES.items():
            it = one_message(measured, function, size)
            if it is not None and it.low is not None:
                ratio = Estimate(it.speedup, it.low, it.high)
                yield f"{named(function)}, one message of {name} split: ×{shown(ratio)}"


def _refusals(measured: Measured) -> list[str]:
    """Why a message cannot be split, as the engine says it."""
    refused: dict[str, dict[str, None]] = {}
    for it in message_spreads(measured.split, measured.sharing):
        if it.cannot:
            refused.setdefault(it.why_not, {})[it.algorithm] = None
    return [
        f"one message cannot be split, {', '.join(names)}: {why}" for why, names in refused.items()
    ]


def _found(
    measured: Measured, functions: list[str] | tuple[str, ...]
) -> Iterator[tuple[str, str, Grown]]:
    """What counts, of all these functions in each way that was measured; else NotTestable."""
    ways = {
        MANY: [(it, many_tunnels(measured, it)) for it in functions],
        ONE_TUNNEL: [(it, one_tunnel(measured, it)) for it in functions],
    }
    had = {way: found for way, found in ways.items() if any(it for _, it in found)}
    if not had:
        raise NotTestable("nothing was measured on several CPUs beside one")
    for way, found in had.items():
        for function, it in found:
            if it is None:
                raise NotTestable(f"{function} has no figure on one and on several CPUs")
            if it.why_not is not None:
                raise NotTestable(it.why_not)
            yield way, function, it


def _told(way: str, function: str, it: Grown) -> str:
    return f"{named(function)}, {way}, {it.cpus} CPUs: ×{shown(it.ratio)}"


def _flows(measured: Measured, function: str) -> list[PacketRow]:
    what = (function, operation(function, "sending"), "ordered", 1)
    return [
        row
        for row in measured.packets
        if (row.algorithm, row.operation, row.delivery, row.keys) == what and row.processing_cycles
    ]


def _cycles(row: PacketRow) -> Estimate | None:
    """From the first submission to the last delivery, of as many packets on both sides; None
    without an interval."""
    cycles = row.cycles("processing")
    return cycles if cycles.has_interval and cycles.low > 0 else None
