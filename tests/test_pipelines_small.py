"""Models of Cortex-M0, Cortex-M4 and Ibex: tables of cycles, and sequences from the manuals."""

from __future__ import annotations

import pytest

from ciphermark.errors import WorkError
from pipeline_example import OUTSIDE, block, pipeline, straight, trace

THUMB = {
    "ldr r0, [r1]": "6808",
    "ldr r1, [r2]": "6811",
    "ldr r0, [r1, r2]": "5888",
    "ldr r0, [r1, r5]": "5948",
    "ldr r2, [r3, #4]": "685a",
    "str r0, [r3, #20]": "6158",
    "str r1, [r3, r2]": "5099",
    "adds r0, r1, r2": "1888",
    "add r3, r0": "4403",
    "ldr r3, [r0]": "6803",
    "bne": "d1fe",
    "b": "e7fe",
    "bl": "f7ff fffe",
    "bx lr": "4770",
    "push {r4, r5, lr}": "b530",
    "pop {r4, r5, pc}": "bd30",
    "muls r0, r1": "4348",
    "udiv r0, r1, r2": "fbb1 f0f2",
    "umull r0, r1, r2, r3": "fba2 0103",
    "eor r0, r1, r2, ror #3": "ea81 00f2",
    "tbb [pc, r0]": "e8df f000",
    "ldrd r0, r1, [r2]": "e9d2 0100",
}


def thumb(target: str, *names: str) -> int:
    return straight(target, *(THUMB[name] for name in names))


def lost(target: str, last: str, behind: str) -> int:
    """Cycles between a block and one elsewhere, which takes one cycle."""
    first, second = block(0x1000, last), block(0x2000, behind)
    alone = trace({(OUTSIDE, 0x1000): 1}, first, second)
    both = trace({(OUTSIDE, 0x1000): 1, (0x1000, 0x2000): 1}, first, second)
    model = pipeline(target)
    return model.cycles(both) - model.cycles(alone) - 1


@pytest.mark.parametrize(
    ("name", "cycles"),
    [
        ("ldr r0, [r1]", 2),
        ("str r0, [r3, #20]", 2),
        ("push {r4, r5, lr}", 4),
        ("muls r0, r1", 1),
        ("adds r0, r1, r2", 1),
    ],
)
def test_cortex_m0_takes_what_its_manual_says(name: str, cycles: int) -> None:
    assert thumb("cortex-m0", name) == cycles


@pytest.mark.parametrize(
    ("name", "in_all"), [("bne", 3), ("b", 3), ("bl", 4), ("bx lr", 3), ("pop {r4, r5, pc}", 7)]
)
def test_cortex_m0_branches_take_what_its_manual_says(name: str, in_all: int) -> None:
    alone = thumb("cortex-m0", name)
    assert alone + lost("cortex-m0", THUMB[name], THUMB["adds r0, r1, r2"]) == in_all


@pytest.mark.parametrize(
    ("names", "cycles"),
    [
        (("ldr r0, [r1]", "ldr r1, [r2]"), 3),
        (("ldr r0, [r1, r2]", "str r0, [r3, #20]"), 3),
        (("ldr r0, [r1, r2]", "str r1, [r3, r2]"), 3),
        (("ldr r0, [r1, r5]", "ldr r1, [r2]", "ldr r2, [r3, #4]"), 4),
        (("str r0, [r3, #20]",), 1),
        (("ldrd r0, r1, [r2]",), 3),
    ],
)
def test_cortex_m4_pipelines_loads_as_its_manual_says(names: tuple[str, ...], cycles: int) -> None:
    assert thumb("cortex-m4", *names) == cycles


def test_cortex_m4_load_waits_for_an_address() -> None:
    assert thumb("cortex-m4", "adds r0, r1, r2", "ldr r3, [r0]") == 1 + 1 + 2
    assert thumb("cortex-m4", "adds r0, r1, r2", "ldr r0, [r1]") == 1 + 2
    assert thumb("cortex-m4", "adds r0, r1, r2", "add r3, r0") == 2
    assert thumb("cortex-m4", "ldr r0, [r1]", "ldr r3, [r0]") == 4


def test_cortex_m4_arithmetic() -> None:
    assert thumb("cortex-m4", "umull r0, r1, r2, r3", "eor r0, r1, r2, ror #3") == 2
    assert thumb("cortex-m4", "udiv r0, r1, r2") == 7


@pytest.mark.parametrize("name", ["bne", "b", "bl", "bx lr", "pop {r4, r5, pc}", "tbb [pc, r0]"])
def test_cortex_m4_refills_its_pipeline(name: str) -> None:
    assert lost("cortex-m4", THUMB[name], THUMB["adds r0, r1, r2"]) == 2


def test_an_instruction_that_a_core_has_not_is_refused_by_name() -> None:
    with pytest.raises(WorkError, match="CortexM0 .* udiv"):
        thumb("cortex-m0", "udiv r0, r1, r2")


def test_a_code_that_is_none_is_refused_with_its_address() -> None:
    with pytest.raises(WorkError, match="ffffffff at 0x1000"):
        straight("rv32imc", "ffffffff")


@pytest.mark.parametrize(
    ("code", "cycles"),
    [
        ("4188", 2),  # c.lw a0, 0(a1)
        ("c1c8", 2),  # c.sw a0, 4(a1)
        ("0005a503", 2),  # lw a0, 0(a1)
        ("952e", 1),  # c.add a0, a1
        ("02c58533", 3),  # mul a0, a1, a2
        ("02c5b533", 4),  # mulhu a0, a1, a2
        ("02c5d533", 38),  # divu a0, a1, a2
    ],
)
def test_ibex_takes_what_its_documentation_says(code: str, cycles: int) -> None:
    assert straight("rv32imc", code) == cycles


@pytest.mark.parametrize(
    ("code", "cycles"),
    [
        ("00b51063", 2),  # bne a0, a1
        ("c119", 2),  # c.beqz a0
        ("000000ef", 1),  # jal ra
        ("a001", 1),  # c.j
        ("8082", 1),  # ret
    ],
)
def test_ibex_loses_cycles_with_what_it_fetches_elsewhere(code: str, cycles: int) -> None:
    assert lost("rv32imc", code, "952e") == cycles


def test_ibex_without_a_multiplier_refuses_multiplications() -> None:
    with pytest.raises(WorkError, match="Ibex .* mul"):
        straight("rv32i", "02c58533")
