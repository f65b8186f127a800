"""The kinds of operations that instructions are, and how many bits of their words matter.

Rotations in instructions without one: a shift left and a shift right of one value, joined.

The distances of constant shifts must make up a word. Of shifts by registers only their directions
and the value are compared: no compiler joins opposite shifts of one value for anything else.

How often a call does what: counts of operations in the instruction stream of an RV32I.

RV32I is the reference because it has one instruction for each simple operation on words and nothing
else: no rotation, no multiplication, no addressing but by a register and a constant. What other
processors do better or worse is then a matter of prices.

What a narrower processor would need for an operation depends on how many bytes of its words matter.
The instruction does not tell, but what is known of its operands and what becomes of its result do:
see `rv32i/bits.py`. So kinds of operations end with the bits
that matter, or with `address` where a value is only used as one, or as the counter of a loop.

Every instruction that was executed is in exactly one count: they are the sum of the counts, each
times what `INSTRUCTIONS` says. A call of the compiler's multiplications and divisions is one
operation; what these routines execute is kept apart, since only processors without the instruction
execute the like.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import msgspec

from ciphermark.run.targets.intervals import Trace
from ciphermark.run.targets.rv32i.bits import (
    WORD,
    Bits,
    DemandedBits,
    Known,
    KnownBits,
    demanded_bits,
    known_bits,
    saves,
)
from ciphermark.run.targets.rv32i.instructions import (
    INSTRUCTION_BYTES,
    ZERO,
    Flow,
    Instruction,
    flow_of,
    is_call,
)

_KINDS = {
    "add": ("add", "sub", "addi"),
    "logic": ("and", "or", "xor", "andi", "ori", "xori"),
    "shift": ("slli", "srli", "srai"),
    "shift-variable": ("sll", "srl", "sra"),
    "compare": ("slt", "sltu", "slti", "sltiu"),
    "constant": ("lui", "auipc"),
    "load-8": ("lb", "lbu"),
    "load-16": ("lh", "lhu"),
    "load": ("lw",),
    "store-8": ("sb",),
    "store-16": ("sh",),
    "store": ("sw",),
    "branch": ("beq", "bne", "blt", "bge", "bltu", "bgeu"),
    "jump": ("jal", "jalr"),
    "other": ("fence", "system"),
}
_KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names}

_WITH_WIDTH = ("add", "logic", "shift", "shift-bytes", "shift-variable", "compare")
_MOVES = ("move", "constant", "load")
_JOINS = ("add", "or", "xor")

ROUTINES = {
    "multiply": ("__mulsi3", "__muldi3"),
    "divide": (
        *("__divsi3", "__udivsi3", "__modsi3", "__umodsi3", "__hidden___udivsi3"),
        *("__divdi3", "__udivdi3", "__moddi3", "__umoddi3"),
    ),
}
"""The compiler's multiplications and divisions, by their symbols in libgcc."""
_OPERATION_OF = {symbol: kind for kind, symbols in ROUTINES.items() for symbol in symbols}


def operation_of(function: str) -> str | None:
    """Which operation a function of the compiler's library computes, if it is one of these."""
    return _OPERATION_OF.get(function)


def kind_of(instruction: Instruction) -> str:
    """What an instruction does, by itself."""
    name, immediate = instruction.name, instruction.immediate
    if name == "addi" and instruction.rs1 == ZERO:
        return "constant"
    if name == "addi" and immediate == 0:
        return "move"
    if is_call(instruction):
        return "call"
    kind = _KIND_OF[name]
    return "shift-bytes" if kind == "shift" and immediate % 8 == 0 else kind


def sized_kind(instruction: Instruction, known: Known, demand: int, is_save: bool) -> str:
    """What an instruction does, and to how many bits that matter."""
    kind = kind_of(instruction)
    if kind == "store":
        return "store-address" if is_save else "store-32"
    if kind in _WITH_WIDTH and instruction.name in _JOINS and _is_join(known, demand):
        return "join"
    if kind in _WITH_WIDTH or kind in _MOVES:
        return f"{kind}-{width(known.result, demand)}"
    return kind


def width(value: Bits, demand: int) -> str:
    """How many bits of a value matter: 8, 16 or 32, or those of an address."""
    if not demand & WORD:
        return "address"
    count = len(_places(value.may & demand))
    return "8" if count < 2 else "16" if count == 2 else "32"


def routine_kind(operation: str, function: str, factors: tuple[Bits, Bits], demand: int) -> str:
    """What a routine of the compiler's library does, whose result is needed so far.

    The narrower factor of a multiplication counts, and the wider operand of a division. Where the
    result is an address, operands are as well.
    """
    if function.endswith("di3"):
        return f"{operation}-64"
    if not demand & WORD:
        return f"{operation}-address"
    chosen = (min if operation == "multiply" else max)(factors)
    return f"{operation}-{width(chosen, WORD)}"


def _is_join(known: Known, demand: int) -> bool:
    """Whether two values that have no byte in common are put together."""
    data = demand & WORD
    return data != 0 and not _places(known.first.may & data) & _places(known.second.may & data)


def _places(bits: int) -> set[int]:
    """Which bytes of a word have any of these bits."""
    return {place for place in range(4) if bits >> 8 * place & 0xFF}


Rotation = Literal["rotate", "rotate-bytes", "rotate-variable"]
"""By a constant, by a multiple of eight, by a register."""

WORD_BITS = 32
_OPPOSITE = {"slli": "srli", "srli": "slli", "sll": "srl", "srl": "sll"}
_JOINED = ("or", "xor", "add")
"""Of halves that have no bit in common all three are the same."""


