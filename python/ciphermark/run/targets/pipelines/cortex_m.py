"""ARM Cortex-M0 and Cortex-M4: results are there with the next instruction."""

from __future__ import annotations

import msgspec

from ciphermark.run.targets.pipelines.core import (
    LOADS,
    STORES,
    Core,
    Cycles,
    Instruction,
    Kind,
    Timing,
    Transfer,
)


class M0Parameters(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """In cycles."""

    load: Cycles
    store: Cycles
    multiple: Cycles
    """Of a load or store of several, beyond one for each register."""
    multiply: Cycles
    taken_branch: Cycles
    """Lost by a branch that is taken."""
    call: Cycles
    """Lost by a call."""
    loaded_branch: Cycles
    """Lost by a load of the program counter."""


class CortexM0(Core[M0Parameters]):
    """Every instruction has its time, whatever stands around it."""

    isa = "arm"
    Parameters = M0Parameters
    limits = "memory answers without wait states"

    def timing(self, instruction: Instruction, previous: Instruction | None) -> Timing | None:
        cycles = self.cycles
        match instruction.kind:
            case Kind.SIMPLE:
                return Timing.plain(1)
            case Kind.LOAD:
                return Timing.plain(cycles.load)
            case Kind.STORE:
                return Timing.plain(cycles.store)
            case Kind.LOAD_MULTIPLE | Kind.STORE_MULTIPLE:
                return Timing.plain(instruction.registers + cycles.multiple)
            case Kind.MULTIPLY:
                return Timing.plain(cycles.multiply)
        return None

    def diverted(self, instruction: Instruction) -> int:
        match instruction.transfer:
            case Transfer.CALL:
                return self.cycles.call
            case Transfer.LOADED:
                return self.cycles.loaded_branch
        return self.cycles.taken_branch


class M4Parameters(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """In cycles."""

    load: Cycles
    store: Cycles
    """To a register and a constant."""
    indexed_store: Cycles
    """To a sum of two registers."""
    multiple: Cycles
    """Of a load or store of several, beyond one for each register."""
    pipelined: Cycles
    """Saved by a load or store behind a load that its address does not need."""
    address_result: Cycles
    """From arithmetic to an instruction that makes an address of its result."""
    multiply: Cycles
    """Of words and to two words, with or without an addition."""
    divide: Cycles
    """Depends on the operands."""
    refill: Cycles
    """Of the pipeline, by whatever diverts control; depends on where the next instruction lies."""


class CortexM4(Core[M4Parameters]):
    """A load or store behind a load begins while that waits for memory."""

    isa = "arm"
    Parameters = M4Parameters
    limits = (
        "memory answers without wait states, the pipeline is always refilled in the same time, the "
        "time of a division does not depend on its operands, and no IT instruction is folded into "
        "the one before it"
    )

    def timing(self, instruction: Instruction, previous: Instruction | None) -> Timing | None:
        cycles = self.cycles
        match instruction.kind:
            case Kind.SIMPLE:
                return Timing(1, 1, cycles.address_result)
            case Kind.LOAD:
                return Timing.plain(self._transferred(cycles.load, instruction, previous))
            case Kind.STORE:
                indexed = len(instruction.address) > 1
                store = cycles.indexed_store if indexed else cycles.store
                return Timing.plain(self._transferred(store, instruction, previous))
            case kind if kind in LOADS | STORES:
                return Timing.plain(instruction.registers + cycles.multiple)
            case Kind.MULTIPLY | Kind.LONG_MULTIPLY:
                late = cycles.multiply - 1 + cycles.address_result
                return Timing(cycles.multiply, cycles.multiply, late)
            case Kind.DIVIDE:
                late = cycles.divide - 1 + cycles.address_result
                return Timing(cycles.divide, cycles.divide, late)
        return None

    def early(self, instruction: Instruction) -> frozenset[int]:
        return instruction.address

    def diverted(self, instruction: Instruction) -> int:
        return self.cycles.refill

    def _transferred(self, alone: int, instruction: Instruction, behind: Instruction | None) -> int:
        """Cycles of a load or store behind another instruction; at least one."""
        if behind is None or behind.kind is not Kind.LOAD:
            return alone
        waits = not instruction.address.isdisjoint(behind.results)
        return alone if waits else max(1, alone - self.cycles.pipelined)
