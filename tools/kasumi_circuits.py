"""Finds circuits for the S-boxes of KASUMI, and writes kernels/lanes/kasumi_circuits.h.

A circuit is a list of gates of two inputs. Complements cost nothing (see kasumi_planes.h), so what
a gate computes counts only up to a constant: such a function is a number whose bit x is its value
at x, with the value at 0 added everywhere. Of two functions a and b there are then five gates:
their sum, and the product of each or its complement with the other or its complement.

The search walks at random from the circuits that the header has, or from the polynomials of the
S-boxes: it adds a gate of any two signals, and drops all that can then be had without. Steps that
leave the number of gates as it was are taken too. In the end gates are put in an order in which few
values are needed again after they had to leave the registers.

    python tools/kasumi_circuits.py                 checks the header, and writes it anew
    python tools/kasumi_circuits.py --steps 10000 --seed 1
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
HEADER = ROOT / "kernels" / "lanes" / "kasumi_circuits.h"
TABLES = ROOT / "kernels" / "reference" / "kasumi.h"

REGISTERS = 15
"""That a circuit may fill: of AVX2's sixteen one is left to what comes before and after."""


class Gate(NamedTuple):
    """`to` = a ^ b, a & b, ~a & b or a | b of signals: x[i] enter, y[i] leave."""

    to: str
    does: str
    a: str
    b: str


Circuit = list[Gate]

GATES = {
    "xor2": lambda a, b: a ^ b,
    "and2": lambda a, b: a & b,
    "not_and2": lambda a, b: ~a & b,
    "or2": lambda a, b: a | b,
}


class Sbox:
    """S(x ^ constant) ^ S(constant), as the functions of its bits."""

    def __init__(self, name: str, table: Sequence[int], constant: int) -> None:
        self.name, self.constant = name, constant
        self.bits = (len(table) - 1).bit_length()
        self.ones = (1 << len(table)) - 1
        self.inputs = [self._function(range(len(table)), bit) for bit in range(self.bits)]
        changed = [table[x ^ constant] ^ table[constant] for x in range(len(table))]
        self.outputs = [self._function(changed, bit) for bit in range(self.bits)]

    @staticmethod
    def _function(values: Iterable[int], bit: int) -> int:
        return sum((value >> bit & 1) << x for x, value in enumerate(values))

    def signals(self, circuit: Circuit) -> dict[str, int]:
        """What each signal computes."""
        found = {f"x[{i}]": function for i, function in enumerate(self.inputs)}
        for gate in circuit:
            found[gate.to] = GATES[gate.does](found[gate.a], found[gate.b]) & self.ones
        return found

    def is_computed_by(self, circuit: Circuit) -> bool:
        found = self.signals(circuit)
        return all(found[f"y[{i}]"] == function for i, function in enumerate(self.outputs))


def sboxes() -> list[Sbox]:
    """With the constants that FI cancels: S7(c7) = 0 and S9(c9) = c7."""
    text = TABLES.read_text()
    seven, nine = text[text.index("KASUMI_S7(X)") :].split("KASUMI_S9(X)")
    s7 = [int(value) for value in re.findall(r"X\(\d+, (\d+)\)", seven)]
    s9 = [int(value) for value in re.findall(r"X\((\d+)\)", nine)]
    c7 = s7.index(0)
    return [Sbox("s7", s7, c7), Sbox("s9", s9, s9.index(c7))]