class _Shift(NamedTuple):
    """A shift whose result a register holds."""

    place: int
    """Of the instruction in its block."""
    name: str
    source: int
    """The value that was shifted: the place of the instruction that wrote it, or less than 0."""
    distance: int


class _Values:
    """What the registers hold at a place of a block."""

    def __init__(self) -> None:
        self._writer: dict[int, int] = {}
        self.shifts: dict[int, _Shift] = {}
        """By the register that holds the result."""

    def source(self, register: int) -> int:
        """Which value a register holds; those from before the block have numbers below 0."""
        return self._writer.get(register, -1 - register)

    def write(self, place: int, instruction: Instruction) -> None:
        """Lets the instruction at a place have its effect."""
        source = self.source(instruction.rs1)
        self.shifts.pop(instruction.rd, None)
        self._writer[instruction.rd] = place
        if instruction.name in _OPPOSITE:
            shift = _Shift(place, instruction.name, source, instruction.immediate)
            self.shifts[instruction.rd] = shift


def rotations(instructions: Sequence[Instruction]) -> Iterator[tuple[Rotation, tuple[int, ...]]]:
    """The rotations of a block, each with the places of its three instructions.

    No instruction belongs to two.
    """
    values, taken = _Values(), set[int]()
    for place, instruction in enumerate(instructions):
        if halves := _halves(values, instruction):
            first, second = halves
            if not taken & {first.place, second.place}:
                taken |= {first.place, second.place}
                yield _kind(first), (first.place, second.place, place)
        values.write(place, instruction)


def _halves(values: _Values, instruction: Instruction) -> tuple[_Shift, _Shift] | None:
    """The two shifts that an instruction joins to a rotation, if it does."""
    first, second = values.shifts.get(instruction.rs1), values.shifts.get(instruction.rs2)
    if instruction.name not in _JOINED or first is None or second is None:
        return None
    if first.source != second.source or _OPPOSITE[first.name] != second.name:
        return None
    is_whole = _is_variable(first) or first.distance + second.distance == WORD_BITS
    return (first, second) if is_whole else None


def _is_variable(shift: _Shift) -> bool:
    return not shift.name.endswith("i")


def _kind(shift: _Shift) -> Rotation:
    if _is_variable(shift):
        return "rotate-variable"
    return "rotate" if shift.distance % 8 else "rotate-bytes"


INSTRUCTIONS = {"rotate": 3, "rotate-bytes": 3, "rotate-variable": 3}
"""Of which an operation consists, where these are not one."""

_FIRST_ARGUMENT, _SECOND_ARGUMENT = 10, 11
"""Registers a0, which also holds the result, and a1."""


class _Analysis(msgspec.Struct):
    """An execution with what is known of its values."""

    trace: Trace
    flow: Flow
    known: KnownBits
    demanded: DemandedBits


def counts(trace: Trace) -> dict[str, int]:
    """How often each kind of operation was executed; kinds that were not are left out."""
    flow = flow_of(trace)
    known = known_bits(flow)
    analysis = _Analysis(trace, flow, known, demanded_bits(flow, known))
    totals = Counter[str]()
    for number, times in trace.times().items():
        if number in flow.instructions:
            for kind, count in _block_counts(analysis, number).items():
                totals[kind] += times * count
    for edge, times in trace.edges.items():
        if flow.instructions.keys() >= set(edge):
            _count_edge(totals, analysis, edge, times)
    totals["branch-taken"] = totals.pop("branch", 0) - totals["branch-untaken"]
    # What is less than a function that does nothing has, which was subtracted, is none.
    return {kind: totals[kind] for kind in sorted(totals) if totals[kind] > 0}


def _block_counts(analysis: _Analysis, number: int) -> Counter[str]:
    """What the instructions of a block do."""
    instructions = analysis.flow.instructions[number]
    operation = operation_of(analysis.trace.blocks[number].function)
    if operation is not None:
        return Counter({f"in-{operation}": len(instructions)})
    saved = saves(instructions) if number in analysis.flow.entered else set()
    known, demanded = analysis.known.at[number], analysis.demanded.at[number]
    totals, rotated = Counter[str](), set[int]()
    for rotation, places in rotations(instructions):
        totals[rotation] += 1
        rotated.update(places)
    for place, instruction in enumerate(instructions):
        if place not in rotated:
            is_save = place in saved
            totals[sized_kind(instruction, known[place], demanded[place], is_save)] += 1
    return totals


def _count_edge(
    totals: Counter[str], analysis: _Analysis, edge: tuple[int, int], times: int
) -> None:
    """Counts what an edge tells: that a branch was not taken, or that a routine was entered."""
    before, after = (analysis.trace.blocks[number] for number in edge)
    if operation_of(before.function) is not None:
        return
    kind = kind_of(analysis.flow.instructions[edge[0]][-1])
    if kind == "branch" and after.address == before.instructions[-1][0] + INSTRUCTION_BYTES:
        totals["branch-untaken"] += times
    operation = operation_of(after.function)
    if operation is not None:  # in place of the call, or jump, that entered it
        totals[_routine_kind(analysis, edge[0], operation, after.function)] += times
        totals[kind] -= times


def _routine_kind(analysis: _Analysis, caller: int, operation: str, function: str) -> str:
    """What a routine of the compiler's library does for the block that enters it."""
    registers = analysis.known.after[caller]
    behind = analysis.flow.returns_to.get(caller, [])
    demand = 0 if behind else WORD
    for number in behind:
        demand |= analysis.demanded.before[number][_FIRST_ARGUMENT]
    factors = registers[_FIRST_ARGUMENT], registers[_SECOND_ARGUMENT]
    return routine_kind(operation, function, factors, demand)
