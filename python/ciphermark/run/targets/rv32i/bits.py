"""Which bits of registers can be 1, and which are: a byte that was loaded has 24 zeros above it.

A forward data-flow analysis to the greatest fixed point, as compilers do it.

Which bits of values are of use: of a value that is only stored as a byte, eight.

A backward data-flow analysis to the least fixed point, as compilers do it. Addresses, and what only
branches look at, are distinguished from data: where C computes them in a `size_t` or an `unsigned`,
they have the width of the processor's addresses, not that of the data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from ciphermark.run.targets.rv32i.instructions import (
    KEPT,
    LINKS,
    REGISTERS,
    STACK_POINTER,
    ZERO,
    Edge,
    Flow,
    Instruction,
)

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


ADDRESS = 1 << WORD_BITS
"""Stands beside the 32 bits of a word: is used as an address, or to decide on a branch."""

_STORED = {"sb": 0xFF, "sh": 0xFFFF, "sw": WORD}
_LOADS = ("lb", "lh", "lw", "lbu", "lhu")
_BRANCHES = ("beq", "bne", "blt", "bge", "bltu", "bgeu")
_SIGN = 1 << WORD_BITS - 1


class DemandedBits(msgspec.Struct):
    """What is of use everywhere in a flow."""

    at: dict[int, list[int]]
    """Of the result of each block's instructions."""
    before: dict[int, list[int]]
    """Of the registers in front of each block."""


def demanded_bits(flow: Flow, known: KnownBits) -> DemandedBits:
    """Which bits of every value in a flow are of use."""
    incoming, outgoing = flow.incoming(), flow.outgoing()
    found, after = DemandedBits(at={}, before={}), dict[int, list[int]]()
    waiting = set(known.at)
    while waiting:
        number = max(waiting)
        waiting.remove(number)
        demand = _joined_demands(outgoing[number], found.before)
        if after.get(number) != demand:
            after[number] = list(demand)
            found.at[number] = _block_demands(flow, known.at[number], number, demand)
            found.before[number] = demand
            waiting.update(edge.before for edge in incoming[number])
    return found


def _joined_demands(edges: list[Edge], before: dict[int, list[int]]) -> list[int]:
    """What is of use on any way that leaves a block."""
    demand = [0 for _ in REGISTERS]
    for edge in edges:
        values = before.get(edge.after)
        if values is not None:
            for register in edge.registers:
                demand[register] |= values[register]
    return demand


def _block_demands(flow: Flow, known: list[Known], number: int, demand: list[int]) -> list[int]:
    """What is of use of the results in a block; takes the demand back to its beginning."""
    block = flow.instructions[number]
    saved = saves(block) if number in flow.entered else set()
    results = [0 for _ in block]
    for place in reversed(range(len(block))):
        instruction = block[place]
        results[place], demand[instruction.rd] = demand[instruction.rd], 0
        first, second = _operand_demands(instruction, known[place], results[place])
        demand[instruction.rs1] |= first
        demand[instruction.rs2] |= 0 if place in saved else second
        demand[ZERO] = 0
    return results


def saves(block: Sequence[Instruction]) -> set[int]:
    """Where the first block of a function saves registers that it must keep, and the return
    address: what they hold is of no use to it."""
    found, written = set[int](), set[int]()
    for place, instruction in enumerate(block):
        if instruction.name == "sw" and instruction.rs1 == STACK_POINTER:
            if instruction.rs2 in (*LINKS, *KEPT) and instruction.rs2 not in written:
                found.add(place)
        written.add(instruction.rd)
    return found


def _operand_demands(instruction: Instruction, known: Known, demand: int) -> tuple[int, int]:
    """Which bits of its two operands an instruction needs, for these of its result."""
    name, address, data = instruction.name, demand & ADDRESS, demand & WORD
    if name in ("and", "andi"):
        first, second = known.first, known.second
        return _masked(demand, first, by=second), _masked(demand, second, by=first)
    if name in ("or", "xor", "ori", "xori"):
        return demand, demand
    if name in ("add", "sub", "addi"):  # a bit depends on those below it
        return below(data) | address, below(data) | address
    if name in ("slt", "sltu", "slti", "sltiu"):
        return (WORD if data else 0) | address, (WORD if data else 0) | address
    if name in _BRANCHES:
        return ADDRESS, ADDRESS
    if name in _LOADS or name == "jalr":
        return ADDRESS, 0
    if name in _STORED:
        return ADDRESS, _STORED[name]
    return _shifted_demand(name, known, data) | address, WORD_BITS - 1 if demand else 0


def _masked(demand: int, value: Bits, by: Bits) -> int:
    """Which bits of a value are needed that is masked by another, if that is a constant."""
    return demand & (by.may | ADDRESS) if by.is_constant and not value.is_constant else demand


def _shifted_demand(name: str, known: Known, data: int) -> int:
    """Which bits of the value that is shifted are needed; of no shift, none."""
    direction = name[:3]
    if direction not in ("sll", "srl", "sra") or not data:
        return 0
    if not known.second.is_constant:
        return WORD
    by = known.second.may & WORD_BITS - 1
    if direction == "sll":
        return data >> by
    return data << by & WORD | (_SIGN if direction == "sra" else 0)
