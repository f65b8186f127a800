"""Models of StrongARM and XScale: sequences whose cycles are known, by hand or from the manuals."""

from __future__ import annotations

import pytest

from pipeline_example import OUTSIDE, block, pipeline, straight, trace

ADD = "e0821003"  # add r1, r2, r3
SUB = "e0428003"  # sub r8, r2, r3
LOAD = "e5950000"  # ldr r0, [r5]
USE = "e0806001"  # add r6, r0, r1
MULTIPLY = "e0090392"  # mul r9, r2, r3
LOAD_TWO = ("e1c020d0", "e1c140d0")  # ldrd r2, [r0]; ldrd r4, [r1]
LOAD_SEVERAL = ("e890000c", "e8910030")  # ldm r0, {r2, r3}; ldm r1, {r4, r5}
ADD_TWO = ("e0920004", "e0a31005")  # adds r0, r2, r4; adc r1, r3, r5
STEP = "e2811001"  # add r1, r1, #1

XSCALE_MANUAL = {
    "a load before its use": ((ADD, LOAD, USE, SUB, MULTIPLY), 7),
    "a load further ahead": ((LOAD, ADD, SUB, USE, MULTIPLY), 5),
    "loads of several": ((*LOAD_SEVERAL, *ADD_TWO), 11),
    "loads of two": ((*LOAD_TWO, *ADD_TWO), 7),
    "a store of several": (("e880000c", STEP), 5),  # stm r0, {r2, r3}
    "a store of two": (("e1c020f0", STEP), 3),  # strd r2, [r0]
    # sub r6, r7, r8; add r1, r2, r3; mov r4, r1, lsl #2: one cycle lost
    "a shift of a result": (("e0476008", ADD, "e1a04101"), 4),
    # mov r3, #10; mul r4, r2, r3; add r5, r6, r2, lsl r3; sub r7, r8, r2: one cycle lost
    "a shift by a register": (("e3a0300a", "e0040392", "e0865312", "e0487002"), 5),
    # ldrd r0, [r3]; orr r8, r1, #15; mul r7, r0, r7: three cycles lost
    "a use of the second of two": (("e1c300d0", "e381800f", "e0070790"), 6),
    # ldrd r0, [r3]; str r4, [r5]: one cycle lost
    "a store behind a load of two": (("e1c300d0", "e5854000"), 3),
}
"""Examples of Intel's manuals, with the cycles that they state: 80200 B.5.1, XScale core A.5.1.1,
A.5.1.2 and A.5.2."""


@pytest.mark.parametrize("example", XSCALE_MANUAL)
def test_xscale_takes_what_its_manuals_say(example: str) -> None:
    codes, cycles = XSCALE_MANUAL[example]
    assert straight("pxa250-400", *codes) == cycles


def test_xscale_has_the_same_cycles_at_both_clocks() -> None:
    codes = (ADD, LOAD, USE, SUB, MULTIPLY)
    assert straight("pxa250-200", *codes) == straight("pxa250-400", *codes)


def test_xscale_multiplier_is_busy() -> None:
    # mul r3, r4, r5; mul r6, r4, r5; the second waits for two cycles of the first
    assert straight("pxa250-400", "e0030594", "e0060594") == 3
    # mul r0, r1, r2; mov r4, r0: the product is there after three cycles
    assert straight("pxa250-400", "e0000291", "e1a04000") == 4


def test_xscale_upper_word_comes_later() -> None:
    product = "e0810392"  # umull r0, r1, r2, r3
    assert straight("pxa250-400", product, "e0804000") == 4  # add r4, r0, r0
    assert straight("pxa250-400", product, "e0814001") == 5  # add r4, r1, r1


