"""A board that is asked over its serial port: the lines of `kernels/hal/boards/line.c`.

Each line has its number in the answer and a checksum, so that an answer is whole or none: what was
lost, garbled or interrupted by a reset is a `WorkError`, and nothing of the answer is used.
"""

from __future__ import annotations

import binascii
import re
import time
from pathlib import Path
from typing import NamedTuple

from ciphermark.errors import WorkError
from ciphermark.run.targets import intervals
from ciphermark.run.targets.serial_port import SerialPort
from ciphermark.run.targets.simulator import Ended, Measured

PROTOCOL = 1
BLOCK_BYTES = 32
"""Of data that a board asks for at once."""

COMMANDS = {"hello": b"h", "rows": b"r", "vectors": b"v", "measure": b"m"}

_LINE = re.compile(rb"([0-9a-f]{4}) ([ -~]*)\*([0-9a-f]{4})\r?")
_FIRST_SECONDS = 8.0
"""Boards with a boot loader listen to it for two seconds after the port was opened."""
_TRY_SECONDS = 1.0
_SILENCE_SECONDS = 60.0
"""No kernel takes so long for a vector of any processor."""

_AGAIN = "nothing of this answer is recorded: type the command again"


class Hello(NamedTuple):
    """What a board says that it is."""

    target: str
    build: str
    """The image's, as `board_image` has named it."""
    counter: str
    """That its cycles are read from: `timer1`, `dwt`, `systick`, `mcycle`, `mpccr`."""


class Board:
    """Whoever answers at a port."""

    def __init__(self, port: SerialPort, silence_seconds: float = _SILENCE_SECONDS) -> None:
        self._port = port
        self._silence_seconds = silence_seconds

    def hello(self, seconds: float = _FIRST_SECONDS) -> Hello | None:
        """What the board is; None where nothing answers that speaks so. Raises `WorkError` where
        it speaks another version."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self._port.discard()
            self._port.write(b"!" + COMMANDS["hello"])
            if self._has_begun("hello", _TRY_SECONDS):
                return self._told_of_itself()
        return None

    def ask(self, command: str, data: bytes = b"") -> list[str]:
        """The lines of an answer, whole; the board is given the data that it asks for.

        Raises `WorkError`.
        """
        self._port.discard()
        self._port.write(b"!" + COMMANDS[command])
        if not self._has_begun(command, self._silence_seconds):
            raise self._silent()
        return self._answer(data)

    def _has_begun(self, command: str, seconds: float) -> bool:
        """Whether the answer to a command begins in time; what comes before it is passed over."""
        begin = b"begin " + COMMANDS[command]
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            read = self._port.read_line(left)
            line = None if read is None else _LINE.search(read)
            if line and _is_right(line) and line.group(1, 2) == (b"0000", begin):
                return True
        return False

    def _told_of_itself(self) -> Hello:
        (line,) = self._answer(b"") or [""]
        name, protocol, *words = line.split()
        if name != "ciphermark" or protocol != str(PROTOCOL) or len(words) != len(Hello._fields):
            raise WorkError(
                f"the board at {self._port.device} speaks another version ({line}): flash it again"
            )
        return Hello(*words)

    def _answer(self, data: bytes) -> list[str]:
        """The lines between `begin` and `end`."""
        lines: list[str] = []
        number = 1
        while True:
            text = self._next(number & 0xFFFF)
            kind, _, rest = text.partition(" ")
            if kind == "end":
                return lines
            if kind == "read":
                self._port.write(_block(data, int(rest)))
            elif text == "garbled":
                raise WorkError(
                    f"the board at {self._port.device} received a garbled block of data: check "
                    f"its wiring; {_AGAIN}"
                )
            else:
                lines.append(text)
            number += 1

    def _next(self, number: int) -> str:
        """The text of the next line, which is to have that number."""
        read = self._port.read_line(self._silence_seconds)
        if read is None:
            raise self._silent()
        # A reset may come in the middle of a line.
        if read.rstrip(b"\r").endswith(_STARTED):
            raise WorkError(
                f"the board at {self._port.device} was reset during an answer: {_AGAIN}"
            )
        line = _LINE.fullmatch(read)
        if line is None or not _is_right(line):
            raise WorkError(
                f"line {number} of the board at {self._port.device} arrived garbled: {_AGAIN}"
            )
        if int(line[1], 16) != number:
            raise WorkError(
                f"after line {number - 1} of the board at {self._port.device} came line "
                f"{int(line[1], 16)}, the lines between were lost: {_AGAIN}"
            )
        return line[2].decode("ascii")

    def _silent(self) -> WorkError:
        return WorkError(
            f"the board at {self._port.device} has said nothing for "
            f"{self._silence_seconds:g} s: reset it; {_AGAIN}"
        )


class BoardRunner:
    """Asks a board where a `Simulator` runs an image: an image is there the name of a firmware,
    with its data beside it."""

    def __init__(self, board: Board, hello: Hello) -> None:
        self._board = board
        self._hello = hello

    def run(self, image: Path) -> Ended:
        """What a firmware writes."""
        return Ended(0, self._lines(image), None, None)

    def measure(self, image: Path, *, edges: bool = False) -> Measured:
        """What a firmware with marks writes, and the cycles between them."""
        lines = self._lines(image)
        told = [line for line in lines if line.startswith("interval ")]
        read = intervals.read(told, intervals.Functions({}))
        wrote = [line for line in lines if not line.startswith("interval ")]
        return Measured(wrote, read.intervals, {})

    def version(self) -> str:
        """What counts the cycles."""
        return f"a board, by its {self._hello.counter}"

    def _lines(self, image: Path) -> list[str]:
        firmware = image.stem.partition("-")[0]
        return self._board.ask(firmware, image.with_suffix(".data").read_bytes())


def checksum(data: bytes) -> int:
    """CRC-16 with the polynomial 0x1021, begun with ones (CRC-16/IBM-3740)."""
    return binascii.crc_hqx(data, 0xFFFF)


def _is_right(line: re.Match[bytes]) -> bool:
    return checksum(line[1] + b" " + line[2]) == int(line[3], 16)


_STARTED = b"0000 started*%04x" % checksum(b"0000 started")
"""What a board says that starts."""


def _block(data: bytes, at: int) -> bytes:
    """The bytes from there on, as many as a board asks for, zeros behind the last."""
    block = data[at : at + BLOCK_BYTES].ljust(BLOCK_BYTES, b"\0")
    crc = checksum(at.to_bytes(4, "big") + block)
    return f"={block.hex()}{crc:04x}\n".encode("ascii")
