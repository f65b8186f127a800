"""How often a call does what: counts of operations in the instruction stream of an RV32I.

RV32I is the reference because it has one instruction for each simple operation on words and nothing
else: no rotation, no multiplication, no addressing but by a register and a constant. What other
processors do better or worse is then a matter of prices.

What a narrower processor would need for an operation depends on how many bytes of its words matter.
The instruction does not tell, but what is known of its operands and what becomes of its result do:
see `rv32i/known_bits.py` and `rv32i/demanded_bits.py`. So kinds of operations end with the bits
that matter, or with `address` where a value is only used as one, or as the counter of a loop.

Every instruction that was executed is in exactly one count: they are the sum of the counts, each
times what `INSTRUCTIONS` says. A call of the compiler's multiplications and divisions is one
operation; what these routines execute is kept apart, since only processors without the instruction
execute the like.
"""

from __future__ import annotations

from collections import Counter

import msgspec

from ciphermark.measure.targets.rv32i.demanded_bits import DemandedBits, demanded_bits, saves
from ciphermark.measure.targets.rv32i.flow import INSTRUCTION_BYTES, Flow, flow_of
from ciphermark.measure.targets.rv32i.kinds import kind_of, operation_of, routine_kind, sized_kind
from ciphermark.measure.targets.rv32i.known_bits import WORD, KnownBits, known_bits
from ciphermark.measure.targets.rv32i.rotations import rotations
from ciphermark.measure.targets.trace import Trace

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
    if operation_of(after.function) is not None:  # in place of the call, or jump, that entered it
        totals[_routine_kind(analysis, edge[0], after.function)] += times
        totals[kind] -= times


def _routine_kind(analysis: _Analysis, caller: int, function: str) -> str:
    """What a routine of the compiler's library does for the block that enters it."""
    registers = analysis.known.after[caller]
    behind = analysis.flow.returns_to.get(caller, [])
    demand = 0 if behind else WORD
    for number in behind:
        demand |= analysis.demanded.before[number][_FIRST_ARGUMENT]
    factors = registers[_FIRST_ARGUMENT], registers[_SECOND_ARGUMENT]
    return routine_kind(operation_of(function), function, factors, demand)
