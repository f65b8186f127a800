"""Instructions of RV32I, the base instruction set of 32-bit RISC-V, from their 32-bit words.

Encodings: The RISC-V Instruction Set Manual, Volume I, version 20191213, chapters 2 and 24.

Which block's registers reach which other block, in one execution.

ABI: of what a call returns with, registers that the called function must keep are as they were
before the call; the others are as the function left them. Keeping to this, what is said of one call
of a function does not mix with what is said of another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from ciphermark.run.targets.intervals import Block, Trace

ZERO = 0
"""The register that is always 0."""
LINKS = (1, 5)
"""Registers that calls leave their return address in (manual, 2.5: ra and the alternate t0)."""

_ARITHMETIC = ("add", "sll", "slt", "sltu", "xor", "srl", "or", "and")
_BRANCHES = {0: "beq", 1: "bne", 4: "blt", 5: "bge", 6: "bltu", 7: "bgeu"}
_LOADS = {0: "lb", 1: "lh", 2: "lw", 4: "lbu", 5: "lhu"}
_STORES = {0: "sb", 1: "sh", 2: "sw"}


class Instruction(NamedTuple):
    """One instruction. A register that it has no field for is x0, an immediate 0."""

    name: str
    """Its mnemonic in the manual; of a form with an immediate, that with the `i`."""
    rd: int = ZERO
    """The register that it writes."""
    rs1: int = ZERO
    rs2: int = ZERO
    immediate: int = 0
    """Signed; of shifts the distance, of branches and jumps relative to the instruction, of `lui`
    and `auipc` in its place, the upper 20 bits. Of `system` all 12 bits."""


def decode(word: int) -> Instruction:
    """The instruction of a word. Raises `ValueError` where RV32I has none."""
    instruction = _DECODERS.get(word & 0x7F, _none)(word)
    if instruction is None:
        raise ValueError(f"{word:#010x} is no instruction of RV32I")
    return instruction


def _none(word: int) -> None:
    del word


def _rd(word: int) -> int:
    return word >> 7 & 31


def _rs1(word: int) -> int:
    return word >> 15 & 31


def _rs2(word: int) -> int:
    return word >> 20 & 31


def _funct3(word: int) -> int:
    return word >> 12 & 7


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


def _i_immediate(word: int) -> int:
    return _signed(word >> 20, 12)


def _s_immediate(word: int) -> int:
    return _signed(word >> 25 << 5 | word >> 7 & 31, 12)


def _b_immediate(word: int) -> int:
    high = word >> 31 << 12 | (word >> 7 & 1) << 11
    return _signed(high | (word >> 25 & 63) << 5 | (word >> 8 & 15) << 1, 13)


def _j_immediate(word: int) -> int:
    high = word >> 31 << 20 | (word >> 12 & 0xFF) << 12
    return _signed(high | (word >> 20 & 1) << 11 | (word >> 21 & 0x3FF) << 1, 21)


def _upper(name: str, word: int) -> Instruction:
    return Instruction(name, rd=_rd(word), immediate=_signed(word & 0xFFFFF000, 32))


def _lui(word: int) -> Instruction:
    return _upper("lui", word)


def _auipc(word: int) -> Instruction:
    return _upper("auipc", word)


def _jal(word: int) -> Instruction:
    return Instruction("jal", rd=_rd(word), immediate=_j_immediate(word))


def _jalr(word: int) -> Instruction | None:
    if _funct3(word) != 0:
        return None
    return Instruction("jalr", rd=_rd(word), rs1=_rs1(word), immediate=_i_immediate(word))


def _branch(word: int) -> Instruction | None:
    name = _BRANCHES.get(_funct3(word))
    if name is None:
        return None
    return Instruction(name, rs1=_rs1(word), rs2=_rs2(word), immediate=_b_immediate(word))


def _load(word: int) -> Instruction | None:
    name = _LOADS.get(_funct3(word))
    if name is None:
        return None
    return Instruction(name, rd=_rd(word), rs1=_rs1(word), immediate=_i_immediate(word))


def _store(word: int) -> Instruction | None:
    name = _STORES.get(_funct3(word))
    if name is None:
        return None
    return Instruction(name, rs1=_rs1(word), rs2=_rs2(word), immediate=_s_immediate(word))


def _with_immediate(word: int) -> Instruction | None:
    name, immediate = _ARITHMETIC[_funct3(word)], _i_immediate(word)
    if name in ("sll", "srl"):
        chosen = _alternative(name, word, {"srl": "sra"})
        if chosen is None:
            return None
        name, immediate = chosen, _rs2(word)
    spelt = "sltiu" if name == "sltu" else f"{name}i"
    return Instruction(spelt, rd=_rd(word), rs1=_rs1(word), immediate=immediate)


def _with_register(word: int) -> Instruction | None:
    name = _alternative(_ARITHMETIC[_funct3(word)], word, {"add": "sub", "srl": "sra"})
    if name is None:
        return None
    return Instruction(name, rd=_rd(word), rs1=_rs1(word), rs2=_rs2(word))


def _alternative(name: str, word: int, others: dict[str, str]) -> str | None:
    """The operation that the highest seven bits choose; None where they choose none."""
    if word >> 25 == 0:
        return name
    return others.get(name) if word >> 25 == 0x20 else None


def _fence(word: int) -> Instruction | None:
    return Instruction("fence") if _funct3(word) == 0 else None


def _system(word: int) -> Instruction | None:
    """`ecall` and `ebreak`."""
    if word not in (0x00000073, 0x00100073):
        return None
    return Instruction("system", immediate=word >> 20)


_DECODERS = {
    0x03: _load,
    0x0F: _fence,
    0x13: _with_immediate,
    0x17: _auipc,
    0x23: _store,
    0x33: _with_register,
    0x37: _lui,
    0x63: _branch,
    0x67: _jalr,
    0x6F: _jal,
    0x73: _system,
}


STACK_POINTER = 2
KEPT = (STACK_POINTER, 8, 9, *range(18, 28))
"""Registers that a function returns as they were: sp, s0 to s11 (RISC-V ELF psABI, 1.1)."""
REGISTERS = range(32)
_CHANGED = tuple(register for register in REGISTERS if register not in KEPT)

INSTRUCTION_BYTES = 4


class Edge(NamedTuple):
    """A way on which registers reach a block, all or some of them."""

    before: int
    after: int
    registers: Iterable[int]


class Flow(msgspec.Struct):
    """The blocks of an execution, decoded, and the ways between them."""

    instructions: dict[int, tuple[Instruction, ...]]
    """By the blocks' numbers."""
    edges: list[Edge]
    returns_to: dict[int, list[int]]
    """Of blocks that end with a call: those behind it, of which there may be several that begin at
    one address."""
    entered: set[int]
    """Blocks that calls go to."""
    starts: set[int]
    """Blocks that are reached from outside."""

    def incoming(self) -> dict[int, list[Edge]]:
        """The edges by the blocks that they go to."""
        return self._by_block((edge.after, edge) for edge in self.edges)

    def outgoing(self) -> dict[int, list[Edge]]:
        """The edges by the blocks that they come from."""
        return self._by_block((edge.before, edge) for edge in self.edges)

    def _by_block(self, edges: Iterable[tuple[int, Edge]]) -> dict[int, list[Edge]]:
        found: dict[int, list[Edge]] = {number: [] for number in self.instructions}
        for number, edge in edges:
            found[number].append(edge)
        return found


