"""Kernels on boards, which are simulated here: the firmware times itself and is asked over a serial
port, which is a pseudo terminal."""

from __future__ import annotations

import shutil
import struct
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from ciphermark.contract.others import SimulatedCase, Simulation, board_label
from ciphermark.errors import WorkError
from ciphermark.record.store import Store
from ciphermark.run.engine import Engine
from ciphermark.run.targets import firmware, object_files, on_board, simulation
from ciphermark.run.targets.board import Board, checksum
from ciphermark.run.targets.board_image import BoardImage, BoardToolchain
from ciphermark.run.targets.on_board import At, MeasuredOnBoard
from ciphermark.run.targets.serial_port import SerialPort
from ciphermark.run.targets.target import TARGETS, Target
from ciphermark.run.targets.toolchain import Toolchain, cached_folder, kernel_sources
from driver_fixture import compile_few
from engine_fixture import Command
from simulated_boards import (
    PORT,
    QEMU_ARM,
    QEMU_RISCV,
    answering,
    nanoseconds,
    rp2040_port,
    rv32imc,
    simavr,
)
from test_board_lines import line as told

pytestmark = pytest.mark.targets

FEW = {"md5", "tea", "ecb", "siphash"}
"""References that are compiled here, with their mode: a hash, a cipher and a MAC."""

OPERATIONS = {
    "md5": [("digest", 8), ("digest", 24)],
    "tea-ecb": [("setup", None), ("encrypt", 8), ("encrypt", 128), ("decrypt", 64)],
    "siphash-2-4-64": [("mac", 16), ("verify", 16)],
}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's cache with these kernels alone."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def few_kernels(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_few(monkeypatch, cache, FEW)


def cases(
    target: Target, algorithms: dict[str, list[tuple[str, int | None]]]
) -> list[SimulatedCase]:
    return [
        SimulatedCase(
            target=target.name, algorithm=name, operation=operation, message_bytes=message_bytes
        )
        for name, operations in algorithms.items()
        for operation, message_bytes in operations
    ]


class Asking:
    """What both ways of measuring are given."""

    def __init__(self, engine: Engine) -> None:
        self.facts = {it.name: it for it in engine.describe().algorithms}
        self.questions = engine.questions([*OPERATIONS])

    def board(self, target: Target, device: str, own: list[SimulatedCase]) -> MeasuredOnBoard:
        at = At(device, flashes=True, is_stopped=lambda: False)
        return on_board.measure(target, own, self.facts, self.questions, at, lambda *_: None)

    def simulator(self, target: Target, own: list[SimulatedCase]) -> list[Simulation]:
        asked = (self.facts, self.questions, lambda *_: None)
        return simulation.simulate([target], own, *asked).simulations


@pytest.fixture
def asking(engine: Engine) -> Asking:
    return Asking(engine)


def needs(target: Target, tmp_path: Path, *programs: str) -> Target:
    missing = Toolchain(target, kernel_sources(), tmp_path / "probe").missing()
    lacking = [program for program in programs if shutil.which(program) is None]
    if missing or lacking:
        pytest.skip(missing or f"needs {lacking[0]}: make system-packages")
    return target


def check_answers(measured: MeasuredOnBoard, simulated: list[Simulation]) -> None:
    """All that a board says but its cycles is what the simulation says."""
    own = measured.simulated.simulations
    assert [it.error for it in own] == [None] * len(simulated)
    for on_a_board, other in zip(own, simulated, strict=True):
        assert on_a_board.metric == "cycles-measured"
        assert on_a_board.case.target == board_label(other.case.target)
        # A board has room for fewer, with all kernels in one image.
        assert 0 < on_a_board.vectors_passed <= other.vectors_passed
        assert on_a_board.context_bytes == other.context_bytes


