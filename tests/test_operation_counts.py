"""RV32I is decoded as its manual says, and every instruction that was executed is counted once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.run.targets.intervals import Trace
from ciphermark.run.targets.rv32i.instructions import Instruction, decode
from ciphermark.run.targets.rv32i.operations import INSTRUCTIONS, counts, kind_of
from rv32i_assembler import (
    BRANCHES,
    IMMEDIATE,
    LOADS,
    REGISTER,
    SHIFTS,
    STORES,
    UPPER,
    block,
    trace,
    word,
)

ASSEMBLED = [
    # By the assembler of GNU binutils.
    (0xFFFFF537, Instruction("lui", rd=10, immediate=-4096)),
    (0x00001097, Instruction("auipc", rd=1, immediate=4096)),
    (0x801FF0EF, Instruction("jal", rd=1, immediate=-2048)),
    (0x0040006F, Instruction("jal", immediate=4)),
    (0x00C280E7, Instruction("jalr", rd=1, rs1=5, immediate=12)),
    (0x80B50063, Instruction("beq", rs1=10, rs2=11, immediate=-4096)),
    (0x7E051FE3, Instruction("bne", rs1=10, immediate=4094)),
    (0xFFEFFCE3, Instruction("bgeu", rs1=31, rs2=30, immediate=-8)),
    (0x80010503, Instruction("lb", rd=10, rs1=2, immediate=-2048)),
    (0x0005D503, Instruction("lhu", rd=10, rs1=11)),
    (0xFEC68FA3, Instruction("sb", rs1=13, rs2=12, immediate=-1)),
    (0x80C6A023, Instruction("sw", rs1=13, rs2=12, immediate=-2048)),
    (0x00153513, Instruction("sltiu", rd=10, rs1=10, immediate=1)),
    (0x0FF57513, Instruction("andi", rd=10, rs1=10, immediate=255)),
    (0x01F51513, Instruction("slli", rd=10, rs1=10, immediate=31)),
    (0x40155513, Instruction("srai", rd=10, rs1=10, immediate=1)),
    (0x40C58533, Instruction("sub", rd=10, rs1=11, rs2=12)),
    (0x40C5D533, Instruction("sra", rd=10, rs1=11, rs2=12)),
    (0x00C5F533, Instruction("and", rd=10, rs1=11, rs2=12)),
    (0x0FF0000F, Instruction("fence")),
    (0x00100073, Instruction("system", immediate=1)),
]
RETURN = Instruction("jalr", rs1=1)
LOOP = Instruction("bne", rs1=10, immediate=-8)


@pytest.mark.parametrize(("code", "expected"), ASSEMBLED, ids=lambda it: getattr(it, "name", ""))
def test_decoding(code: int, expected: Instruction) -> None:
    assert decode(code) == expected


@pytest.mark.parametrize(
    "code",
    [
        *(0x00000000, 0xFFFFFFFF, 0x00004505),
        0x02C58533,  # mul
        0x60059513,  # clz
        0x40C59533,  # a shift left with the bit of an arithmetic one
        0x00B52063,  # a branch that there is not
        0x00003503,  # ld
        0x30200073,  # mret
    ],
)
def test_what_is_not_rv32i_is_refused(code: int) -> None:
    with pytest.raises(ValueError, match=f"{code:#010x} is no instruction of RV32I"):
        decode(code)


REGISTERS = st.integers(0, 31)
SIGNED = st.integers(-2048, 2047)


def of(names: dict[str, object], **fields: st.SearchStrategy[int]) -> st.SearchStrategy:
    """Instructions of these names, with 0 in the fields that they do not have."""
    absent = dict.fromkeys(Instruction._fields[1:], st.just(0))
    return st.builds(Instruction, st.sampled_from(sorted(names)), **{**absent, **fields})


STRAIGHT = st.one_of(
    of(REGISTER, rd=REGISTERS, rs1=REGISTERS, rs2=REGISTERS),
    of(IMMEDIATE, rd=REGISTERS, rs1=REGISTERS, immediate=SIGNED),
    of(SHIFTS, rd=REGISTERS, rs1=REGISTERS, immediate=st.integers(0, 31)),
    of(LOADS, rd=REGISTERS, rs1=REGISTERS, immediate=SIGNED),
    of(STORES, rs1=REGISTERS, rs2=REGISTERS, immediate=SIGNED),
    of(
        UPPER, rd=REGISTERS, immediate=st.integers(-(1 << 19), (1 << 19) - 1).map(lambda i: i << 12)
    ),
    st.sampled_from([Instruction("fence"), Instruction("system")]),
)
LEAPS = st.one_of(
    of(BRANCHES, rs1=REGISTERS, rs2=REGISTERS, immediate=SIGNED.map(lambda i: 2 * i)),
    of(
        {"jal": 0},
        rd=REGISTERS,
        immediate=st.integers(-(1 << 19), (1 << 19) - 1).map(lambda i: 2 * i),
    ),
    of({"jalr": 0}, rd=REGISTERS, rs1=REGISTERS, immediate=SIGNED),
)


@given(st.one_of(STRAIGHT, LEAPS))
def test_decoding_undoes_assembling(instruction: Instruction) -> None:
    assert decode(word(instruction)) == instruction


@given(st.lists(STRAIGHT, max_size=30), LEAPS, st.integers(1, 1000))
def test_every_instruction_is_counted_once(
    straight: list[Instruction], leap: Instruction, times: int
) -> None:
    executed = trace([block(0x100, *straight, leap)], {(0, 0x100): times})
    found = counts(executed)
    total = sum(count * INSTRUCTIONS.get(kind, 1) for kind, count in found.items())
    assert total == times * (len(straight) + 1)
    assert all(count > 0 for count in found.values())


@pytest.mark.parametrize(
    ("instruction", "kind"),
    [
        (Instruction("addi", rd=10, rs1=11, immediate=1), "add"),
        (Instruction("addi", rd=10, rs1=11), "move"),
        (Instruction("addi", rd=10, immediate=7), "constant"),
        (Instruction("lui", rd=10, immediate=4096), "constant"),
        (Instruction("xori", rd=10, rs1=10, immediate=-1), "logic"),
        (Instruction("srai", rd=10, rs1=10, immediate=3), "shift"),
        (Instruction("slli", rd=10, rs1=10, immediate=24), "shift-bytes"),
        (Instruction("sll", rd=10, rs1=10, rs2=11), "shift-variable"),
        (Instruction("sltu", rd=10, rs1=10, rs2=11), "compare"),
        (Instruction("lbu", rd=10, rs1=11), "load-8"),
        (Instruction("sh", rs1=11, rs2=10), "store-16"),
        (Instruction("bltu", rs1=11, rs2=10, immediate=8), "branch"),
        (Instruction("jal", rd=1, immediate=64), "call"),
        (Instruction("jal", immediate=64), "jump"),
        (RETURN, "jump"),
        (Instruction("fence"), "other"),
    ],
    ids=lambda it: it if isinstance(it, str) else "",
)
def test_kinds(instruction: Instruction, kind: str) -> None:
    assert kind_of(instruction) == kind


def counted(*instructions: Instruction) -> dict[str, int]:
    """Counts of what is then stored: the word in x10, at the address in x11, and the return."""
    stored = Instruction("sw", rs1=11, rs2=10)
    found = counts(trace([block(0x100, *instructions, stored, RETURN)], {(0, 0x100): 1}))
    assert found.pop("store-32") == found.pop("jump") == 1
    return found


def rotation(distance: int, back: int, join: str = "or") -> list[Instruction]:
    return [
        Instruction("slli", rd=5, rs1=10, immediate=distance),
        Instruction("srli", rd=10, rs1=10, immediate=back),
        Instruction(join, rd=10, rs1=10, rs2=5),
    ]


def test_a_rotation_is_one_operation() -> None:
    assert counted(*rotation(7, 25)) == {"rotate": 1}
    assert counted(*rotation(16, 16)) == {"rotate-bytes": 1}


def test_other_instructions_may_stand_within_a_rotation() -> None:
    first, *rest = rotation(7, 25, "xor")
    between = Instruction("addi", rd=11, rs1=11, immediate=1)
    assert counted(first, between, *rest) == {"rotate": 1, "add-address": 1}


def test_shifts_that_do_not_make_up_a_word_are_shifts() -> None:
    assert counted(*rotation(7, 24)) == {"shift-32": 1, "shift-bytes-8": 1, "logic-32": 1}


def test_shifts_of_two_values_are_no_rotation() -> None:
    left, right, join = rotation(7, 25)
    between = Instruction("lw", rd=10, rs1=12)
    found = counted(left, between, right, join)
    assert found == {"shift-32": 1, "load-8": 1, "shift-8": 1, "logic-32": 1}


def test_a_rotation_by_a_register() -> None:
    found = counted(
        Instruction("sub", rd=6, rs1=0, rs2=11),
        Instruction("sll", rd=5, rs1=10, rs2=11),
        Instruction("srl", rd=10, rs1=10, rs2=6),
        Instruction("or", rd=10, rs1=5, rs2=10),
    )
    assert found == {"add-8": 1, "rotate-variable": 1}


def test_a_half_belongs_to_one_rotation() -> None:
    left, right, join = rotation(7, 25)
    kept = right._replace(rd=7)
    again = join._replace(rs1=7, rd=8)
    found = counted(left, kept, again, again, Instruction("add", rd=10, rs1=8, rs2=8))
    assert found["rotate"] == 1
    assert found["logic-32"] == 1


def test_of_a_word_that_was_a_byte_only_a_byte_matters() -> None:
    load = Instruction("lbu", rd=10, rs1=12)
    assert counted(load, Instruction("xori", rd=10, rs1=10, immediate=5)) == {
        **{"load-8": 1, "logic-8": 1}
    }


def test_of_what_becomes_a_byte_only_a_byte_matters() -> None:
    mask = Instruction("andi", rd=10, rs1=10, immediate=255)
    assert counted(Instruction("add", rd=10, rs1=10, rs2=13), mask) == {"add-8": 1, "logic-8": 1}


def test_bytes_that_have_none_in_common_are_joined() -> None:
    found = counted(
        Instruction("lbu", rd=5, rs1=12),
        Instruction("lbu", rd=10, rs1=12, immediate=1),
        Instruction("slli", rd=10, rs1=10, immediate=8),
        Instruction("or", rd=10, rs1=10, rs2=5),
    )
    assert found == {"load-8": 2, "shift-bytes-8": 1, "join": 1}


def test_addresses_have_a_width_of_their_own() -> None:
    found = counted(
        Instruction("slli", rd=13, rs1=13, immediate=2),
        Instruction("add", rd=12, rs1=12, rs2=13),
        Instruction("lw", rd=12, rs1=12),
        Instruction("lw", rd=10, rs1=12),
    )
    assert found == {"shift-address": 1, "add-address": 1, "load-address": 1, "load-32": 1}


def test_branches_are_taken_or_not() -> None:
    start = block(0x100, Instruction("addi", rd=10, rs1=10, immediate=-1), LOOP)
    end = block(0x108, RETURN)
    executed = trace([start, end], {(0, 0x100): 1, (0x100, 0x100): 9, (0x100, 0x108): 1})
    assert counts(executed) == {
        **{"add-address": 10, "branch-taken": 9, "branch-untaken": 1, "jump": 1}
    }


def test_blocks_go_by_numbers_of_which_several_may_have_one_address() -> None:
    """As where a simulator has translated a loop's end again, to begin elsewhere."""
    loop = [Instruction("addi", rd=10, rs1=10, immediate=-1), LOOP]
    whole, rest, end = block(0x100, *loop), block(0x104, loop[1]), block(0x108, RETURN)
    blocks = {1: whole, 2: rest, 3: block(0x104, loop[1]), 4: end}
    executed = Trace(blocks=blocks, edges={(0, 2): 1, (2, 1): 1, (1, 4): 1, (0, 3): 1, (3, 4): 1})
    assert counts(executed) == {
        **{"add-address": 1, "branch-taken": 1, "branch-untaken": 2, "jump": 2}
    }


