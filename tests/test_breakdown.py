"""Where kernels spend their instructions."""

from __future__ import annotations

import platform
import shutil

import pytest

from ciphermark.measure.breakdown import Counted, Frame, Place
from ciphermark.measure.engine import Engine
from ciphermark.measure.targets.toolchain import kernel_sources
from ciphermark.workloads.packets.breakdown import (
    Breakdown,
    breakdown,
    broken_down,
    part_of,
    print_breakdown,
)
from driver_fixture import compile_few
from on_screen import on_screen

KASUMI = "reference/kasumi.c"
ROTATION = Frame("common/words.h", "rotate_left16")


def kernel(*functions: str, file: str = KASUMI) -> Place:
    return Place("kernel", tuple(Frame(file, function) for function in functions))


def counted(**fields: object) -> Counted:
    """Two packets of 40 bytes."""
    usual = {
        "algorithm": "uea1",
        "operation": "encrypt",
        "backend": "reference",
        "message_bytes": 40,
        "lanes": 2,
        "instructions": 1000,
        "own_instructions": 1000,
        "places": {
            kernel("s9", "fi", "fo"): 300,
            kernel("fi", "fo"): 400,
            kernel("ciphermark_f8", file="modes/f8f9.c"): 200,
            Place("engine"): 90,
            Place("library"): 10,
        },
    }
    return Counted(**usual | fields)


def printed(*calls: Breakdown) -> str:
    return " ".join(on_screen(print_breakdown, calls, width=120).split())


class TestParts:
    def test_an_instruction_is_of_the_innermost_function_that_is_a_part(self) -> None:
        assert part_of([Frame(KASUMI, "s9"), Frame(KASUMI, "fi")]) == "S9"
        assert part_of([ROTATION, Frame(KASUMI, "fl"), Frame(KASUMI, "f")]) == "FL"
        moved = [Frame("common/words.h", "load_be64"), Frame("modes/f8f9.c", "ciphermark_f8")]
        assert part_of(moved) == "copy"

    def test_what_is_no_part_is_named_by_its_own_function(self) -> None:
        file = "reference/treyfer.c"
        assert part_of([ROTATION, Frame(file, "mix"), Frame(file, "encrypt")]) == "encrypt"
        assert part_of([]) == "other"

    def test_parts_of_one_name_are_of_their_own_file(self) -> None:
        assert part_of([Frame("reference/zuc.c", "f")]) == "F"
        assert part_of([Frame(KASUMI, "f")]) == "rounds"

    def test_they_sum_up_to_the_call(self) -> None:
        found = broken_down(counted())
        sums = {it.part: it.instructions for it in found.parts}
        assert sums == {"FI": 400, "S9": 300, "mode": 200, "call": 90, "C library": 10}
        assert sum(sums.values()) == found.instructions
        assert sum(it.share for it in found.parts) == pytest.approx(1)

    def test_figures_are_of_one_packet(self) -> None:
        first = broken_down(counted()).parts[0]
        assert (first.per_packet, first.per_byte, first.share) == (200, 5, 0.4)

    def test_the_setting_of_a_key_is_key_schedule_wherever_it_is(self) -> None:
        places = {kernel("set_keys", file="modes/f8f9.c"): 30, kernel("set_key"): 60}
        setup = counted(
            operation="setup", message_bytes=None, lanes=1, instructions=90, places=places
        )
        (part,) = broken_down(setup).parts
        assert (part.part, part.instructions, part.per_byte) == ("key schedule", 90, None)


class TestTable:
    def test_it_has_each_part_with_its_share(self) -> None:
        text = printed(broken_down(counted()))
        assert "uea1 encrypt, reference, 40 B, 2 packets of one call: 1 000 instructions" in text
        assert "FI 200 5.00 40.0 %" in text

    def test_another_length_than_the_engines_own_build_has_is_said(self) -> None:
        assert "executes as many instructions in 1 call" in printed(broken_down(counted()))
        other = printed(broken_down(counted(own_instructions=800)))
        assert "own build executes 800 instructions (×1.25)" in other
        assert "as many instructions" not in other

    def test_what_could_not_be_counted_says_why(self) -> None:
        failed = counted(places={}, instructions=0, error="it can be seen on x86-64 Linux only")
        assert "uea1 encrypt, reference: it can be seen on" in printed(broken_down(failed))


@pytest.fixture(scope="module")
def found(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> list[Breakdown]:
    """KASUMI's functions, counted."""
    lacking = [tool for tool in ("gcc", "addr2line", "ar") if shutil.which(tool) is None]
    if lacking or platform.machine() != "x86_64":
        pytest.skip(f"instructions are counted on x86-64 with gcc and binutils; lacking: {lacking}")
    kasumi = [it.stem for it in (kernel_sources() / "x86").glob("kasumi_*.c")]
    modes = ("kasumi", "kasumi_table", "f8f9", "threegpp", "ecb", "keystream")
    with pytest.MonkeyPatch.context() as patch:
        compile_few(patch, tmp_path_factory.mktemp("cache"), (*kasumi, *modes))
        return breakdown(engine, ["uea1", "uia1"], [8, 40])


@pytest.mark.targets
class TestKasumi:
    def part(self, found: list[Breakdown], algorithm: str, size: int, name: str) -> int:
        (call,) = (
            it
            for it in found
            if (it.algorithm, it.message_bytes, it.backend) == (algorithm, size, "reference")
        )
        return next(it.instructions for it in call.parts if it.part == name)

    def test_parts_sum_up_to_every_call(self, found: list[Breakdown]) -> None:
        assert {it.error for it in found} == {None}
        assert all(sum(part.instructions for part in it.parts) == it.instructions for it in found)

    def test_the_queue_takes_some_instructions_of_each_packet(self, found: list[Breakdown]) -> None:
        (queue,) = (it for it in found if it.algorithm == "queue")
        assert 1 < queue.instructions / queue.lanes < 1000
        assert [it.part for it in queue.parts] == ["queue"]

    def test_it_is_the_code_of_the_engine(self, found: list[Breakdown]) -> None:
        compared = [it for it in found if it.ratio is not None]
        assert {it.operation for it in compared} == {"setup", "encrypt", "mac"}
        # Exactly 1 where one compiler made both.
        assert all(it.ratio == pytest.approx(1, abs=0.1) for it in compared)

    @pytest.mark.parametrize("name", ["S7", "S9", "FI", "FO", "FL", "rounds"])
    def test_f8_and_f9_run_the_block_function_as_often_as_the_standard_says(
        self, found: list[Breakdown], name: str
    ) -> None:
        # The modified block of f8 and the last of f9 are one more each; f9 begins with a block of
        # numbers and ends with one of padding.
        blocks = {("uea1", 8): 2, ("uea1", 40): 6, ("uia1", 8): 4, ("uia1", 40): 8}
        of_a_block = {self.part(found, *key, name) / count for key, count in blocks.items()}
        assert len(of_a_block) == 1, of_a_block

    def test_the_kernel_of_many_packets_has_the_same_parts(self, found: list[Breakdown]) -> None:
        many = [it for it in found if it.lanes > 1 and it.operation in ("encrypt", "mac")]
        if not many:
            pytest.skip("no kernel of many packets runs on this processor")
        for call in many:
            parts = {it.part for it in call.parts}
            assert {"FL", "FO", "copy", "call"} <= parts, call
