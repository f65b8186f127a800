"""lowRISC Ibex with two stages: an instruction stalls those behind it until it is done."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from ciphermark.measure.targets.pipelines.core import (
    Core,
    Cycles,
    Instruction,
    Kind,
    Timing,
    Transfer,
)


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