def flow_of(trace: Trace) -> Flow:
    """The flow of registers in what was executed."""
    executed = sorted(trace.times().keys() & trace.blocks.keys())
    instructions = {number: _decoded(trace.blocks[number]) for number in executed}
    placed: dict[int, list[int]] = {}
    for number in executed:
        placed.setdefault(trace.blocks[number].address, []).append(number)
    returns_to = {
        number: placed.get(trace.blocks[number].instructions[-1][0] + INSTRUCTION_BYTES, [])
        for number in executed
        if is_call(instructions[number][-1])
    }
    ways = [edge for edge in trace.edges if edge[0] in instructions and edge[1] in instructions]
    return Flow(
        instructions=instructions,
        edges=list(_edges(ways, instructions, returns_to)),
        returns_to=returns_to,
        entered={after for before, after in ways if is_call(instructions[before][-1])},
        starts=instructions.keys() - {after for _, after in ways}
        | {after for before, after in trace.edges if before not in instructions},
    )


def _decoded(block: Block) -> tuple[Instruction, ...]:
    return tuple(decode(int.from_bytes(code, "little")) for _, code in block.instructions)


def is_call(instruction: Instruction) -> bool:
    """Whether an instruction leaves a return address."""
    return instruction.name in ("jal", "jalr") and instruction.rd in LINKS


def _edges(
    ways: Iterable[tuple[int, int]],
    instructions: dict[int, tuple[Instruction, ...]],
    returns_to: dict[int, list[int]],
) -> Iterator[Edge]:
    behind_calls = {after for found in returns_to.values() for after in found}
    for before, after in ways:
        last = instructions[before][-1]
        is_return = last.name == "jalr" and last.rd == ZERO
        yield Edge(before, after, _CHANGED if is_return and after in behind_calls else REGISTERS)
    for before, found in returns_to.items():
        for after in found:
            yield Edge(before, after, KEPT)
