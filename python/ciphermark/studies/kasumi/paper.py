"""The thesis's loads: which packets it sent, how many, and over how many cores."""

from __future__ import annotations

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
"""Of its packets on several cores, but for those of 64 bytes, which are drawn only."""

FEW_BYTES = 64
BLOCKS_OF = (16_000, 24_000, 64_000)
"""Packets on several cores (Tables 15 to 17)."""

CORES = 16
HERTZ = 750e6
"""Its OCTEON Plus CN58XX has “sixteen cnMIPS cores at up to 750MHz” (4.1.1.1)."""

CAPACITY = 0.9e9
"""Bits per second that it calculates from Table 16 (6.1.2.2)."""