def test_what_was_subtracted_is_no_operation() -> None:
    """Edges are beyond those of a function that does nothing, so there may be fewer than none."""
    kernel, nothing = block(0x100, RETURN), block(0x200, Instruction("addi", rd=10), RETURN)
    executed = Trace(blocks={1: kernel, 2: nothing}, edges={(0, 1): 1, (0, 2): -1})
    assert counts(executed) == {}


def test_a_call_keeps_what_its_abi_keeps() -> None:
    """s0 is data in the caller and saved, changed and restored in the function that it calls."""
    call = block(
        0x100, Instruction("add", rd=8, rs1=8, rs2=9), Instruction("jal", rd=1, immediate=0x100)
    )
    behind = block(0x108, Instruction("sh", rs1=11, rs2=8), RETURN)
    function = block(
        0x204,
        Instruction("sw", rs1=2, rs2=8),
        Instruction("addi", rd=8, rs1=10, immediate=4),
        Instruction("lw", rd=10, rs1=8),
        Instruction("lw", rd=8, rs1=2),
        RETURN,
    )
    edges = {(0, 0x100): 1, (0x100, 0x204): 1, (0x204, 0x108): 1}
    found = counts(trace([call, behind, function], edges))
    assert found == {
        **{"add-16": 1, "call": 1, "store-address": 1, "add-address": 1, "load-address": 2},
        **{"store-16": 1, "jump": 2},
    }


