"""Words of RV32I's instructions, put together from their fields."""

from __future__ import annotations

from ciphermark.run.targets.intervals import Block, Trace
from ciphermark.run.targets.rv32i.instructions import Instruction

REGISTER = {
    **{"add": (0, 0), "sub": (0, 0x20), "sll": (1, 0), "slt": (2, 0), "sltu": (3, 0)},
    **{"xor": (4, 0), "srl": (5, 0), "sra": (5, 0x20), "or": (6, 0), "and": (7, 0)},
}
"""The third function field and the highest seven bits."""
SHIFTS = {"slli": "sll", "srli": "srl", "srai": "sra"}
IMMEDIATE = {"addi": 0, "slti": 2, "sltiu": 3, "xori": 4, "ori": 6, "andi": 7}
LOADS = {"lb": 0, "lh": 1, "lw": 2, "lbu": 4, "lhu": 5}
STORES = {"sb": 0, "sh": 1, "sw": 2}
BRANCHES = {"beq": 0, "bne": 1, "blt": 4, "bge": 5, "bltu": 6, "bgeu": 7}
UPPER = {"lui": 0x37, "auipc": 0x17}
SYSTEM = 0x73
FENCE = 0x0FF0000F


def word(it: Instruction) -> int:
    """The word of an instruction."""
    registers = it.rs1 << 15 | it.rs2 << 20
    if it.name in REGISTER:
        function, high = REGISTER[it.name]
        return high << 25 | registers | function << 12 | it.rd << 7 | 0x33
    if it.name in STORES:
        low = it.immediate & 0xFFF
        return low >> 5 << 25 | registers | STORES[it.name] << 12 | (low & 31) << 7 | 0x23
    if it.name in BRANCHES:
        return _branch(it.immediate) | registers | BRANCHES[it.name] << 12 | 0x63
    return _without_second(it)


def _without_second(it: Instruction) -> int:
    """Of the instructions that read one register at most."""
    fields = (it.immediate & 0xFFF) << 20 | it.rs1 << 15 | it.rd << 7
    if it.name in SHIFTS:
        function, high = REGISTER[SHIFTS[it.name]]
        return high << 25 | fields | function << 12 | 0x13
    if it.name in IMMEDIATE:
        return fields | IMMEDIATE[it.name] << 12 | 0x13
    if it.name in LOADS:
        return fields | LOADS[it.name] << 12 | 0x03
    if it.name in UPPER:
        return it.immediate & 0xFFFFF000 | it.rd << 7 | UPPER[it.name]
    if it.name == "jal":
        return _jump(it.immediate) | it.rd << 7 | 0x6F
    return {"jalr": fields | 0x67, "system": it.immediate << 20 | SYSTEM, "fence": FENCE}[it.name]


def _branch(offset: int) -> int:
    high = (offset >> 12 & 1) << 31 | (offset >> 5 & 63) << 25
    return high | (offset >> 1 & 15) << 8 | (offset >> 11 & 1) << 7


def _jump(offset: int) -> int:
    high = (offset >> 20 & 1) << 31 | (offset >> 1 & 0x3FF) << 21
    return high | (offset >> 11 & 1) << 20 | (offset >> 12 & 0xFF) << 12


def block(address: int, *instructions: Instruction, function: str = "f") -> Block:
    """A block of instructions that stand behind each other."""
    codes = [word(it).to_bytes(4, "little") for it in instructions]
    placed = tuple((address + 4 * place, code) for place, code in enumerate(codes))
    return Block(address, placed, function)


def trace(blocks: list[Block], edges: dict[tuple[int, int], int]) -> Trace:
    """An execution of blocks."""
    return Trace(blocks={it.address: it for it in blocks}, edges=edges)
