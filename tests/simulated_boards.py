"""Boards in simulators: their serial port is a pseudo terminal here, and their own command of
flashing puts an image where the simulator waits for it."""

from __future__ import annotations

import os
import pty
import shlex
import subprocess
import threading
import time
import tty
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from ciphermark.run.targets import process
from ciphermark.run.targets.target import TARGETS, Board, Target

FOLDER = Path(__file__).parent / "boards"
SECONDS = 120
"""A simulator ends then in any case."""

QEMU_ARM = ("qemu-system-arm", "-nographic", "-monitor", "none")
QEMU_RISCV = ("qemu-system-riscv32", "-nographic", "-monitor", "none")
PORT = ("-chardev", "stdio,id=port,signal=off")


def simavr(folder: Path, target: Target) -> list[str]:
    """What runs an AVR whose UART is standard input and output; `{image}` is its image."""
    built = folder / "simavr_serial"
    source = FOLDER / "simavr_serial.c"
    process.check("cc", "-O2", "-Wall", "-Werror", source, "-o", built, "-lsimavr", "-lelf")
    assert target.cpu is not None and target.board is not None
    return [str(built), "{image}", target.cpu, str(target.board.clock_hz)]


def nanoseconds(shift: int) -> list[str]:
    """Of QEMU: 2^shift of them for each instruction, so that all is the same each time."""
    return ["-icount", f"shift={shift},sleep=off"]


def rv32imc() -> Target:
    """The target with QEMU's machine sifive_e as its board."""
    board = Board(
        title="QEMU, sifive_e",
        hal=["boards/bare", "boards/riscv", str(FOLDER / "sifive_e")],
        clock_hz=16_000_000,
        baud=115200,
        memory_bytes=4096,
        flash=["false"],
    )
    return msgspec.structs.replace(TARGETS.named("rv32imc"), board=board)


def rp2040_port() -> Target:
    """The RP2040's code and port on QEMU's machine lm3s6965evb, which has such a port elsewhere."""
    target = TARGETS.named("rp2040")
    assert target.board is not None
    board = msgspec.structs.replace(
        target.board,
        hal=[*target.board.hal[:-1], str(FOLDER / "lm3s6965evb")],
        flags=["-DHAL_PL011=0x4000c000u"],
        memory_bytes=40_000,
    )
    return msgspec.structs.replace(target, board=board)


class Simulated(NamedTuple):
    """A board in a simulator."""

    target: Target
    """With the command that brings images to it."""
    device: str
    """Of its port."""
    flash: Path
    """The file that stands for its flash."""
    reset: threading.Event
    """To be set for a reset; cleared when it has happened."""


@contextmanager
def answering(target: Target, command: Sequence[str], folder: Path) -> Iterator[Simulated]:
    """Within the block the target's board, which begins when it is flashed."""
    master, slave = pty.openpty()
    tty.setraw(master)
    tty.setraw(slave)
    flash = folder / "flashed.elf"
    is_over, reset = threading.Event(), threading.Event()

    def run() -> None:
        while not flash.exists():
            if is_over.wait(0.02):
                return
        words = [word.format(image=flash) for word in command]
        deadline = time.monotonic() + SECONDS
        running = subprocess.Popen(words, stdin=master, stdout=master)
        while running.poll() is None and time.monotonic() < deadline and not is_over.wait(0.02):
            if reset.is_set():
                _end(running)
                running = subprocess.Popen(words, stdin=master, stdout=master)
                reset.clear()
        _end(running)

    simulator = threading.Thread(target=run)
    simulator.start()
    try:
        place = shlex.quote(str(flash))
        commands = [f"cp {{image}} {place}.part", f"mv {place}.part {place}"]
        assert target.board is not None
        board = msgspec.structs.replace(target.board, flash=commands)
        there = msgspec.structs.replace(target, board=board)
        yield Simulated(there, os.ttyname(slave), flash, reset)
    finally:
        is_over.set()
        simulator.join()
        os.close(master)
        os.close(slave)


def _end(running: subprocess.Popen[bytes]) -> None:
    running.kill()
    running.wait()
