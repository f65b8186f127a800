"""Cycles of a trace by the model of its target's core: instructions that wait for each other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

import msgspec

from ciphermark.errors import WorkError
from ciphermark.run.targets.intervals import Block, Trace
from ciphermark.run.targets.pipelines import arm, ibex
from ciphermark.run.targets.pipelines.core import (
    MULTIPLICATIONS,
    Core,
    Decoder,
    Instruction,
    Timing,
    Transfer,
)
from ciphermark.run.targets.pipelines.cores import CORES

if TYPE_CHECKING:
    from ciphermark.run.targets.target import Target


class Scoreboard:
    """A core's pipeline between two instructions; times in cycles since it was empty."""

    def __init__(self, core: Core[Any]) -> None:
        self.core = core
        self.clock = 0
        """When the next instruction can be issued."""
        self._ready: dict[int, int] = {}
        """When an instruction can be issued that reads a register, where that is not always."""
        self._early_ready: dict[int, int] = {}
        """The same, for one that needs it early."""
        self._multiplier = 0
        """When a multiplication can be issued."""
        self._previous: Instruction | None = None

    def copy(self) -> Self:
        """Another one in the same state."""
        other = type(self)(self.core)
        other.__dict__.update(self.__dict__)
        other._ready, other._early_ready = dict(self._ready), dict(self._early_ready)
        return other

    def issue(self, instructions: Iterable[Instruction]) -> Self:
        """Goes on behind these."""
        for instruction in instructions:
            self._issue(instruction)
        return self

    def _issue(self, instruction: Instruction) -> None:
        timing = self.core.timing(instruction, self._previous)
        if timing is None:
            core = type(self.core).__name__
            raise WorkError(f"{core} is not known to have the instruction {instruction.name}")
        start = max(self.clock, self._needed(instruction))
        for register, late in _trailing(instruction.results, timing):
            self._ready[register] = start + timing.result + late
            self._early_ready[register] = start + timing.early_result + late
        self.clock = start + timing.issue
        self._multiplier = max(self._multiplier, start + timing.multiplier)
        self._previous = instruction

    def _needed(self, instruction: Instruction) -> int:
        """When everything is there that an instruction needs."""
        waits = [self._ready.get(register, 0) for register in instruction.reads]
        waits += [self._early_ready.get(it, 0) for it in self.core.early(instruction)]
        if instruction.kind in MULTIPLICATIONS:
            waits.append(self._multiplier)
        return max(waits, default=0)


def _trailing(results: tuple[int, ...], timing: Timing) -> Iterable[tuple[int, int]]:
    """Each result, and by how much it comes later than the first."""
    delays = (0,) * len(results) + timing.trailing
    return zip(results, delays[-len(results) :], strict=False)


Key = tuple[int, int]
"""Of a block: a simulator may translate code at one address again, and another length of it."""


class Pipeline:
    """The model of a target's cycles, for traces of one image.

    An edge costs what its second block takes when it follows the first: the pipeline is filled by
    the first block, from empty, and the second goes on from there. Costs are kept for each pair of
    blocks, so that many traces of an image cost little more than one.
    """

    def __init__(self, target: Target) -> None:
        processor = target.processor
        assert processor is not None and processor.pipeline is not None
        kind = CORES[processor.pipeline]
        self.core = kind(msgspec.convert(processor.cycles, kind.Parameters))
        self._decode = _decoder(target, self.core)
        self._decoded: dict[Key, list[Instruction]] = {}
        self._costs: dict[tuple[int, int], int] = {}
        self._filled: dict[Key, Scoreboard] = {}
        self._branches: dict[int, int | None] = {}

    @property
    def limits(self) -> str:
        """What the model leaves out or assumes, in a sentence for the user."""
        return self.core.limits

    def cycles(self, trace: Trace) -> int:
        """Those of a call."""
        issued = sum(
            count * self._cost(edge, trace.blocks) for edge, count in trace.edges.items() if count
        )
        wrong = self.core.mispredicted()
        return issued + (wrong * self._mispredictions(trace) if wrong else 0)

    def _cost(self, edge: tuple[int, int], blocks: dict[int, Block]) -> int:
        """Cycles of a block behind another, or behind code that is not of the trace."""
        if edge not in self._costs:
            first, second = blocks.get(edge[0]), blocks[edge[1]]
            board = Scoreboard(self.core) if first is None else self._filled_by(first).copy()
            started = board.clock
            if first is not None:
                board.clock += self._lost(first, second)
            self._costs[edge] = board.issue(self._instructions(second)).clock - started
        return self._costs[edge]

    def _lost(self, first: Block, second: Block) -> int:
        """Cycles between two blocks, if control does not simply go on."""
        last = self._instructions(first)[-1]
        goes_on = last.transfer is None or second.address == _behind_in_memory(first)
        return 0 if goes_on else self.core.diverted(last)

    def _filled_by(self, block: Block) -> Scoreboard:
        """The pipeline as a block leaves it."""
        key = _key(block)
        if key not in self._filled:
            self._filled[key] = Scoreboard(self.core).issue(self._instructions(block))
        return self._filled[key]

    def _instructions(self, block: Block) -> list[Instruction]:
        key = _key(block)
        if key not in self._decoded:
            self._decoded[key] = [self._decoded_at(*it) for it in block.instructions]
        return self._decoded[key]

    def _decoded_at(self, address: int, code: bytes) -> Instruction:
        found = self._decode(address, code)
        if found is None:
            raise WorkError(f"the instruction {code.hex()} at {address:#x} is not known")
        return found

    def _mispredictions(self, trace: Trace) -> int:
        """How often branches were predicted wrongly, if always the commoner way was expected."""
        ways: dict[int, list[int]] = {}
        for (first, second), count in trace.edges.items():
            behind = self._behind_branch(first, trace.blocks)
            if behind is not None:
                is_taken = trace.blocks[second].address != behind
                ways.setdefault(first, [0, 0])[is_taken] += count
        return sum(map(min, ways.values()))

    def _behind_branch(self, number: int, blocks: dict[int, Block]) -> int | None:
        """Where a block goes on whose branch is not taken; None of one that does not so end."""
        if number not in self._branches:
            block = blocks.get(number)
            self._branches[number] = (
                _behind_in_memory(block)
                if block and self._instructions(block)[-1].transfer is Transfer.BRANCH
                else None
            )
        return self._branches[number]


def _key(block: Block) -> Key:
    return block.address, len(block.instructions)


def _decoder(target: Target, core: Core[Any]) -> Decoder:
    return ibex.riscv_decoder() if core.isa == "riscv" else arm.decoder("-mthumb" in target.flags)


def _behind_in_memory(block: Block) -> int:
    """The address behind a block's last instruction."""
    address, code = block.instructions[-1]
    return address + len(code)
