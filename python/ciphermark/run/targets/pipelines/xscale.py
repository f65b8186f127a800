"""Intel XScale, the core of the PXA250: branches are predicted; loads and multiplications run on
while instructions behind them are issued."""

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

_RESTORED = 3
"""Registers that a load of several with the program counter among them takes at no further cost."""


class XScaleParameters(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """In cycles."""

    shifted_result: Cycles
    """From arithmetic to an instruction that shifts its result by a constant."""
    shift_by_register: Cycles
    """Of an instruction that shifts an operand by a register."""
    load_result: Cycles
    """From a load to an instruction that uses it."""
    trailing_load: Cycles
    """By how much the second of two registers comes later; of several, the last but one and the
    last, that by twice as much."""
    behind_load_double: Cycles
    """Lost by a load or store behind a load of two registers."""
    store_double: Cycles
    """Of a store of two registers."""
    multiple: Cycles
    """Of a load or store of several, beyond one for each register."""
    multiply_result: Cycles
    """From a multiplication to an instruction that uses it; depends on the factors."""
    trailing_word: Cycles
    """By how much the upper of two words comes later."""
    multiplier: Cycles
    """From a multiplication to the next; depends on the factors."""
    mispredicted_branch: Cycles
    """Lost by a wrong prediction."""
    register_branch: Cycles
    """Lost by a branch to an address in a register, which is never predicted."""
    loaded_branch: Cycles
    """Of a load of the program counter, in all."""
    restored_branch: Cycles
    """The same where several registers are loaded, up to three."""


class XScale(Core[XScaleParameters]):
    """Branches to an address in the instruction are known to the branch target buffer once they
    were taken, as they are in a loop that measures."""

    isa = "arm"
    Parameters = XScaleParameters
    limits = (
        "caches and translation buffers always hit, so that the clock of memory does not matter, "
        "the branch target buffer holds all branches and errs as often as a branch goes the rarer "
        "way, the time of a multiplication does not depend on its factors, and instructions whose "
        "condition fails cost as much as others"
    )

    def __init__(self, parameters: XScaleParameters) -> None:
        super().__init__(parameters)
        it = parameters
        loaded, product = it.load_result, it.multiply_result
        self.fixed = {
            Kind.LOAD: Timing(1, loaded, loaded),
            Kind.LOAD_DOUBLE: Timing(1, loaded, loaded, trailing=(it.trailing_load,)),
            Kind.STORE: Timing.plain(1),
            Kind.STORE_DOUBLE: Timing.plain(it.store_double),
            Kind.MULTIPLY: Timing(1, product, product, it.multiplier),
            Kind.LONG_MULTIPLY: Timing(1, product, product, it.multiplier, (it.trailing_word,)),
        }

    def timing(self, instruction: Instruction, previous: Instruction | None) -> Timing | None:
        timing = self._timing(instruction)
        if timing and previous and previous.kind is Kind.LOAD_DOUBLE and instruction.registers:
            return timing.later(self.cycles.behind_load_double)
        return timing

    def early(self, instruction: Instruction) -> frozenset[int]:
        return instruction.shifted

    def diverted(self, instruction: Instruction) -> int:
        cycles = self.cycles
        match instruction.transfer, instruction.kind:
            case Transfer.REGISTER, _:
                return cycles.register_branch
            case Transfer.LOADED, Kind.LOAD_MULTIPLE:
                in_all = cycles.restored_branch + max(0, instruction.registers - _RESTORED)
                return in_all - (instruction.registers + cycles.multiple)
            case Transfer.LOADED, _:
                return cycles.loaded_branch - 1
        return 0

    def mispredicted(self) -> int:
        return self.cycles.mispredicted_branch

    def _timing(self, instruction: Instruction) -> Timing | None:
        cycles = self.cycles
        match instruction.kind:
            case Kind.SIMPLE:
                issue = cycles.shift_by_register if instruction.is_shifted_by_register else 1
                return Timing(issue, issue, issue - 1 + cycles.shifted_result)
            case Kind.LOAD_MULTIPLE:
                issue, last = instruction.registers + cycles.multiple, cycles.trailing_load
                return Timing(issue, issue, issue, trailing=(last, 2 * last))
            case Kind.STORE_MULTIPLE:
                return Timing.plain(instruction.registers + cycles.multiple)
        return self.fixed.get(instruction.kind)
