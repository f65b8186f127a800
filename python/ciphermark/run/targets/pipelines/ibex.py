"""RV32IMC, and lowRISC Ibex with two stages: an instruction stalls those behind it until it is
done.

Of the registers of an instruction nothing is told: no model of such a core has results that come
later than the next instruction.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from ciphermark.files import extras
from ciphermark.run.targets.pipelines.core import (
    Core,
    Cycles,
    Decoder,
    Instruction,
    Kind,
    Timing,
    Transfer,
)

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


def riscv_decoder() -> Decoder:
    """Returns a decoder of addresses and codes to instructions."""
    capstone = extras.needed("simulate")
    compressed = capstone.CS_MODE_RISCV32 | capstone.CS_MODE_RISCVC
    disassembler = capstone.Cs(capstone.CS_ARCH_RISCV, compressed)

    def decode(address: int, code: bytes) -> Instruction | None:
        found = next(disassembler.disasm(code, address, 1), None)
        return None if found is None else _instruction(found.insn_name().removeprefix("c."))

    return decode


def _instruction(name: str) -> Instruction:
    return Instruction(name, _KINDS.get(name, Kind.SIMPLE), _TRANSFERS.get(name))


class IbexParameters(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """In cycles."""

    load: Cycles
    store: Cycles
    taken_branch: Cycles
    """Lost by a conditional branch that is taken."""
    jump: Cycles
    """Lost by a jump, a call or a return."""


class Ibex(Core[IbexParameters]):
    """Without extension M."""

    isa = "riscv"
    Parameters: ClassVar[type[IbexParameters]] = IbexParameters
    limits = (
        "memory answers in the next cycle, and an instruction of 32 bits that a jump finds across "
        "two words of memory is fetched as quickly as any other"
    )

    def timing(self, instruction: Instruction, previous: Instruction | None) -> Timing | None:
        match instruction.kind:
            case Kind.SIMPLE:
                return Timing.plain(1)
            case Kind.LOAD:
                return Timing.plain(self.cycles.load)
            case Kind.STORE:
                return Timing.plain(self.cycles.store)
        return None

    def diverted(self, instruction: Instruction) -> int:
        is_branch = instruction.transfer is Transfer.BRANCH
        return self.cycles.taken_branch if is_branch else self.cycles.jump


class MultiplyingParameters(IbexParameters, kw_only=True, forbid_unknown_fields=True):
    """In cycles."""

    multiply: Cycles
    """For the lower word of a product."""
    high_multiply: Cycles
    """For the upper word."""
    divide: Cycles
    """By anything but 0."""


class MultiplyingIbex(Ibex):
    """With extension M and the fast multiplier of several cycles."""

    Parameters = MultiplyingParameters

    def __init__(self, parameters: MultiplyingParameters) -> None:
        super().__init__(parameters)
        self.arithmetic = {
            Kind.MULTIPLY: Timing.plain(parameters.multiply),
            Kind.LONG_MULTIPLY: Timing.plain(parameters.high_multiply),
            Kind.DIVIDE: Timing.plain(parameters.divide),
        }

    def timing(self, instruction: Instruction, previous: Instruction | None) -> Timing | None:
        known = self.arithmetic.get(instruction.kind)
        return known or super().timing(instruction, previous)