def test_an_avr_counts_by_its_port_what_its_runner_counts(tmp_path: Path, asking: Asking) -> None:
    """Interrupts of the timer come in between, and are not in the figures."""
    target = needs(TARGETS.named("atmega328p"), tmp_path)
    own = cases(target, OPERATIONS)
    with answering(target, simavr(tmp_path, target), tmp_path) as (there, device, *_):
        measured = asking.board(there, device, own)
    simulated = asking.simulator(target, own)
    check_answers(measured, simulated)
    values = [it.value for it in measured.simulated.simulations]
    assert values == [it.value for it in simulated]
    assert max(it for it in values if it is not None) > 65536
    (told,) = measured.simulated.targets
    assert told.runner == "a board, by its timer1"
    assert "2 passes gave the same cycles for all 8 cases" in measured.notes[0]


@pytest.mark.deep
def test_a_risc_v_counts_by_its_port_what_the_plugin_counts(tmp_path: Path, asking: Asking) -> None:
    """QEMU's mcycle is the number of instructions where each takes a nanosecond."""
    target = needs(rv32imc(), tmp_path, QEMU_RISCV[0])
    own = cases(target, OPERATIONS)
    command = [*QEMU_RISCV, *nanoseconds(0), "-M", "sifive_e", *PORT, "-serial", "chardev:port"]
    with answering(target, [*command, "-kernel", "{image}"], tmp_path) as (there, device, *_):
        measured = asking.board(there, device, own)
    simulated = asking.simulator(target, own)
    check_answers(measured, simulated)
    values = [it.value for it in measured.simulated.simulations]
    assert values == [it.instructions for it in simulated]


class CortexM(NamedTuple):
    """A board with a port that QEMU has."""

    target: Callable[[], Target]
    machine: list[str]
    hertz: float
    """By which it counts SysTick."""
    wrapping: int
    """The power of two of nanoseconds for an instruction with which a long call wraps 24 bits."""
    longest: int
    """Bytes of the message of such a call."""


CORTEX_M = {
    "stm32f4": CortexM(
        lambda: TARGETS.named("cortex-m4"),
        ["-M", "netduinoplus2", "-serial", "null"],
        168e6,
        wrapping=8,
        longest=30_000,
    ),
    "pl011": CortexM(rp2040_port, ["-M", "lm3s6965evb"], 12.5e6, wrapping=10, longest=19_000),
}


@pytest.mark.deep
@pytest.mark.parametrize("wraps", [False, True])
@pytest.mark.parametrize("name", CORTEX_M)
def test_a_cortex_m_counts_by_systick_as_time_passes(
    name: str, wraps: bool, tmp_path: Path, asking: Asking
) -> None:
    """QEMU has no CYCCNT. Its instructions take the same time each."""
    board = CORTEX_M[name]
    target = needs(board.target(), tmp_path, QEMU_ARM[0])
    shift = board.wrapping if wraps else 3
    own = cases(target, {"tea-ecb": [("encrypt", board.longest)]} if wraps else OPERATIONS)
    command = [*QEMU_ARM, *nanoseconds(shift), *board.machine, *PORT, "-serial", "chardev:port"]
    with answering(target, [*command, "-kernel", "{image}"], tmp_path) as (there, device, *_):
        measured = asking.board(there, device, own)
    simulated = asking.simulator(target, own)
    check_answers(measured, simulated)
    (told,) = measured.simulated.targets
    assert told.runner == "a board, by its systick"
    per_instruction = 2**shift * 1e-9 * board.hertz
    for found, other in zip(measured.simulated.simulations, simulated, strict=True):
        assert other.instructions is not None
        # Both ends of an interval are read to an instruction.
        expected = other.instructions * per_instruction
        assert found.value == pytest.approx(expected, rel=0.01, abs=4 * per_instruction + 4)
        assert not wraps or expected > 2**24


