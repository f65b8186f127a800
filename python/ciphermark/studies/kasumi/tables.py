"""The tables of the thesis, and those that it has not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from ciphermark.statistics.scaling_law import Undetermined
from ciphermark.studies.evidence import field, has_settled, over, value
from ciphermark.studies.kasumi import octeon, paper
from ciphermark.studies.kasumi.evidence import (
    ByCores,
    Evidence,
    Measured,
    Ticks,
    beyond,
    law,
    printed,
)
from ciphermark.studies.kasumi.judges import rate
from ciphermark.studies.kasumi.paper import (
    ACCELERATOR,
    BLOCKS_OF,
    BOTH,
    CAPACITY,
    CORES,
    DECRYPT,
    ENCRYPT,
    FAST,
    FEW_BYTES,
    HERTZ,
    MANY_BYTES,
    REFERENCE,
    SIZES,
    SOFTWARE,
    Load,
)
from ciphermark.studies.kasumi.tables_here import (
    accelerators,
    integrity,
    key_generation,
    memory,
    modes,
    overheads,
    successors,
    terms,
    traffic,
    ways,
)
from ciphermark.view import figures
from ciphermark.view.findings import Cell, Column, Table, columns

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.packets.row import PacketRow


PRINTED = "the thesis"
BESIDE = {ACCELERATOR: (FAST,), SOFTWARE: (FAST, REFERENCE)}
"""What else of this machine stands in a table of a role, by its actual cycles alone."""

DIRECTIONS = {"13": (SOFTWARE, BOTH, ENCRYPT, DECRYPT), "14": (ACCELERATOR, BOTH, DECRYPT, ENCRYPT)}
"""Tables 13 and 14, whose columns are in different orders."""


def by_packets(here: Evidence) -> Iterator[Table]:
    """Tables 4 to 11 and A1 to A16, each with the packets that the thesis or this run has."""
    for number, lines in paper.tables().items():
        yield _table(number, lines, here)


def per_bit(here: Evidence) -> Table:
    """Table 12."""
    roles = [role for role in (ACCELERATOR, SOFTWARE, FAST, REFERENCE) if role in here.names]
    table = Table(
        title=f"Table 12. Cycles per bit, {BOTH} of packets of {SIZES[0]} bytes",
        columns=[
            Column(heading="packets"),
            *columns(ACCELERATOR, SOFTWARE, group=PRINTED, digits=4),
            *columns(*(_named(here, role, BOTH) for role in roles), group="here"),
        ],
        notes=[
            (
                "The bits of a packet count once, as in the thesis, although it is encrypted and "
                "decrypted"
            )
        ],
    )
    known = {line.packets: line for line in paper.per_bit()}
    for packets in _packets(here, BOTH, SIZES[0], known):
        line = known.get(packets)
        table.rows.append(
            [
                packets,
                field(line, "hw_cycles_per_bit"),
                field(line, "sw_cycles_per_bit"),
                *(
                    value(here.per_bit(Load(role, _done(here, role, BOTH), packets, SIZES[0])))
                    for role in roles
                ),
            ]
        )
    return table


def _done(here: Evidence, role: str, operation: str) -> str:
    """The operation that stands for this one here: a device may do one of a packet at a time, and
    then that of all its comparisons."""
    does_both = operation != BOTH or here.loads(role, BOTH)
    return operation if does_both or role != ACCELERATOR else here.operation


def _named(here: Evidence, role: str, operation: str) -> str:
    """What stands for a role; with the operation where that is another one than the table's."""
    done = _done(here, role, operation)
    return here.names[role] if done == operation else f"{here.names[role]}, {done}"


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
        had = {source: source.operations(operations) for source in sources}
        for source in sources:
            table.columns += [_whole(it, source.group) for it in had[source]]
            table.columns.append(Column(heading="decrypt/encrypt", group=source.group, digits=4))
        known = printed().loads(role, ENCRYPT, packet_bytes=SIZES[0])
        for packets in _packets(here, ENCRYPT, SIZES[0], [load.packets for load in known]):
            load = Load(role, BOTH, packets, SIZES[0])
            cells = [it for source in sources for it in source.directions(load, had[source])]
            table.rows.append([packets, *cells])
        yield table


