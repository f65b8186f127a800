"""Which block's registers reach which other block, in one execution.

ABI: of what a call returns with, registers that the called function must keep are as they were
before the call; the others are as the function left them. Keeping to this, what is said of one call
of a function does not mix with what is said of another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from ciphermark.measure.targets.rv32i.instructions import LINKS, ZERO, Instruction, decode
from ciphermark.measure.targets.trace import Block, Trace

STACK_POINTER = 2
KEPT = (STACK_POINTER, 8, 9, *range(18, 28))
"""Registers that a function returns as they were: sp, s0 to s11 (RISC-V ELF psABI, 1.1)."""
REGISTERS = range(32)
_CHANGED = tuple(register for register in REGISTERS if register not in KEPT)

INSTRUCTION_BYTES = 4


class Edge(NamedTuple):
    """A way on which registers reach a block, all or some of them."""

    before: int
    after: int
    registers: Iterable[int]


class Flow(msgspec.Struct):
    """The blocks of an execution, decoded, and the ways between them."""

    instructions: dict[int, tuple[Instruction, ...]]
    """By the blocks' numbers."""
    edges: list[Edge]
    returns_to: dict[int, list[int]]
    """Of blocks that end with a call: those behind it, of which there may be several that begin at
    one address."""
    entered: set[int]
    """Blocks that calls go to."""
    starts: set[int]
    """Blocks that are reached from outside."""

    def incoming(self) -> dict[int, list[Edge]]:
        """The edges by the blocks that they go to."""
        return self._by_block((edge.after, edge) for edge in self.edges)

    def outgoing(self) -> dict[int, list[Edge]]:
        """The edges by the blocks that they come from."""
        return self._by_block((edge.before, edge) for edge in self.edges)

    def _by_block(self, edges: Iterable[tuple[int, Edge]]) -> dict[int, list[Edge]]:
        found: dict[int, list[Edge]] = {number: [] for number in self.instructions}
        for number, edge in edges:
            found[number].append(edge)
        return found


def flow_of(trace: Trace) -> Flow:
    """The flow of registers in what was executed."""
    executed = sorted(trace.times().keys() & trace.blocks.keys())
    instructions = {number: _decoded(trace.blocks[number]) for number in executed}
    placed: dict[int, list[int]] = {}
    for number in executed:
        placed.setdefault(trace.blocks[number].address, []).append(number)
    returns_to = {
        number: placed.get(trace.blocks[number].instructions[-1][0] + INSTRUCTION_BYTES, [])
        for number in executed
        if is_call(instructions[number][-1])
    }
    ways = [edge for edge in trace.edges if edge[0] in instructions and edge[1] in instructions]
    return Flow(
        instructions=instructions,
        edges=list(_edges(ways, instructions, returns_to)),
        returns_to=returns_to,
        entered={after for before, after in ways if is_call(instructions[before][-1])},
        starts=instructions.keys() - {after for _, after in ways}
        | {after for before, after in trace.edges if before not in instructions},
    )


def _decoded(block: Block) -> tuple[Instruction, ...]:
    return tuple(decode(int.from_bytes(code, "little")) for _, code in block.instructions)


def is_call(instruction: Instruction) -> bool:
    """Whether an instruction leaves a return address."""
    return instruction.name in ("jal", "jalr") and instruction.rd in LINKS


def _edges(
    ways: Iterable[tuple[int, int]],
    instructions: dict[int, tuple[Instruction, ...]],
    returns_to: dict[int, list[int]],
) -> Iterator[Edge]:
    behind_calls = {after for found in returns_to.values() for after in found}
    for before, after in ways:
        last = instructions[before][-1]
        is_return = last.name == "jalr" and last.rd == ZERO
        yield Edge(before, after, _CHANGED if is_return and after in behind_calls else REGISTERS)
    for before, found in returns_to.items():
        for after in found:
            yield Edge(before, after, KEPT)
