"""Which lines can be filled in both directions at once, and what of the CPU is left then."""

from __future__ import annotations

from typing import NamedTuple

from ciphermark.show import figures
from ciphermark.show.findings import Cell, Column, NotTestable, Table, Verdict
from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.ratio import is_above
from ciphermark.studies.gateway.measured import Measured
from ciphermark.studies.gateway.paper import HASHES, POST
from ciphermark.studies.gateway.tunnels import (
    PROTECTIONS,
    Protection,
    both_ways,
    is_settled,
    is_valid,
    scaling,
    speed,
)

BITS_PER_BYTE = 8

RATES = {"100M": 1e8, "1G": 1e9, "10G": 1e10}
"""Bits per second in each direction."""

LINK_BITS_PER_SECOND = 2 * RATES["100M"]
"""A symmetric link of 100 Mbit/s in both directions at once."""


class Carried(NamedTuple):
    """What of a function or a protection passes in each direction, both at once."""

    name: str
    one_core: Estimate
    """Bits per second."""
    every: float | None
    """Bits per second on all CPUs, many tunnels at once."""
    valid: bool
    settled: bool
    whole: bool


def carried(measured: Measured) -> list[Carried]:
    """Functions of the post, then what protects packets; without those that have no figures."""
    functions = [Protection(it) for it in (*POST, *_macs(measured)) if it not in _GCMS]
    found = []
    for it in (*functions, *PROTECTIONS):
        try:
            both = both_ways(measured, it)
        except NotTestable:
            continue
        one = both.mbytes_per_second.times(1e6 * BITS_PER_BYTE)
        grown = scaling(measured, it)
        valid = grown is None or is_valid(measured, it)
        every, settled = grown and grown * one.value, is_settled(measured, it)
        found.append(Carried(it.name, one, every, valid, settled, both.whole))
    return found


_GCMS = tuple(it.cipher for it in PROTECTIONS if it.mac is None)


def lines(measured: Measured) -> Table:
    """Mbit/s in each direction, and the share of the CPU that is left at each rate."""
    every = f"all {figures.counted(measured.cpus, 'CPU')}"
    groups = ["one core"] + [every] * (measured.cpus > 1)
    table = Table(
        title="Filling a line both ways at once: Mbit/s each way, and CPU left at 100M, 1G, 10G",
        columns=[
            Column(heading="function or protection"),
            *(
                Column(heading=heading, group=group, detail=group == every and heading == "100M")
                for group in groups
                for heading in ("Mbit/s", *RATES)
            ),
        ],
        notes=[
            "each way: messages of 1024 bytes sent and as many received, 8 bits a byte; no headers",
            "a share: of the CPU left over; ×2.1: it would take 2.1 times the CPU",
            f"{every}: many tunnels; one tunnel's packets need them in order, and CBC cannot split "
            "a message it encrypts",
        ],
    )
    for it in carried(measured):
        if not it.valid and measured.cpus > 1:
            table.doubtful.append((len(table.rows), 1 + len(RATES) + 1))
        if not it.settled:
            table.unsettled.append(len(table.rows))
        cells = _left(it.one_core.value)
        if measured.cpus > 1:
            cells += _left(it.every) if it.every else [None] * (1 + len(RATES))
        table.rows.append([it.name, *cells])
    if table.doubtful:
        table.notes.append("? others used the CPUs meanwhile")
    return table


def link_is_saturated(measured: Measured) -> Verdict:
    """By what AES-128-GCM seals: one core decides where it suffices, or where as many as there are
    would not do if each did as much; in between it takes figures of all."""
    gcm = Protection("aes-128-gcm")
    one = speed(measured, gcm).mbytes_per_second.times(1e6 * BITS_PER_BYTE)
    needed = f"{LINK_BITS_PER_SECOND / 1e6:.0f} Mbit/s needed"
    told = f"1 core: {_arithmetic(one)}, {needed}"
    if is_above(one, LINK_BITS_PER_SECOND):
        return True, f"{told}: {_left_over(one.value)} of one core is left"
    grown = scaling(measured, gcm)
    if grown is not None and is_valid(measured, gcm):
        every = one.times(grown)
        told += f"; {measured.cpus} CPUs: {_arithmetic(every)}"
        if every.value > LINK_BITS_PER_SECOND:
            told += f": {_left_over(every.value)} of them is left"
        return is_above(every, LINK_BITS_PER_SECOND), told
    if max(2, measured.cpus) * one.high < LINK_BITS_PER_SECOND:
        return False, f"{told}; {max(2, measured.cpus)} cores would not do either"
    raise NotTestable(f"{told}; all cores may do, and have no valid figure")


def _arithmetic(bits_per_second: Estimate) -> str:
    """`19.5 MB/s × 8 bit = 156 Mbit/s`."""
    mbits = bits_per_second.value / 1e6
    mbytes = figures.significant(mbits / BITS_PER_BYTE, 4)
    return f"{mbytes} MB/s × 8 bit = {figures.significant(mbits, 4)} Mbit/s"


def _left_over(bits_per_second: float) -> str:
    return figures.percent(1 - LINK_BITS_PER_SECOND / bits_per_second, 3)


def _left(bits_per_second: float) -> list[Cell]:
    """Mbit/s, and what is left of the CPU at each rate."""
    return [bits_per_second / 1e6, *(_share(rate / bits_per_second) for rate in RATES.values())]


def _share(busy: float) -> str:
    """`98 %`, or how many times the CPU it would take."""
    return figures.times(busy) if busy > 1 else f"{100 * (1 - busy):.0f} %"


def _macs(measured: Measured) -> list[str]:
    """MACs of tunnels that were measured."""
    names = dict.fromkeys(it.mac for it in PROTECTIONS if it.mac)
    return [it for it in names if measured.row(it) and it not in HASHES]