class Source(NamedTuple):
    """Where columns of a table are from."""

    group: str
    evidence: Evidence
    role: str
    fields: tuple[str, ...]
    """Of `Ticks`."""

    def of(self, load: Load) -> Load:
        """The load that stands for it here."""
        done = _done(self.evidence, self.role, load.operation)
        return load._replace(role=self.role, operation=done)

    def cells(self, load: Load) -> list[Cell]:
        """Its figures of a load."""
        ticks = self.evidence.single.get(self.of(load))
        return [value(getattr(ticks, name)) if ticks else None for name in self.fields]

    def operations(self, wanted: list[str]) -> list[str]:
        """Those that it does, of those of a table."""
        return [it for it in wanted if _done(self.evidence, self.role, it) == it]

    def directions(self, load: Load, operations: list[str]) -> list[Cell]:
        """Actual cycles of operations, and the ratio of both directions."""
        found = {it: value(self.evidence.figure(load._replace(operation=it))) for it in operations}
        return [*found.values(), over(found[DECRYPT], found[ENCRYPT])]


def _sources(here: Evidence, role: str, *beside: str, operation: str = ENCRYPT) -> list[Source]:
    """The thesis and this machine, and of others here the actual cycles alone; in a table of the
    accelerator they are named as software."""
    found = [Source("the thesis, ticks", printed(), role, Ticks._fields)]
    if role in here.names:
        named = _named(here, role, operation)
        found.append(Source(f"here, {named}", here, role, Ticks._fields))
    kind = "software: " if role == ACCELERATOR else ""
    return found + [
        Source(f"here, {kind}{here.names[it]}", here, it, ("actual",))
        for it in beside
        if it in here.names
    ]


def _table(number: str, lines: list[paper.Line], here: Evidence) -> Table:
    role, operation, _, size = lines[0].load
    sources = _sources(here, role, *BESIDE[role], operation=operation)
    table = Table(
        title=f"Table {number}. KASUMI, {role}, {operation} of packets of {size} bytes",
        columns=[
            Column(heading="packets"),
            Column(heading="bits", detail=True),
            *(_whole(name, source.group) for source in sources for name in source.fields),
        ],
        notes=[f"{line.packets} packets: {line.note}" for line in lines if line.note],
    )
    known = {line.packets: line for line in lines}
    for packets in _packets(here, _done(here, role, operation), size, known):
        line, load = known.get(packets), Load(role, operation, packets, size)
        if line and line.note:
            table.doubtful.append((len(table.rows), 0))
        used = [here.single.get(source.of(load)) for source in sources]
        if not all(has_settled(ticks.actual) for ticks in used if ticks):
            table.unsettled.append(len(table.rows))
        bits = line.printed_data_bits if line else load.bits
        table.rows.append([packets, bits, *(it for source in sources for it in source.cells(load))])
    if role not in here.names:
        table.notes.append(f"no {role} here: {here.missing.get(role, 'it has no figures')}")
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


NUMBERS = {
    (BLOCKS_OF[0], MANY_BYTES): "Table 15",
    (BLOCKS_OF[1], MANY_BYTES): "Table 16",
    (BLOCKS_OF[2], MANY_BYTES): "Table 17",
    (BLOCKS_OF[0], FEW_BYTES): "Figures 25 to 28",
}
SHOWN_ROLES = (ACCELERATOR, SOFTWARE, FAST)


class Block(NamedTuple):
    """Columns that stand together, with their cells by the number of cores."""

    columns: list[Column]
    cells: dict[int, list[Cell]]

    def at(self, cores: int) -> list[Cell]:
        """The cells of one row."""
        return self.cells.get(cores, [None] * len(self.columns))


def by_cores(here: Evidence) -> Iterator[Table]:
    """Each load over the cores, what a law extrapolates in columns of its own."""
    for (packets, size), number in NUMBERS.items():
        load = Load(SOFTWARE, BOTH, packets, size)
        blocks = [*_blocks(here, load)]
        numbers = {cores for block in blocks for cores in block.cells}
        yield Table(
            title=f"{number}. {figures.grouped(packets)} packets of {size} bytes, {BOTH}, by cores",
            columns=[
                Column(heading="cores"),
                *(column for block in blocks for column in block.columns),
            ],
            rows=[
                [cores, *(cell for block in blocks for cell in block.at(cores))]
                for cores in sorted(numbers)
            ],
            notes=[
                "cycles: core clock × time from the first submission to the last delivery",
                *_notes(here, load),
            ],
        )


