"""A core that issues one instruction at a time, in order: what the models have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, ClassVar, Literal, NamedTuple

import msgspec

from ciphermark.measure.targets.pipelines.instruction import Instruction

Cycles = Annotated[int, msgspec.Meta(ge=0, le=1000)]
"""Of a parameter; more is no pipeline's."""


class Timing(NamedTuple):
    """Of an instruction, in cycles from the one in which it is issued."""

    issue: int
    """Until the next instruction can be issued."""
    result: int
    """Until an instruction can be issued that uses its result."""
    early_result: int
    """The same, where that instruction needs it early."""
    multiplier: int = 0
    """Until another multiplication can be issued."""
    trailing: tuple[int, ...] = ()
    """By how much the last results come later than the others."""

    @classmethod
    def plain(cls, cycles: int) -> Timing:
        """Of an instruction that is over when the next begins."""
        return cls(cycles, cycles, cycles)

    def later(self, cycles: int) -> Timing:
        """The same, all of it so much later."""
        times = (self.issue, self.result, self.early_result, self.multiplier)
        return Timing(*(it + cycles for it in times), self.trailing)


class Core(ABC):
    """The times of a core. Its parameters are the table `[processor.cycles]` of a target's file."""

    isa: ClassVar[Literal["arm", "riscv"]]
    Parameters: ClassVar[type[msgspec.Struct]]
    """All needed, in whole cycles."""
    limits: ClassVar[str]
    """What the model leaves out or assumes, in a sentence for the user."""

    @abstractmethod
    def __init__(self, parameters: msgspec.Struct) -> None:
        """`parameters` are its own `Parameters`."""

    @abstractmethod
    def timing(self, instruction: Instruction, previous: Instruction | None) -> Timing | None:
        """Of an instruction behind `previous`; None if the core is not known to have it."""

    @abstractmethod
    def diverted(self, instruction: Instruction) -> int:
        """Cycles that are lost when what follows is not the next instruction in memory."""

    def early(self, instruction: Instruction) -> frozenset[int]:
        """Registers that an instruction needs early."""
        return frozenset()

    def mispredicted(self) -> int:
        """Cycles that a wrong prediction costs where branches are predicted, so that `diverted`
        tells nothing of those."""
        return 0
