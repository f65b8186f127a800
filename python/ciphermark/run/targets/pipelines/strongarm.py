"""Intel StrongARM SA-1, the core of the SA-1110: loads and products come late, branches wait."""

from __future__ import annotations

import msgspec

from ciphermark.run.targets.pipelines.core import (
    Core,
    Cycles,
    Instruction,
    Kind,
    Timing,
    Transfer,
)


class StrongArmParameters(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """In cycles."""

    shift_by_register: Cycles
    """Of an instruction that shifts an operand by a register."""
    load_result: Cycles
    """From a load to an instruction that uses it."""
    load_multiple: Cycles
    """Beyond one for each register."""
    store_multiple: Cycles
    """Beyond one for each register."""
    multiply: Cycles
    """Until the next instruction; less for small factors."""
    multiply_result: Cycles
    """Until an instruction that uses it."""
    taken_branch: Cycles
    """Lost by a branch or call to an address in the instruction."""
    register_branch: Cycles
    """Lost by a branch to an address in a register."""
    loaded_branch: Cycles
    """Lost by a load of the program counter."""


class StrongArm(Core[StrongArmParameters]):
    """Branches are not predicted; a taken one costs what is fetched behind it."""

    isa = "arm"
    Parameters = StrongArmParameters
    limits = (
        "caches and translation buffers always hit, the write buffer is never full, the time of a "
        "multiplication does not depend on its factors, and instructions whose condition fails "
        "cost as much as others"
    )

    def timing(self, instruction: Instruction, previous: Instruction | None) -> Timing | None:
        cycles = self.cycles
        match instruction.kind:
            case Kind.SIMPLE if instruction.is_shifted_by_register:
                return Timing.plain(cycles.shift_by_register)
            case Kind.SIMPLE | Kind.STORE:
                return Timing.plain(1)
            case Kind.LOAD:
                return Timing(1, cycles.load_result, cycles.load_result)
            case Kind.LOAD_MULTIPLE:
                return Timing.plain(instruction.registers + cycles.load_multiple)
            case Kind.STORE_MULTIPLE:
                return Timing.plain(instruction.registers + cycles.store_multiple)
            case Kind.MULTIPLY | Kind.LONG_MULTIPLY:
                return Timing(cycles.multiply, cycles.multiply_result, cycles.multiply_result)
        return None

    def diverted(self, instruction: Instruction) -> int:
        match instruction.transfer:
            case Transfer.REGISTER:
                return self.cycles.register_branch
            case Transfer.LOADED:
                return self.cycles.loaded_branch
        return self.cycles.taken_branch