@pytest.fixture
def image_of(tmp_path: Path) -> Callable[[Target], tuple[BoardToolchain, BoardImage]]:
    def image_of(target: Target) -> tuple[BoardToolchain, BoardImage]:
        there = on_board.on_board(needs(target, tmp_path), ["reference"])
        folder = cached_folder(there, kernel_sources())
        toolchain = BoardToolchain(there, kernel_sources(), folder, images=tmp_path)
        toolchain.build()
        return toolchain, toolchain.image([it.symbol for it in object_files.groups(toolchain)])

    return image_of


def test_an_image_of_an_rp2040_begins_where_its_rom_goes(
    image_of: Callable[[Target], tuple[BoardToolchain, BoardImage]],
) -> None:
    """QEMU has no RP2040: its ROM goes to the first instruction of RAM."""
    toolchain, image = image_of(TARGETS.named("rp2040"))
    symbols = {it.name: it for it in object_files.symbols_of("arm-none-eabi-", image.file)}
    assert symbols["board_entry"].address & ~1 == 0x20000000
    assert symbols["vectors"].address == 0x20000100
    assert symbols["stack_end"].address <= 0x20040000
    assert {"board_start", "pl011_start", "systick_wrapped"} <= symbols.keys()
    stack, reset = struct.unpack_from("<2I", section(image.file, ".text"), 0x100)
    assert (stack, reset) == (symbols["stack_end"].address, symbols["reset"].address | 1)


def test_an_image_of_an_esp32c3_lies_where_its_rom_loads_it(
    image_of: Callable[[Target], tuple[BoardToolchain, BoardImage]], tmp_path: Path
) -> None:
    """Debian's QEMU has no ESP32-C3: instructions lie on one bus, constants on the other."""
    toolchain, image = image_of(TARGETS.named("esp32c3"))
    prefix = toolchain.target.prefix
    symbols = {it.name: it.address for it in object_files.symbols_of(prefix, image.file)}
    assert symbols["board_entry"] == 0x40380000
    assert all(0x40380000 <= symbols[name] < 0x403A8000 for name in ("firmware", "mark_end"))
    assert all(0x3FCA8000 <= symbols[name] < 0x3FCD0000 for name in ("board_build", "stack_end"))
    # csrr of 0x7e2, its counter of cycles (RISC-V privileged architecture, 2.1).
    words = section(image.file, ".text")
    at = symbols["mark_end"] - 0x40380000
    (instruction,) = struct.unpack_from("<I", words, at)
    assert (instruction >> 20, instruction & 0x7F) == (0x7E2, 0x73)


def section(image: Path, name: str) -> bytes:
    """The bytes of a section, by the heads of ELF with 32 bits (its specification, 1-3, 1-8)."""
    file = image.read_bytes()
    at, size, count, names = struct.unpack_from("<I10xHHH", file, 32)
    heads = [struct.unpack_from("<10I", file, at + number * size) for number in range(count)]
    text = heads[names][4]
    for head in heads:
        start = text + head[0]
        if file[start : file.index(0, start)] == name.encode():
            return file[head[4] : head[4] + head[5]]
    raise AssertionError(name)


def test_a_board_says_that_a_block_was_garbled_and_answers_again(
    tmp_path: Path, image_of: Callable[[Target], tuple[BoardToolchain, BoardImage]]
) -> None:
    target = needs(TARGETS.named("atmega328p"), tmp_path)
    _, image = image_of(target)
    with answering(target, simavr(tmp_path, target), tmp_path) as (_, device, flash, _):
        shutil.copy(image.file, flash)
        port = GarblingPort(device, 57600)
        with closing(port):
            board = Board(port, silence_seconds=60)
            hello = board.hello()
            assert hello is not None
            assert (hello.target, hello.build) == ("atmega328p", image.build)
            asked = struct.pack(">I", 0)
            assert board.ask("measure", asked) == []
            port.garbles = True
            with pytest.raises(
                WorkError, match="received a garbled block of data: check its wiring"
            ):
                board.ask("measure", asked)
            port.garbles = False
            assert board.ask("measure", asked) == []
            # Whoever asks gives up in the place of a block, and begins anew.
            port.write(b"!v")
            assert port.read_line(60) is not None
            assert len(firmware.decode(board.ask("rows"))) > 3


