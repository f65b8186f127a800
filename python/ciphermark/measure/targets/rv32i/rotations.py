"""Rotations in instructions without one: a shift left and a shift right of one value, joined.

The distances of constant shifts must make up a word. Of shifts by registers only their directions
and the value are compared: no compiler joins opposite shifts of one value for anything else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from ciphermark.measure.targets.rv32i.instructions import Instruction

Rotation = Literal["rotate", "rotate-bytes", "rotate-variable"]
"""By a constant, by a multiple of eight, by a register."""

WORD_BITS = 32
_OPPOSITE = {"slli": "srli", "srli": "slli", "sll": "srl", "srl": "sll"}
_JOINS = ("or", "xor", "add")
"""Of halves that have no bit in common all three are the same."""


class _Shift(NamedTuple):
    """A shift whose result a register holds."""

    place: int
    """Of the instruction in its block."""
    name: str
    source: int
    """The value that was shifted: the place of the instruction that wrote it, or less than 0."""
    distance: int


class _Values:
    """What the registers hold at a place of a block."""

    def __init__(self) -> None:
        self._writer: dict[int, int] = {}
        self.shifts: dict[int, _Shift] = {}
        """By the register that holds the result."""

    def source(self, register: int) -> int:
        """Which value a register holds; those from before the block have numbers below 0."""
        return self._writer.get(register, -1 - register)

    def write(self, place: int, instruction: Instruction) -> None:
        """Lets the instruction at a place have its effect."""
        source = self.source(instruction.rs1)
        self.shifts.pop(instruction.rd, None)
        self._writer[instruction.rd] = place
        if instruction.name in _OPPOSITE:
            shift = _Shift(place, instruction.name, source, instruction.immediate)
            self.shifts[instruction.rd] = shift


def rotations(instructions: Sequence[Instruction]) -> Iterator[tuple[Rotation, tuple[int, ...]]]:
    """The rotations of a block, each with the places of its three instructions.

    No instruction belongs to two.
    """
    values, taken = _Values(), set[int]()
    for place, instruction in enumerate(instructions):
        if instruction.name in _JOINS:
            first = values.shifts.get(instruction.rs1)
            second = values.shifts.get(instruction.rs2)
            if _are_halves(first, second) and not taken & {first.place, second.place}:
                taken |= {first.place, second.place}
                yield _kind(first), (first.place, second.place, place)
        values.write(place, instruction)


def _are_halves(first: _Shift | None, second: _Shift | None) -> bool:
    """Whether two shifts make up a rotation."""
    if first is None or second is None or first.source != second.source:
        return False
    if _OPPOSITE[first.name] != second.name:
        return False
    return _is_variable(first) or first.distance + second.distance == WORD_BITS


def _is_variable(shift: _Shift) -> bool:
    return not shift.name.endswith("i")


def _kind(shift: _Shift) -> Rotation:
    if _is_variable(shift):
        return "rotate-variable"
    return "rotate" if shift.distance % 8 else "rotate-bytes"
