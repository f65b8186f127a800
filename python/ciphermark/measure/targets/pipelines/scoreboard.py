"""Instructions that are issued in order, each as soon as what it reads is there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from ciphermark.errors import WorkError
from ciphermark.measure.targets.pipelines.core import Core, Timing
from ciphermark.measure.targets.pipelines.instruction import MULTIPLICATIONS, Instruction


class Scoreboard:
    """A core's pipeline between two instructions; times in cycles since it was empty."""

    def __init__(self, core: Core) -> None:
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
