"""The thesis: which packets it sent, how many, over how many cores, and its tables."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from typing import NamedTuple

import msgspec

from ciphermark.files import reading

UEA1, UIA1, BLOCKS = "uea1", "uia1", "kasumi-ecb"
"""f8, f9 and the bare block cipher, as algorithms here."""

SUCCESSORS = ("uea2", "uia2", "eea3", "eia3")
"""SNOW 3G and ZUC, which followed KASUMI."""

ENCRYPT, DECRYPT, BOTH = "encrypt", "decrypt", "encrypt+decrypt"
MAC, VERIFY = "mac", "verify"

SIZES = (40, 88, 500, 1000)
"""Bytes of its packets on one core."""

SMALL = (40, 88)
"""Those that its third conclusion speaks of."""

TYPICAL = 5000
"""Packets of which it has a row for every size and operation."""

MANY_BYTES = 512
"""Of its packets on several cores, except those of 64 bytes, which are drawn only."""

FEW_BYTES = 64
BLOCKS_OF = (16_000, 24_000, 64_000)
"""Packets on several cores (Tables 15 to 17)."""

CORES = 16
HERTZ = 750e6
"""Its OCTEON Plus CN58XX has “sixteen cnMIPS cores at up to 750MHz” (4.1.1.1)."""

CAPACITY = 0.9e9
"""Bits per second that it calculates from Table 16 (6.1.2.2)."""

ACCELERATOR, SOFTWARE = "accelerator", "software"
"""The two implementations that the thesis compares. Its software is the specification's code,
optimised for the processor: here it is the kernel with tables."""

FAST, REFERENCE = "fast", "reference"
"""What it has not: the quickest kernel, which takes several packets at once, and one that follows
the specification line by line."""

ROLES = (ACCELERATOR, SOFTWARE, FAST, REFERENCE)

_ROLES = {"hw": ACCELERATOR, "sw": SOFTWARE}
_OPERATIONS = {"enc": ENCRYPT, "dec": DECRYPT, "enc+dec": BOTH}


class Load(NamedTuple):
    """Packets of one size through one implementation on one core."""

    role: str
    operation: str
    packets: int
    packet_bytes: int

    @property
    def bits(self) -> int:
        """Of all packets, counted once as the thesis does, also where each is encrypted and
        decrypted."""
        return 8 * self.packets * self.packet_bytes


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
        kind = (_ROLES[self.implementation], _OPERATIONS[self.operation])
        return Load(*kind, self.packets, self.packet_bytes)


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
        return Load(_ROLES[self.implementation], BOTH, self.packets, self.packet_bytes)


class PerBit(msgspec.Struct, frozen=True):
    """A row of Table 12."""

    packets: int
    packet_bytes: int
    hw_cycles_per_bit: float
    sw_cycles_per_bit: float


@cache
def tables() -> dict[str, list[Line]]:
    """Tables 4 to 11 and A1 to A16 by their numbers."""
    by_number: dict[str, list[Line]] = defaultdict(list)
    for line in reading.published("kasumi-2013-single-core", Line):
        by_number[line.table].append(line)
    return dict(by_number)


@cache
def per_bit() -> list[PerBit]:
    """Table 12."""
    return reading.published("kasumi-2013-cycles-per-bit", PerBit)


def by_cores() -> list[CoresLine]:
    """Tables 15 to 17."""
    return reading.published("kasumi-2013-multi-core", CoresLine)
