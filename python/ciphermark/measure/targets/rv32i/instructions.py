"""Instructions of RV32I, the base instruction set of 32-bit RISC-V, from their 32-bit words.

Encodings: The RISC-V Instruction Set Manual, Volume I, version 20191213, chapters 2 and 24.
"""

from __future__ import annotations

from typing import NamedTuple

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
