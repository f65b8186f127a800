"""A core that issues one instruction at a time, in order: what the models have in common, and what
they know of an instruction.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from enum import Enum, auto
from typing import Annotated, ClassVar, Generic, Literal, NamedTuple, TypeVar

import msgspec


class Kind(Enum):
    """The work of an instruction, as far as its time differs."""

    SIMPLE = auto()
    """Arithmetic, logic, shifts, moves, branches."""
    MULTIPLY = auto()
    """Of which the lower word is kept."""
    LONG_MULTIPLY = auto()
    """Of which both words are kept, or the upper one."""
    DIVIDE = auto()
    LOAD = auto()
    STORE = auto()
    LOAD_DOUBLE = auto()
    """Of two registers, from an even address."""
    STORE_DOUBLE = auto()
    LOAD_MULTIPLE = auto()
    """Of any number of registers that the instruction lists."""
    STORE_MULTIPLE = auto()


MULTIPLICATIONS = frozenset({Kind.MULTIPLY, Kind.LONG_MULTIPLY})
LOADS = frozenset({Kind.LOAD, Kind.LOAD_DOUBLE, Kind.LOAD_MULTIPLE})
STORES = frozenset({Kind.STORE, Kind.STORE_DOUBLE, Kind.STORE_MULTIPLE})


class Transfer(Enum):
    """How an instruction may send control elsewhere."""

    BRANCH = auto()
    """To an address that stands in it, under a condition."""
    JUMP = auto()
    """To an address that stands in it, in any case."""
    CALL = auto()
    """To an address that stands in it, whence it comes back."""
    REGISTER = auto()
    """To an address in a register."""
    LOADED = auto()
    """To an address that it loads."""


class Instruction(NamedTuple):
    """One, decoded. Registers are numbers that only have to differ."""

    name: str
    """Without its condition and operands."""
    kind: Kind
    transfer: Transfer | None = None
    reads: frozenset[int] = frozenset()
    results: tuple[int, ...] = ()
    """Registers that it is there to write, in the order in which they get their values; an address
    register that it advances is none of them."""
    address: frozenset[int] = frozenset()
    """What of `reads` a memory address is made of."""
    shifted: frozenset[int] = frozenset()
    """What of `reads` passes the shifter, by a constant distance, before it is used."""
    is_shifted_by_register: bool = False
    registers: int = 0
    """How many are loaded or stored."""


Decoder = Callable[[int, bytes], Instruction | None]
"""Of an address and the code there to an instruction; None if the code is not known."""


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
        return self._replace(
            issue=self.issue + cycles,
            result=self.result + cycles,
            early_result=self.early_result + cycles,
            multiplier=self.multiplier + cycles,
        )


P = TypeVar("P", bound=msgspec.Struct)


class Core(ABC, Generic[P]):
    """The times of a core. Its parameters are the table `[processor.cycles]` of a target's file."""

    isa: ClassVar[Literal["arm", "riscv"]]
    Parameters: ClassVar[type[msgspec.Struct]]
    """All needed, in whole cycles."""
    limits: ClassVar[str]
    """What the model leaves out or assumes, in a sentence for the user."""

    def __init__(self, parameters: P) -> None:
        """`parameters` are its own `Parameters`."""
        self.cycles = parameters

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
