"""The tables of the thesis."""

from __future__ import annotations

from collections import defaultdict
from functools import cache

import msgspec

from ciphermark.files import published as publication
from ciphermark.show import figures
from ciphermark.studies.kasumi.evidence import ACCELERATOR, SOFTWARE, Evidence, Load, Ticks
from ciphermark.studies.kasumi.paper import BOTH, DECRYPT, ENCRYPT, HERTZ, TYPICAL

ROLES = {"hw": ACCELERATOR, "sw": SOFTWARE}
OPERATIONS = {"enc": ENCRYPT, "dec": DECRYPT, "enc+dec": BOTH}


class Line(msgspec.Struct, frozen=True):
    """A row of Tables 4 to 11 and A1 to A16."""

    table: str
    implementation: str
    operation: str
    packets: int
    packet_bytes: int
    printed_data_bits: int
    transfer_ticks: int
    processing_ticks: int
    actual_ticks: int
    note: str
    """How it contradicts itself; empty where it does not."""

    @property
    def load(self) -> Load:
        return Load(
            ROLES[self.implementation],
            OPERATIONS[self.operation],
            self.packets,
            self.packet_bytes,
        )


class CoresLine(msgspec.Struct, frozen=True):
    """A cell of Tables 15 to 17."""

    table: str
    implementation: str
    packets: int
    packet_bytes: int
    cores: int
    cycles: int

    @property
    def load(self) -> Load:
        return Load(ROLES[self.implementation], BOTH, self.packets, self.packet_bytes)


class PerBit(msgspec.Struct, frozen=True):
    """A row of Table 12."""

    packets: int
    packet_bytes: int
    hw_cycles_per_bit: float
    sw_cycles_per_bit: float


@cache
def tables() -> dict[str, list[Line]]:
    """Tables 4 to 11 and A1 to A16 by their numbers."""
    found: dict[str, list[Line]] = defaultdict(list)
    for line in publication.read("kasumi-2013-single-core", Line):
        found[line.table].append(line)
    return dict(found)


@cache
def per_bit() -> list[PerBit]:
    """Table 12."""
    return publication.read("kasumi-2013-cycles-per-bit", PerBit)


@cache
def evidence() -> Evidence:
    """All of it. The actual ticks are those printed: of a row that contradicts itself the other
    columns are wrong."""
    single = {
        line.load: Ticks(line.transfer_ticks, line.processing_ticks, line.actual_ticks)
        for lines in tables().values()
        for line in lines
    }
    cores: dict[Load, dict[int, float]] = defaultdict(dict)
    for line in publication.read("kasumi-2013-multi-core", CoresLine):
        cores[line.load][line.cores] = line.cycles
    return Evidence(
        single=single,
        cores=dict(cores),
        hertz=HERTZ,
        names={ACCELERATOR: "the chip's accelerator", SOFTWARE: "the chip's cores"},
    )


def software_cycles() -> str:
    """Cycles per byte of its software, by size."""
    found = evidence()
    shown = [
        f"{figures.significant(8 * found.per_bit(load))} at {load.packet_bytes} bytes"
        for load in found.loads(SOFTWARE, ENCRYPT, packets=TYPICAL)
    ]
    return "cycles/byte of encryption: " + ", ".join(shown)
