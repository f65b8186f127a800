"""What is said of the bits of values is true of every execution."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.run.targets.rv32i.bits import WORD, demanded_bits, known_bits
from ciphermark.run.targets.rv32i.instructions import Instruction, flow_of
from rv32i_assembler import IMMEDIATE, REGISTER, SHIFTS, block, trace

# Few registers, so that one instruction's result is the next one's operand.
FEW = st.integers(10, 13)
NARROW = st.sampled_from([1, 7, 8, 16, 24, 31])
COMPUTING = st.one_of(
    st.builds(Instruction, st.sampled_from(sorted(REGISTER)), FEW, FEW, FEW, st.just(0)),
    st.builds(Instruction, st.sampled_from(sorted(SHIFTS)), FEW, FEW, st.just(0), NARROW),
    st.builds(
        Instruction,
        *(st.sampled_from(sorted(IMMEDIATE)), FEW, FEW, st.just(0)),
        st.sampled_from([-1, 0, 1, 15, 255, 2047, -256]),
    ),
    st.builds(
        Instruction, st.just("lui"), FEW, st.just(0), st.just(0), st.sampled_from([0x1000, -0x1000])
    ),
)
PROGRAMS = st.lists(COMPUTING, min_size=1, max_size=12)
VALUES = st.lists(st.integers(0, WORD), min_size=4, max_size=4)


def signed(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value


def computed(instruction: Instruction, registers: dict[int, int]) -> int:
    name = instruction.name
    a, b = registers[instruction.rs1], registers[instruction.rs2]
    if name not in REGISTER:
        name, b = name.replace("i", "", 1) if name != "lui" else name, instruction.immediate & WORD
    name = {"sltu": "sltu", "lu": "lui"}.get(name, name)
    results = {
        **{"add": a + b, "sub": a - b, "and": a & b, "or": a | b, "xor": a ^ b, "lui": b},
        **{"sll": a << (b & 31), "srl": a >> (b & 31), "sra": signed(a) >> (b & 31)},
        **{"slt": signed(a) < signed(b), "sltu": a < b},
    }
    return int(results[name]) & WORD


def executed(
    program: list[Instruction], values: list[int], changes: list[int] | None = None
) -> list[int]:
    """The results, with changes of some of their bits; the last is the result of the program."""
    registers = {0: 0, **dict(zip(range(10, 14), values, strict=True))}
    results = []
    for place, instruction in enumerate(program):
        result = computed(instruction, registers) ^ (changes[place] if changes else 0)
        results.append(result)
        registers[instruction.rd] = result
    return results


def storing(program: list[Instruction], store: str) -> list[Instruction]:
    """The program, which then stores its last result."""
    return [
        *program,
        Instruction(store, rs1=2, rs2=program[-1].rd),
        Instruction("jalr", rs1=1),
    ]


@given(PROGRAMS, VALUES)
def test_values_have_the_bits_that_are_known(program: list[Instruction], values: list[int]) -> None:
    flow = flow_of(trace([block(0x100, *program)], {(0, 0x100): 1}))
    known = known_bits(flow).at[0x100]
    for it, result in zip(known, executed(program, values), strict=True):
        assert result & ~it.result.may == 0
        assert result & it.result.must == it.result.must


@pytest.mark.slow
@given(PROGRAMS, VALUES, st.sampled_from([("sb", 0xFF), ("sh", 0xFFFF), ("sw", WORD)]), st.data())
def test_bits_that_are_of_no_use_change_nothing(
    program: list[Instruction], values: list[int], store: tuple[str, int], data: st.DataObject
) -> None:
    flow = flow_of(trace([block(0x100, *storing(program, store[0]))], {(0, 0x100): 1}))
    demanded = demanded_bits(flow, known_bits(flow)).at[0x100]
    changes = [
        data.draw(st.integers(0, WORD)) & ~demand & WORD for demand in demanded[: len(program)]
    ]
    changes[-1] &= ~store[1]
    expected, changed = executed(program, values), executed(program, values, changes)
    assert (expected[-1] ^ changed[-1]) & store[1] == 0


def test_what_grows_in_a_loop_is_a_word() -> None:
    start = block(0x100, Instruction("addi", rd=10))
    loop = block(
        0x104,
        Instruction("addi", rd=10, rs1=10, immediate=1),
        Instruction("bne", rs1=10, rs2=11, immediate=-4),
    )
    edges = {(0, 0x100): 1, (0x100, 0x104): 1, (0x104, 0x104): 9}
    known = known_bits(flow_of(trace([start, loop], edges)))
    assert known.at[0x104][0].result.may == WORD


def test_a_byte_of_a_loop_stays_one() -> None:
    start = block(0x100, Instruction("addi", rd=10))
    loop = block(
        0x104,
        Instruction("addi", rd=10, rs1=10, immediate=1),
        Instruction("andi", rd=10, rs1=10, immediate=255),
        Instruction("bne", rs1=10, rs2=11, immediate=-8),
    )
    edges = {(0, 0x100): 1, (0x100, 0x104): 1, (0x104, 0x104): 9}
    known = known_bits(flow_of(trace([start, loop], edges)))
    assert known.at[0x104][0].first.may == 0xFF
