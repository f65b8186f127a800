"""The target that is built here: what is said without its tools, and what its runner counts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from ciphermark.errors import WorkError
from ciphermark.run.engine import Engine
from ciphermark.run.targets import process
from ciphermark.run.targets.intervals import Interval
from ciphermark.run.targets.simulator import Simulator
from ciphermark.run.targets.target import FOLDER, TARGETS, Target, read
from ciphermark.run.targets.toolchain import Toolchain
from ciphermark.run.targets.verification import Bench

ROOT = Path(__file__).parents[1]
KERNELS = ROOT / "kernels"

AROUND = """
    .text
    .global _start, firmware, mark_begin, mark_end
_start:
    ldc #stack_end, isp
    jsr.a firmware
    mov.w r0, r1
    mov.b #1, 0x400
mark_begin:
    rts
mark_end:
    rts
firmware:
"""
"""A program that ends with what firmware returns in r0."""

VERIFIED = ("aes", "idea", "md5", "rc4", "rc5", "sha1", "tea", "treyfer")
"""Kernels that take the simulator seconds; all of them take it some minutes."""


@pytest.fixture
def target() -> Target:
    return read(FOLDER / "m16c.toml")


@pytest.fixture
def assembled(target: Target, tmp_path: Path) -> Callable[[str], Path]:
    """An image whose firmware() is what is given; a skip without tools."""
    if missing := Toolchain(target, KERNELS, tmp_path).missing():
        pytest.skip(missing)

    def assembled(firmware: str) -> Path:
        source, image = tmp_path / "program.s", tmp_path / "program.elf"
        source.write_text(AROUND + firmware)
        script = KERNELS / "hal" / "m16c" / "image.ld"
        compiler = f"{target.prefix}gcc"
        process.check(compiler, "-mcpu=m16c", "-nostdlib", "-T", script, source, "-o", image)
        return image

    return assembled


def test_without_its_tools_the_command_that_builds_them_is_said(
    target: Target, tmp_path: Path
) -> None:
    absent = msgspec.structs.replace(target, prefix=str(tmp_path / "no-such-"))
    assert Toolchain(absent, KERNELS, tmp_path).missing() == ("M16C/10 needs its tools: make m16c")


def test_what_builds_tools_can_be_typed() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    typed = [it.built_by for it in TARGETS.all() if it.built_by]
    assert typed
    for command in typed:
        assert f"\n{command.removeprefix('make ')}: ##" in makefile


@pytest.mark.targets
def test_an_interval_is_counted_between_its_marks(
    target: Target, assembled: Callable[[str], Path], tmp_path: Path
) -> None:
    """Return addresses have three bytes, which take two accesses; the addresses within instructions
    are no loads."""
    image = assembled("""
    jsr.a mark_begin
    mov.w #0x1234, r0
    push.w r0
    push.w r0
    mov.w 0x600, r1
    mov.b r0l, 0x602
    pop.w r1
    pop.w r1
    jsr.a mark_end
    mov.w #7, r0
    rts
    """)
    simulator = Simulator(target, KERNELS, tmp_path)
    measured = simulator.measure(image)
    # rts, seven instructions, jsr. Loads: rts, mov, pop, pop. Stores: push, push, mov, jsr.
    assert measured.intervals == [Interval(9, None, 5, 5, 1, None, None, None, {})]
    ended = simulator.run(image)
    assert (ended.status, ended.cycles) == (7, None)
    # The return address of firmware, and two words more.
    assert ended.stack_bytes == 3 + 4


@pytest.mark.targets
@pytest.mark.parametrize("astray", [".byte 0x01, 0xff, 0xff", "brk", "mov.b #1, 0x403"])
def test_a_program_that_crashes_is_an_error(
    target: Target, assembled: Callable[[str], Path], tmp_path: Path, astray: str
) -> None:
    with pytest.raises(WorkError, match="program on m16c ended with"):
        Simulator(target, KERNELS, tmp_path).run(assembled(f"{astray}\n"))


@pytest.mark.targets
def test_kernels_pass_their_vectors(target: Target, engine: Engine, tmp_path: Path) -> None:
    """Also those that the compiler takes only with other flags: of IDEA, and all checked calls."""
    toolchain = Toolchain(target, KERNELS, tmp_path)
    if missing := toolchain.missing():
        pytest.skip(missing)
    bench = Bench(toolchain)
    asked = engine.questions()
    chosen = [it for it in bench.groups if it.name in {f"{name}_reference" for name in VERIFIED}]
    assert len(chosen) == len(VERIFIED)
    for group in chosen:
        verdict = bench.verify([group], asked)
        assert [str(failure) for failure in verdict.failed] == []
        assert verdict.passed > len(verdict.left_out)