class GarblingPort(SerialPort):
    """Changes a digit of what it sends."""

    garbles = False

    def write(self, data: bytes) -> None:
        if self.garbles and data.startswith(b"="):
            data = b"=1" + data[2:]
        super().write(data)


def test_a_board_with_another_image_is_not_asked(tmp_path: Path, asking: Asking) -> None:
    target = needs(TARGETS.named("atmega328p"), tmp_path)
    md5, others = ({"md5": OPERATIONS["md5"]}, {"tea-ecb": OPERATIONS["tea-ecb"]})
    with answering(target, simavr(tmp_path, target), tmp_path) as (there, device, flash, _):
        asking.board(there, device, cases(target, md5))
        at = At(device, flashes=False, is_stopped=lambda: False)
        asked = (asking.facts, asking.questions, at, lambda *_: None)
        with pytest.raises(WorkError, match="holds another image: flash its image by `cp "):
            on_board.measure(there, cases(target, others), *asked)
        assert flash.exists()


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        pytest.param("garbled", "arrived garbled", marks=pytest.mark.deep),
        pytest.param("lost", "the lines between were lost", marks=pytest.mark.deep),
        ("reset", "was reset during an answer"),
        pytest.param(
            "other", "is rp2040 and not atmega328p: nothing was measured", marks=pytest.mark.deep
        ),
    ],
)
def test_what_a_board_did_not_answer_whole_is_not_stored(
    damage: str,
    sentence: str,
    tmp_path: Path,
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    target = needs(TARGETS.named("atmega328p"), tmp_path)
    with answering(target, simavr(tmp_path, target), tmp_path) as board:

        class DamagedPort(SerialPort):
            def read_line(self, seconds: float) -> bytes | None:
                line = super().read_line(seconds) or b""
                if damage == "other" and b" atmega328p " in line:
                    text = line.decode()[len("0000 ") : -len("*0000")]
                    return told(1, text.replace("atmega328p", "rp2040"))[:-1]
                if damage == "reset" and b" read " in line:
                    board.reset.set()  # while it waits for a block
                    deadline = time.monotonic() + 60
                    while board.reset.is_set() and time.monotonic() < deadline:
                        time.sleep(0.01)
                if damage == "lost" and b" interval " in line:
                    return super().read_line(seconds)
                if damage == "garbled" and b" interval " in line:
                    return line.replace(b"cycles", b"cycIes")
                return line or None

        monkeypatch.setattr(on_board, "SerialPort", DamagedPort)
        monkeypatch.setattr(type(TARGETS), "named", lambda *_: board.target)
        ended = command(
            *("simulate", "--target", "atmega328p", "--serial", board.device, "--flash"),
            *("--algorithms", "md5", "--sizes", "8"),
        )
    assert ended.code == 1
    assert sentence in ended.sentence
    assert list(Store(command.runs).summaries()) == []


def test_the_checksum_is_that_of_the_catalogue() -> None:
    """CRC-16/IBM-3740: `29b1` of the digits 1 to 9."""
    assert checksum(b"123456789") == 0x29B1


def test_what_does_not_fit_a_board_is_said(
    image_of: Callable[[Target], tuple[BoardToolchain, BoardImage]],
) -> None:
    toolchain, _ = image_of(TARGETS.named("atmega328p"))
    toolchain.target = msgspec.structs.replace(
        toolchain.target, link_flags=["-Wl,--defsym=__TEXT_REGION_LENGTH__=4K"]
    )
    with pytest.raises(WorkError, match="2 groups of kernels do not fit Arduino.* fewer"):
        toolchain.image([it.symbol for it in object_files.groups(toolchain)[:2]])
