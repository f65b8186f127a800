"""Which bits of values are of use: of a value that is only stored as a byte, eight.

A backward data-flow analysis to the least fixed point, as compilers do it. Addresses, and what only
branches look at, are told apart from data: where C computes them in a `size_t` or an `unsigned`,
they have the width of the processor's addresses, not that of the data.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ciphermark.measure.targets.rv32i.flow import KEPT, REGISTERS, STACK_POINTER, Edge, Flow
from ciphermark.measure.targets.rv32i.instructions import LINKS, ZERO, Instruction
from ciphermark.measure.targets.rv32i.known_bits import (
    WORD,
    WORD_BITS,
    Bits,
    Known,
    KnownBits,
    below,
)

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
        demand = _joined(outgoing[number], found.before)
        if after.get(number) != demand:
            after[number] = list(demand)
            found.at[number] = _block_demands(flow, known.at[number], number, demand)
            found.before[number] = demand
            waiting.update(edge.before for edge in incoming[number])
    return found


def _joined(edges: list[Edge], before: dict[int, list[int]]) -> list[int]:
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