def multiplication(name: str, *before: Instruction) -> dict[str, int]:
    """Of a product that is stored."""
    call = block(0x100, *before, Instruction("jal", rd=1, immediate=0x100))
    behind = block(0x104 + 4 * len(before), Instruction("sw", rs1=12, rs2=10), RETURN)
    inner = block(0x300, RETURN, function="__mulsi3")
    first = block(0x200, Instruction("jal", rd=5, immediate=0x100), function=name)
    rest = block(0x204, Instruction("addi", rd=1, rs1=1), RETURN, function=name)
    edges = {(0, 0x100): 1, (0x100, 0x200): 1, (0x200, 0x300): 1, (0x300, 0x204): 1}
    return counts(trace([call, behind, first, inner, rest], {**edges, (0x204, behind.address): 1}))


def test_a_routine_of_the_library_is_one_operation() -> None:
    """And what another routine calls it for is no operation of the function."""
    found = multiplication("__muldi3")
    assert found == {"multiply-64": 1, "in-multiply": 4, "store-32": 1, "jump": 1}


@pytest.mark.parametrize(("load", "bits"), [("lbu", 8), ("lhu", 16), ("lw", 32)])
def test_the_narrower_factor_of_a_multiplication_counts(load: str, bits: int) -> None:
    found = multiplication("__mulsi3", Instruction(load, rd=11, rs1=13))
    assert found[f"multiply-{bits}"] == 1


def test_a_routine_may_be_jumped_to() -> None:
    jump = block(0x100, Instruction("jal", immediate=0x100))
    divide = block(0x200, Instruction("sub", rd=10, rs1=10, rs2=11), RETURN, function="__udivsi3")
    executed = trace([jump, divide], {(0, 0x100): 3, (0x100, 0x200): 3})
    assert counts(executed) == {"divide-32": 3, "in-divide": 6}
