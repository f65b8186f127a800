"""What a model of a pipeline knows of an instruction, whatever its instruction set."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import NamedTuple


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
