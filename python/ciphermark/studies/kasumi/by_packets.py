"""Tables 4 to 14 and A1 to A16: one core, by number of packets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ciphermark.show.findings import Cell, Column, Table
from ciphermark.studies.kasumi import printed
from ciphermark.studies.kasumi.evidence import (
    ACCELERATOR,
    FAST,
    REFERENCE,
    SOFTWARE,
    Evidence,
    Load,
    Ticks,
)
from ciphermark.studies.kasumi.paper import BOTH, DECRYPT, ENCRYPT, SIZES

PRINTED = "the thesis"
BESIDE = {ACCELERATOR: (FAST,), SOFTWARE: (FAST, REFERENCE)}
"""What else of this machine stands in a table of a role, by its actual cycles alone."""

DIRECTIONS = {"13": (SOFTWARE, BOTH, ENCRYPT, DECRYPT), "14": (ACCELERATOR, BOTH, DECRYPT, ENCRYPT)}
"""Tables 13 and 14, whose columns are in different orders."""


def by_packets(here: Evidence) -> Iterator[Table]:
    """Tables 4 to 11 and A1 to A16, each with the packets that the thesis or this run has."""
    for number, lines in printed.tables().items():
        yield _table(number, lines, here)


def per_bit(here: Evidence) -> Table:
    """Table 12."""
    roles = [role for role in (ACCELERATOR, SOFTWARE, FAST, REFERENCE) if role in here.names]
    table = Table(
        title=f"Table 12. Cycles per bit, {BOTH} of packets of {SIZES[0]} bytes",
        columns=[
            Column(heading="packets"),
            Column(heading=ACCELERATOR, group=PRINTED, digits=4),
            Column(heading=SOFTWARE, group=PRINTED, digits=4),
            *(Column(heading=here.names[role], group="here") for role in roles),
        ],
        notes=["the bits of a packet are counted once, as in the thesis, though it crosses twice"],
    )
    known = {line.packets: line for line in printed.per_bit()}
    for packets in _packets(here, BOTH, SIZES[0], known):
        line = known.get(packets)
        table.rows.append(
            [
                packets,
                line and line.hw_cycles_per_bit,
                line and line.sw_cycles_per_bit,
                *(here.per_bit(Load(role, BOTH, packets, SIZES[0])) for role in roles),
            ]
        )
    return table


def directions(here: Evidence) -> Iterator[Table]:
    """Tables 13 and 14: both directions beside each of them."""
    for number, (role, *operations) in DIRECTIONS.items():
        sources = _sources(here, role)
        table = Table(
            title=(
                f"Table {number}. Actual cycles of the {role}, both directions and each, packets "
                f"of {SIZES[0]} bytes"
            ),
            columns=[Column(heading="packets")],
        )
        for source in sources:
            table.columns += [_whole(it, source.group) for it in operations]
            table.columns.append(Column(heading="decrypt/encrypt", group=source.group, digits=4))
        known = printed.evidence().loads(role, ENCRYPT, packet_bytes=SIZES[0])
        for packets in _packets(here, ENCRYPT, SIZES[0], [load.packets for load in known]):
            load = Load(role, BOTH, packets, SIZES[0])
            cells = [it for source in sources for it in source.directions(load, operations)]
            table.rows.append([packets, *cells])
        yield table


class Source(NamedTuple):
    """Where columns of a table are from."""

    group: str
    evidence: Evidence
    role: str
    fields: tuple[str, ...]
    """Of `Ticks`."""

    def cells(self, load: Load) -> list[Cell]:
        """Its figures of a load."""
        ticks = self.evidence.single.get(load._replace(role=self.role))
        return [ticks and getattr(ticks, field) for field in self.fields]

    def directions(self, load: Load, operations: list[str]) -> list[Cell]:
        """Actual cycles of operations, and the ratio of both directions."""
        found = {it: self.evidence.actual(load._replace(operation=it)) for it in operations}
        one, other = found[DECRYPT], found[ENCRYPT]
        return [*found.values(), one and other and one / other]


def _sources(here: Evidence, role: str, *beside: str) -> list[Source]:
    """The thesis and this machine, and of others here the actual cycles alone."""
    found = [Source("the thesis, ticks", printed.evidence(), role, Ticks._fields)]
    if role in here.names:
        found.append(Source(f"here, {here.names[role]}", here, role, Ticks._fields))
    return found + [
        Source(f"here, {here.names[it]}", here, it, ("actual",))
        for it in beside
        if it in here.names
    ]


def _table(number: str, lines: list[printed.Line], here: Evidence) -> Table:
    role, operation, _, size = lines[0].load
    sources = _sources(here, role, *BESIDE[role])
    table = Table(
        title=f"Table {number}. KASUMI, {role}, {operation} of packets of {size} bytes",
        columns=[
            Column(heading="packets"),
            Column(heading="bits", detail=True),
            *(_whole(field, source.group) for source in sources for field in source.fields),
        ],
        notes=[f"{line.packets} packets: {line.note}" for line in lines if line.note],
    )
    known = {line.packets: line for line in lines}
    for packets in _packets(here, operation, size, known):
        line, load = known.get(packets), Load(role, operation, packets, size)
        if line and line.note:
            table.doubtful.append((len(table.rows), 0))
        if here.unsettled & {load._replace(role=source.role) for source in sources}:
            table.unsettled.append(len(table.rows))
        bits = line.printed_data_bits if line else load.bits
        table.rows.append([packets, bits, *(it for source in sources for it in source.cells(load))])
    if table.doubtful:
        table.notes.append("? a printed row that contradicts itself")
    return table


def _packets(here: Evidence, operation: str, size: int, known: Iterable[int]) -> list[int]:
    """Those of the thesis and those of this run."""
    ours = {
        load.packets
        for load in here.single
        if (load.operation, load.packet_bytes) == (operation, size)
    }
    return sorted({*known} | ours)


def _whole(heading: str, group: str) -> Column:
    return Column(heading=heading, group=group, decimals=0)
