"""Tables 15 to 17, and packets of 64 bytes (figures 25 to 28): by number of cores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ciphermark.show import figures
from ciphermark.show.findings import Cell, Column, Table
from ciphermark.statistics.scaling_law import Undetermined
from ciphermark.studies.kasumi import printed
from ciphermark.studies.kasumi.evidence import ACCELERATOR, FAST, SOFTWARE, Evidence, Load
from ciphermark.studies.kasumi.extrapolated import beyond, law
from ciphermark.studies.kasumi.paper import BLOCKS_OF, BOTH, CAPACITY, CORES, FEW_BYTES, MANY_BYTES
from ciphermark.studies.kasumi.words import rate

NUMBERS = {
    (BLOCKS_OF[0], MANY_BYTES): "Table 15",
    (BLOCKS_OF[1], MANY_BYTES): "Table 16",
    (BLOCKS_OF[2], MANY_BYTES): "Table 17",
    (BLOCKS_OF[0], FEW_BYTES): "Figures 25 to 28",
}
ROLES = (ACCELERATOR, SOFTWARE, FAST)


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
                "cycles: core clock times the time from the first submission to the last delivery",
                *_notes(here, load),
            ],
        )


def few_cores(here: Evidence) -> Table:
    """The fewest cores for the rates of the thesis (conclusion 7)."""
    columns = [
        *((printed.evidence(), role, "the thesis") for role in (ACCELERATOR, SOFTWARE)),
        *((here, role, "here") for role in ROLES if role in here.names),
    ]
    return Table(
        title=f"Fewest cores for the rates of the thesis, {BOTH} of packets of {MANY_BYTES} bytes",
        columns=[
            Column(heading="rate"),
            Column(heading="of"),
            *(Column(heading=it.names[role], group=where) for it, role, where in columns),
        ],
        rows=[
            [rate(wanted), source, *(_fewest(it, role, wanted) for it, role, _ in columns)]
            for wanted, source in _rates(printed.evidence())
        ],
        notes=["of all numbers of packets; no figure: not with as many cores as were measured"],
    )


def _blocks(here: Evidence, load: Load) -> Iterator[Block]:
    for role in ROLES:
        found = printed.evidence().cores.get(load._replace(role=role))
        if found:
            yield _timed(f"the thesis, {role}", found)
    for ours, found in _ours(here, load):
        group = f"here, {here.names[ours.role]}"
        if ours.operation != BOTH:
            group += f", {ours.operation}"
        yield _timed(group, found)
        yield _extrapolated(group, load, found)


def _ours(here: Evidence, load: Load) -> Iterator[tuple[Load, dict[int, float]]]:
    """What was measured here; an accelerator may do one operation of a packet at a time."""
    for role in ROLES:
        ours = here.on_cores(role, load.packets, load.packet_bytes)
        if ours is not None:
            yield ours, here.cores[ours]


def _timed(group: str, by_number: dict[int, float]) -> Block:
    """Cycles, and what more cores bring against the fewest."""
    fewest = min(by_number)
    cells: dict[int, list[Cell]] = {}
    for cores, cycles in by_number.items():
        gain = by_number[fewest] / cycles
        cells[cores] = [cycles, gain, 100 * gain * fewest / cores]
    headings = (("cycles", 0), ("speed-up", 2), ("efficiency, %", 1))
    columns = [Column(heading=it, group=group, decimals=decimals) for it, decimals in headings]
    return Block(columns, cells)


def _extrapolated(group: str, load: Load, by_number: dict[int, float]) -> Block:
    """Cycles by Amdahl's law on as many cores as the thesis had, where they were not measured."""
    column = Column(heading="cycles, extrapolated", group=group)
    cells = {cores: [cycles] for cores, cycles in beyond(load, by_number).items()}
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
            yield f"{shown} through two numbers, which do not tell how sure it is"
        else:
            yield f"{shown} ({sigma.low:.4f} to {sigma.high:.4f})"


def _rates(published: Evidence) -> Iterator[tuple[float, str]]:
    """Bits per second with where they are from."""
    for role, packets in ((SOFTWARE, BLOCKS_OF[0]), *((ACCELERATOR, it) for it in BLOCKS_OF)):
        found = published.rate(Load(role, BOTH, packets, MANY_BYTES), CORES)
        number = NUMBERS[packets, MANY_BYTES]
        yield found, f"{number}, {role} on {CORES} cores at {published.hertz / 1e6:.0f} MHz"
    yield CAPACITY, "6.1.2.2, in words"


def _fewest(evidence: Evidence, role: str, wanted: float) -> int | None:
    """The smallest number of cores that reaches a rate with any number of packets."""
    enough = [
        cores
        for load, by_number in evidence.cores.items()
        if (load.role, load.packet_bytes) == (role, MANY_BYTES)
        for cores in by_number
        if (evidence.rate(load, cores) or 0) >= wanted
    ]
    return min(enough, default=None)
