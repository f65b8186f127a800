"""Decodes RV32IMC.

Of the registers nothing is told: no model of such a core has results that come later than the next
instruction.
"""

from __future__ import annotations

from ciphermark.measure.targets.pipelines.core import Decoder, Instruction, Kind, Transfer

_KINDS = {
    **dict.fromkeys(("lb", "lbu", "lh", "lhu", "lw", "lwsp"), Kind.LOAD),
    **dict.fromkeys(("sb", "sh", "sw", "swsp"), Kind.STORE),
    "mul": Kind.MULTIPLY,
    **dict.fromkeys(("mulh", "mulhu", "mulhsu"), Kind.LONG_MULTIPLY),
    **dict.fromkeys(("div", "divu", "rem", "remu"), Kind.DIVIDE),
}
_TRANSFERS = {
    **dict.fromkeys(("beq", "bne", "blt", "bge", "bltu", "bgeu", "beqz", "bnez"), Transfer.BRANCH),
    **dict.fromkeys(("j", "jal"), Transfer.JUMP),
    **dict.fromkeys(("jr", "jalr"), Transfer.REGISTER),
}


def decoder() -> Decoder:
    """Of addresses and codes to instructions."""
    import capstone

    compressed = capstone.CS_MODE_RISCV32 | capstone.CS_MODE_RISCVC
    disassembler = capstone.Cs(capstone.CS_ARCH_RISCV, compressed)

    def decode(address: int, code: bytes) -> Instruction | None:
        found = next(disassembler.disasm(code, address, 1), None)
        return None if found is None else _instruction(found.insn_name().removeprefix("c."))

    return decode


def _instruction(name: str) -> Instruction:
    return Instruction(name, _KINDS.get(name, Kind.SIMPLE), _TRANSFERS.get(name))