def few_cores(here: Evidence) -> Table:
    """The fewest cores for the rates of the thesis (conclusion 7)."""
    sides = [
        *((printed(), role, "the thesis") for role in (ACCELERATOR, SOFTWARE)),
        *((here, role, "here") for role in SHOWN_ROLES if role in here.names),
    ]
    return Table(
        title=f"Fewest cores for the rates of the thesis, {BOTH} of packets of {MANY_BYTES} bytes",
        columns=[
            *columns("rate", "of"),
            *(Column(heading=it.names[role], group=where) for it, role, where in sides),
        ],
        rows=[
            [rate(wanted), source, *(_fewest(it, role, wanted) for it, role, _ in sides)]
            for wanted, source in _rates(printed())
        ],
        notes=["over all numbers of packets; no figure: not with the measured numbers of cores"],
    )


def _blocks(here: Evidence, load: Load) -> Iterator[Block]:
    for role in SHOWN_ROLES:
        published = printed().cores.get(load._replace(role=role))
        if published:
            yield _timed(f"the thesis, {role}", published)
    for ours, found in _ours(here, load):
        group = f"here, {here.names[ours.role]}"
        if ours.operation != BOTH:
            group += f", {ours.operation}"
        yield _timed(group, found)
        yield _extrapolated(group, load, found)


def _ours(here: Evidence, load: Load) -> Iterator[tuple[Load, ByCores]]:
    """What was measured here; an accelerator may do one operation of a packet at a time."""
    for role in SHOWN_ROLES:
        ours = here.on_cores(role, load.packets, load.packet_bytes)
        if ours is not None:
            yield ours, here.cores[ours]


def _timed(group: str, by_number: ByCores) -> Block:
    """Cycles, and what more cores bring against the fewest."""
    fewest = min(by_number)
    cells: dict[int, list[Cell]] = {}
    for cores, cycles in by_number.items():
        gain = by_number[fewest].value / cycles.value
        cells[cores] = [cycles.value, gain, 100 * gain * fewest / cores]
    headings = (("cycles", 0), ("speed-up", 2), ("efficiency, %", 1))
    columns = [Column(heading=it, group=group, decimals=decimals) for it, decimals in headings]
    return Block(columns, cells)


def _extrapolated(group: str, load: Load, by_number: ByCores) -> Block:
    """Cycles by Amdahl's law on as many cores as the thesis had, where they were not measured."""
    column = Column(heading="cycles, extrapolated", group=group)
    cells: dict[int, list[Cell]] = {
        cores: [cycles] for cores, cycles in beyond(load, by_number).items()
    }
    return Block([column], cells)


def _notes(here: Evidence, load: Load) -> Iterator[str]:
    """How sure the law is, or why there is none."""
    for ours, found in _ours(here, load):
        name = here.names[ours.role]
        try:
            sigma = law(ours, found).sigma
        except Undetermined as reason:
            yield f"{name}: {reason}"
            continue
        shown = f"{name}, extrapolated by Amdahl's law with σ {sigma.value:.4f}"
        if sigma.low is None:
            yield f"{shown} through two numbers of cores, which give no interval"
        else:
            yield f"{shown} ({sigma.low:.4f} to {sigma.high:.4f})"


def _rates(published: Evidence) -> Iterator[tuple[float, str]]:
    """Bits per second with where they are from."""
    for role, packets in ((SOFTWARE, BLOCKS_OF[0]), *((ACCELERATOR, it) for it in BLOCKS_OF)):
        number = NUMBERS[packets, MANY_BYTES]
        if reached := published.rate(Load(role, BOTH, packets, MANY_BYTES), CORES):
            yield reached.value, f"{number}, {role} on {CORES} cores at {HERTZ / 1e6:.0f} MHz"
    yield CAPACITY, "6.1.2.2, in words"


def _fewest(evidence: Evidence, role: str, wanted: float) -> int | None:
    """The smallest number of cores that reaches a rate with any number of packets."""
    enough = [
        cores
        for load, by_number in evidence.cores.items()
        if (load.role, load.packet_bytes) == (role, MANY_BYTES)
        for cores in by_number
        if (value(evidence.rate(load, cores)) or 0) >= wanted
    ]
    return min(enough, default=None)


def tables(run: Run, rows: list[PacketRow]) -> list[Table]:
    """Those of the thesis in its order, then what it has not; without those that have no rows."""
    measured = Measured(rows, run)
    made = [
        *by_packets(measured),
        per_bit(measured),
        *directions(measured),
        *by_cores(measured),
        few_cores(measured),
        octeon.table(measured),
        key_generation(measured),
        modes(measured),
        integrity(measured),
        successors(measured),
        traffic(measured),
        accelerators(measured),
        overheads(measured),
        terms(run, measured),
        ways(measured),
        memory(measured),
    ]
    return [table for table in made if table.rows]
