"""Which bits of registers can be 1, and which are: a byte that was loaded has 24 zeros above it.

A forward data-flow analysis to the greatest fixed point, as compilers do it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from ciphermark.measure.targets.rv32i.flow import REGISTERS, Edge, Flow
from ciphermark.measure.targets.rv32i.instructions import ZERO, Instruction

WORD_BITS = 32
WORD = (1 << WORD_BITS) - 1


class Bits(NamedTuple):
    """What is known of a value."""

    may: int
    """Bits that can be 1."""
    must: int
    """Bits that are 1; all of `may` in a constant."""

    @property
    def is_constant(self) -> bool:
        """Whether it has one value."""
        return self.may == self.must


UNKNOWN = Bits(WORD, 0)
ZERO_BITS = Bits(0, 0)
_UNREACHED = Bits(0, WORD)
"""Of a register that no way has reached yet: joined with anything it is that."""
_ENTRY = (ZERO_BITS, *(UNKNOWN for _ in REGISTERS[1:]))


class Known(NamedTuple):
    """What is known where an instruction is executed."""

    first: Bits
    second: Bits
    """Its second register, or its constant."""
    result: Bits


class KnownBits(msgspec.Struct):
    """What is known everywhere in a flow."""

    at: dict[int, list[Known]]
    """Of each block's instructions."""
    after: dict[int, list[Bits]]
    """Of the registers behind each block."""


def known_bits(flow: Flow) -> KnownBits:
    """What is known of every value in a flow."""
    incoming, outgoing = flow.incoming(), flow.outgoing()
    found, before = KnownBits(at={}, after={}), dict[int, list[Bits]]()
    waiting = set(flow.starts)
    while waiting:
        number = min(waiting)  # as blocks are numbered when they are first executed
        waiting.remove(number)
        state = _joined(incoming[number], found.after, number in flow.starts)
        if before.get(number) != state:
            before[number] = list(state)
            found.at[number] = [_execute(it, state) for it in flow.instructions[number]]
            found.after[number] = state
            waiting.update(edge.after for edge in outgoing[number])
    return found


def _joined(edges: list[Edge], after: dict[int, list[Bits]], is_start: bool) -> list[Bits]:
    """What is known on all ways that reach a block."""
    state = list(_ENTRY) if is_start else [_UNREACHED for _ in REGISTERS]
    for edge in edges:
        values = after.get(edge.before)
        if values is not None:
            for register in edge.registers:
                (may, must), value = state[register], values[register]
                state[register] = Bits(may | value.may, must & value.must)
    state[ZERO] = ZERO_BITS
    return state


def _execute(instruction: Instruction, state: list[Bits]) -> Known:
    """What an instruction makes known; changes the state."""
    name = instruction.name
    first, second = state[instruction.rs1], state[instruction.rs2]
    if name in _IMMEDIATE:
        name = _IMMEDIATE[name]
        second = _constant(instruction.immediate)
    result = _RESULTS[name](first, second) if name in _RESULTS else UNKNOWN
    if instruction.rd != ZERO:
        state[instruction.rd] = result
    return Known(first, second, result)


def _constant(value: int) -> Bits:
    return Bits(value & WORD, value & WORD)


def below(bits: int) -> int:
    """All bits up to the highest of these."""
    return (1 << bits.bit_length()) - 1


def _xor(first: Bits, second: Bits) -> Bits:
    must = first.must & ~second.may | second.must & ~first.may
    return Bits((first.may | second.may) & ~(first.must & second.must), must)


def _add(first: Bits, second: Bits) -> Bits:
    if first.is_constant and second.is_constant:
        return _constant(first.may + second.may)
    if not first.may & second.may:  # nothing to carry
        return Bits(first.may | second.may, first.must | second.must)
    bits = max(first.may.bit_length(), second.may.bit_length()) + 1
    # To whole bytes, so that what grows in a loop is soon found to be a word.
    return Bits((1 << min(WORD_BITS, -(-bits // 8) * 8)) - 1, 0)


def _shift_left(value: Bits, distance: Bits) -> Bits:
    if not distance.is_constant:
        return Bits(WORD if value.may else 0, 0)
    by = distance.may & WORD_BITS - 1
    return Bits(value.may << by & WORD, value.must << by & WORD)


def _shift_right(value: Bits, distance: Bits) -> Bits:
    if not distance.is_constant:
        return Bits(below(value.may), 0)
    by = distance.may & WORD_BITS - 1
    return Bits(value.may >> by, value.must >> by)


def _shift_right_signed(value: Bits, distance: Bits) -> Bits:
    is_positive = value.may >> WORD_BITS - 1 == 0
    return _shift_right(value, distance) if is_positive else UNKNOWN


_RESULTS: dict[str, Callable[[Bits, Bits], Bits]] = {
    "add": _add,
    "and": lambda first, second: Bits(first.may & second.may, first.must & second.must),
    "or": lambda first, second: Bits(first.may | second.may, first.must | second.must),
    "xor": _xor,
    "sll": _shift_left,
    "srl": _shift_right,
    "sra": _shift_right_signed,
    "slt": lambda first, second: Bits(1, 0),
    "sltu": lambda first, second: Bits(1, 0),
    "lui": lambda first, second: second,
    "lbu": lambda first, second: Bits(0xFF, 0),
    "lhu": lambda first, second: Bits(0xFFFF, 0),
}
"""Of the others nothing is known."""
_IMMEDIATE = {
    **{f"{name}i": name for name in ("add", "and", "or", "xor", "sll", "srl", "sra", "slt")},
    "sltiu": "sltu",
    "lui": "lui",
}
"""The forms whose second operand is their immediate."""
