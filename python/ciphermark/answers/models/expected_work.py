"""What a processor can be expected to execute for a call, from the operations that the call needs
and the processor's description alone.

These are the prices that the model of operations starts from: what any processor of that kind must
do at least, in instructions, and in cycles where cycles are counted. No figure of any processor is
in them. What compilers and pipelines make of it is fitted; see `operation_model.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ciphermark.run.targets.target import Processor
from ciphermark.statistics.quantiles import Floats

Operations = Mapping[str, int]
"""Counts, as `measure/targets/rv32i/operations.py` gives them."""

KINDS = ("data", "address", "shift", "rotate", "load", "store", "flow", "multiply", "divide")
"""Of work. Each has a price of its own."""

_ROUTINE_STEP = 2
"""Instructions of the loop around each bit of a multiplication or a division."""
_LOOP = 3
"""Around each step of a shift in a loop: count, compare, branch."""
_MULTIPLY_STEP = 3
"""For each piece and bit of a multiplication without the instruction: shift two words, add."""
_DIVIDE_STEP = 6
"""For each piece and bit of a division: shift two words, compare, subtract, and set the bit."""
_PARTIAL_PRODUCT = 3
"""A multiplication, and the addition of its two halves."""
_USUAL_SHIFT = 3
"""Steps, beyond whole bytes, of a shift where each takes an instruction for each piece."""
_VARIABLE_SHIFT = 8
_WORD_BITS = 32
"""Of the operations that are counted."""
_WIDTHS = ("-8", "-16", "-32", "-64", "-address")


def expected_work(operations: Operations, processor: Processor) -> Floats:
    """Instructions, or cycles, of each kind of work."""
    machine = _Machine(processor)
    # A simple pipeline waits a cycle for memory, and a cycle behind what is taken.
    waiting = 1 if processor.metric == "instructions" else 2
    return np.array(
        [
            machine.data(operations),
            machine.address(operations),
            machine.shift(operations),
            machine.rotate(operations),
            waiting * machine.memory("load", operations),
            waiting * machine.memory("store", operations),
            _flow(operations, waiting),
            machine.multiply(operations),
            machine.divide(operations),
        ],
        dtype=float,
    )


def expected_works(them: Sequence[Operations], processor: Processor) -> Floats:
    """The same for many calls, a row for each: work is proportional to the counts."""
    kinds = sorted(set().union(*them))
    each = np.array([expected_work({kind: 1}, processor) for kind in kinds])
    counts: Floats = np.array([[it.get(kind, 0) for kind in kinds] for it in them], dtype=float)
    works: Floats = counts @ each
    return works


def tell_work(operations: Operations | None) -> bool:
    """Whether counts tell how wide operations are, as those do that are of some use here."""
    return any(kind.endswith(_WIDTHS) for kind in operations or ())


def _flow(operations: Operations, taken_cost: int) -> float:
    taken = sum(operations.get(kind, 0) for kind in ("branch-taken", "jump", "call"))
    return operations.get("branch-untaken", 0) + taken_cost * taken


class _Machine:
    """What follows from a processor's description."""

    def __init__(self, processor: Processor) -> None:
        self._processor = processor
        self._width = processor.bus_width_bits
        # Of processors for small memories; C's int and size_t are as wide.
        self._address_bits = 16 if self._width <= 16 else _WORD_BITS
        # A complex instruction shifts by any distance; what time it takes is not an instruction.
        is_counted_once = processor.isa == "cisc" and processor.metric == "instructions"
        self._has_shifter = processor.has_variable_shift or is_counted_once

    def data(self, operations: Operations) -> float:
        """Arithmetic, logic and moves, a word at a time."""
        plain = sum(
            self._pieces(bits) * count
            for kind in ("add", "logic", "compare", "move", "constant")
            for bits, count in _sized(kind, operations)
        )
        moves = operations.get("move-address", 0) + operations.get("constant-address", 0)
        # Bytes lie in registers of their own where these have eight bits.
        joins = 0 if self._width == 8 else operations.get("join", 0)
        return plain + self._pieces(self._address_bits) * moves + joins

    def address(self, operations: Operations) -> float:
        """Arithmetic on addresses and counters."""
        count = sum(operations.get(f"{kind}-address", 0) for kind in ("add", "logic", "compare"))
        shifts = operations.get("shift-address", 0)
        own = self._shifted(self._address_bits, _USUAL_SHIFT - 1)
        return self._pieces(self._address_bits) * count + own * shifts

    def shift(self, operations: Operations) -> float:
        """Shifts, where there is no shifter by loops or sequences of single steps."""
        by_bytes = 0 if self._width == 8 else 1  # a byte has another name then
        constant = sum(
            self._shifted(bits, _USUAL_SHIFT) * count for bits, count in _sized("shift", operations)
        )
        variable = sum(
            self._shifted(bits, _VARIABLE_SHIFT) * count
            for bits, count in _sized("shift-variable", operations)
        )
        moves = sum(self._pieces(bits) * count for bits, count in _sized("shift-bytes", operations))
        return constant + variable + by_bytes * moves

    def rotate(self, operations: Operations) -> float:
        """Rotations of 32-bit words."""
        constant, variable = operations.get("rotate", 0), operations.get("rotate-variable", 0)
        by_bytes = operations.get("rotate-bytes", 0)
        pieces = self._pieces(_WORD_BITS)
        if self._has_shifter:
            each = 1 if self._processor.has_rotate else 3  # two shifts and a join
            return each * pieces * (constant + variable + by_bytes)
        # Left by some and right by the rest: together a step for each bit of the word.
        whole = self._shifted(_WORD_BITS, _WORD_BITS)
        return whole * (constant + variable) + pieces * by_bytes

    def memory(self, kind: str, operations: Operations) -> float:
        """Loads or stores, a word at a time."""
        sized = sum(self._pieces(bits) * count for bits, count in _sized(kind, operations))
        addresses = operations.get(f"{kind}-address", 0)
        return sized + self._pieces(self._address_bits) * addresses

    def multiply(self, operations: Operations) -> float:
        """Multiplications, in pieces of what the instruction takes, or by a routine."""
        if self._processor.multiply_bits == 0 and self._width >= _WORD_BITS:
            return operations.get("in-multiply", 0)  # as the reference does it
        return sum(
            self._product(bits) * count
            for bits, count in self._sized_or_address("multiply", operations)
        )

    def divide(self, operations: Operations) -> float:
        """Divisions and remainders."""
        if not self._processor.has_divide and self._width >= _WORD_BITS:
            return operations.get("in-divide", 0)
        return sum(
            self._quotient(bits) * count
            for bits, count in self._sized_or_address("divide", operations)
        )

    def _product(self, bits: int) -> float:
        instruction = self._processor.multiply_bits
        if instruction == 0:
            pieces = self._pieces(max(bits, _WORD_BITS))  # C multiplies words
            return bits * (_ROUTINE_STEP + _MULTIPLY_STEP * pieces)
        if bits <= instruction:
            return 1
        return _PARTIAL_PRODUCT * (bits // instruction) ** 2

    def _quotient(self, bits: int) -> float:
        if self._processor.has_divide and bits <= self._width:
            return 2  # and a multiplication for the remainder
        return bits * (_ROUTINE_STEP + _DIVIDE_STEP * self._pieces(bits))

    def _shifted(self, bits: int, distance: int) -> float:
        """A shift by so many bits; without a shifter, of one register in a sequence of steps, of
        several in a loop."""
        pieces = self._pieces(bits)
        if self._has_shifter:
            return pieces
        return distance * (pieces if pieces == 1 else pieces + _LOOP)

    def _pieces(self, bits: int) -> int:
        """How many words of the processor so many bits take."""
        return -(-bits // self._width)

    def _sized_or_address(self, kind: str, operations: Operations) -> Iterator[tuple[int, int]]:
        yield from _sized(kind, operations)
        yield self._address_bits, operations.get(f"{kind}-address", 0)


def _sized(kind: str, operations: Operations) -> Iterator[tuple[int, int]]:
    """Widths of a kind of operation on data, in bits, with their counts."""
    for bits in (8, 16, 32, 64):
        yield bits, operations.get(f"{kind}-{bits}", 0)