@pytest.mark.parametrize(
    ("last", "lost"),
    [
        ("eafffffe", 0),  # b: predicted
        ("ebfffffe", 0),  # bl: predicted
        ("e12fff1e", 4),  # bx lr: five cycles in all
        ("e1a0f00e", 4),  # mov pc, lr
        ("e594f000", 7),  # ldr pc, [r4]: eight in all
        ("e49df004", 7),  # ldr pc, [sp], #4, which is also called pop {pc}
        ("e8bd8010", 6),  # pop {r4, pc}: ten in all, instead of four
        ("e8bd80f0", 5),  # pop {r4, r5, r6, r7, pc}: twelve in all, instead of seven
    ],
)
def test_xscale_loses_cycles_where_it_cannot_predict(last: str, lost: int) -> None:
    first, second = block(0x1000, last), block(0x2000, ADD)
    alone = trace({(OUTSIDE, 0x1000): 1}, first, second)
    both = trace({(OUTSIDE, 0x1000): 1, (0x1000, 0x2000): 1}, first, second)
    model = pipeline("pxa250-400")
    assert model.cycles(both) - model.cycles(alone) == 1 + lost


def test_xscale_errs_as_often_as_a_branch_goes_the_rarer_way() -> None:
    loop, behind = block(0x1000, ADD, "1afffffd"), block(0x1008, SUB)  # add; bne to itself
    entered = {(OUTSIDE, 0x1000): 1, (0x1000, 0x1008): 1}
    often = trace(entered | {(0x1000, 0x1000): 9}, loop, behind)
    assert pipeline("pxa250-400").cycles(often) == 10 * 2 + 1 + 4


def test_strongarm_waits_for_loads_and_products() -> None:
    assert straight("sa1110", LOAD, SUB) == 2
    assert straight("sa1110", LOAD, USE) == 3
    assert straight("sa1110", MULTIPLY, SUB) == 3
    assert straight("sa1110", MULTIPLY, "e0891009") == 4  # add r1, r9, r9


def test_strongarm_takes_a_cycle_for_each_register_and_one_more() -> None:
    assert straight("sa1110", "e92d4070") == 5  # push {r4, r5, r6, lr}
    assert straight("sa1110", "e890000c") == 3  # ldm r0, {r2, r3}


def test_strongarm_shifts_by_a_constant_for_nothing_and_by_a_register_not() -> None:
    assert straight("sa1110", "e0821183") == 1  # add r1, r2, r3, lsl #3
    assert straight("sa1110", "e0821413") == 2  # add r1, r2, r3, lsl r4
    assert straight("sa1110", "e1a01412") == 2  # lsl r1, r2, r4


def test_strongarm_loses_a_cycle_with_each_taken_branch() -> None:
    loop, behind = block(0x1000, ADD, "1afffffd"), block(0x1008, SUB)
    entered = {(OUTSIDE, 0x1000): 1, (0x1000, 0x1008): 1}
    often = trace(entered | {(0x1000, 0x1000): 9}, loop, behind)
    assert pipeline("sa1110").cycles(often) == 10 * 2 + 9 * 1 + 1


def test_a_result_is_waited_for_across_blocks() -> None:
    first, second = block(0x1000, LOAD, "1a000000"), block(0x1008, USE)  # ldr r0; bne; add …, r0
    behind = trace({(OUTSIDE, 0x1000): 1, (0x1000, 0x1008): 1}, first, second)
    assert pipeline("sa1110").cycles(behind) == 3  # the branch has filled the gap
    assert pipeline("pxa250-400").cycles(behind) == 4


def test_an_advanced_address_is_there_at_once() -> None:
    # ldr r0, [r1], #4; ldr r2, [r1], #4; add r3, r1, r1
    assert straight("sa1110", "e4910004", "e4912004", "e0813001") == 3


def test_a_condition_that_fails_is_no_branch() -> None:
    first, second = block(0x1000, "012fff1e"), block(0x1004, ADD)  # bxeq lr
    goes_on = trace({(OUTSIDE, 0x1000): 1, (0x1000, 0x1004): 1}, first, second)
    assert pipeline("pxa250-400").cycles(goes_on) == 2
