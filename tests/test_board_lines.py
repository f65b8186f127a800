"""What a board says over its serial port: whole, or one sentence and nothing of it."""

from __future__ import annotations

import os
import pty
import threading
import tty
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.errors import UsageError, WorkError
from ciphermark.run.targets.board import _LINE, Board, Hello, _is_right, checksum
from ciphermark.run.targets.serial_port import SerialPort

Say = Callable[[bytes], list[bytes]]
"""What a made-up board answers to a command or a block."""


def line(number: int, text: str) -> bytes:
    """As `kernels/hal/boards/line.c` writes it."""
    summed = b"%04x %s" % (number, text.encode())
    return b"%s*%04x\n" % (summed, checksum(summed))


def answer(command: str, *texts: str) -> list[bytes]:
    return [line(number, text) for number, text in enumerate([f"begin {command}", *texts])]


@contextmanager
def board(say: Say, silence_seconds: float = 5) -> Iterator[Board]:
    """A board at a pseudo terminal, which answers in a thread."""
    ours, theirs = pty.openpty()
    tty.setraw(ours)

    def speak() -> None:
        asked = b""
        while True:
            try:
                asked += os.read(ours, 100)
            except OSError:
                return
            if asked[:1] == b"!" and len(asked) >= 2 or asked.endswith(b"\n"):
                heard, asked = asked, b""
                for told in say(heard):
                    os.write(ours, told)

    speaker = threading.Thread(target=speak, daemon=True)
    speaker.start()
    port = SerialPort(os.ttyname(theirs), 115200)
    with closing(port):
        yield Board(port, silence_seconds)
    os.close(theirs)
    speaker.join()
    os.close(ours)


def test_a_board_is_known_by_what_it_says_of_itself() -> None:
    told = "ciphermark 1 cortex-m4 0123456789abcdef dwt"
    with board(lambda _: [b"garbage\xff", *answer("h", told, "end 0")]) as there:
        assert there.hello() == Hello("cortex-m4", "0123456789abcdef", "dwt")


def test_a_board_of_another_version_is_refused() -> None:
    told = "ciphermark 2 cortex-m4 0123456789abcdef dwt"
    with board(lambda _: answer("h", told, "end 0")) as there:
        with pytest.raises(WorkError, match="speaks another version .* flash it again"):
            there.hello()


def test_what_does_not_speak_so_is_no_board() -> None:
    with board(lambda _: [b"login: "]) as there:
        assert there.hello(seconds=0.3) is None


def test_a_board_gets_the_blocks_that_it_asks_for() -> None:
    blocks = []

    def say(heard: bytes) -> list[bytes]:
        if heard == b"!m":
            return answer("m", "read 32")
        blocks.append(heard)
        return [line(2, "done 0 17"), line(3, "end 0")]

    with board(say) as there:
        assert there.ask("measure", bytes(range(40))) == ["done 0 17"]
    block = bytes(range(32, 40)) + bytes(24)
    crc = checksum(b"\0\0\0\x20" + block)
    assert blocks == [b"=%s%04x\n" % (block.hex().encode(), crc)]


LINES = answer("r", "first", "second", "end 0")


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ([*LINES[:1], *LINES[2:]], "after line 0 .* came line 2, the lines between were lost"),
        ([LINES[0], LINES[1][:-3] + b"zz\n", *LINES[2:]], "line 1 .* arrived garbled"),
        ([LINES[0], LINES[1].replace(b"first", b"fixst"), *LINES[2:]], "line 1 .* arrived garbled"),
        ([LINES[0], LINES[1].replace(b"\n", b""), *LINES[2:]], "line 1 .* arrived garbled"),
        ([*LINES[:2], line(0, "started")], "was reset during an answer"),
        ([*LINES[:1], LINES[1][:9] + line(0, "started")], "was reset during an answer"),
        (LINES[:2], "has said nothing for 0.5 s: reset it"),
        (answer("r", "garbled"), "received a garbled block of data: check its wiring"),
    ],
)
def test_an_answer_that_is_not_whole_is_a_sentence(said: list[bytes], sentence: str) -> None:
    with board(lambda _: said, silence_seconds=0.5) as there:
        with pytest.raises(WorkError, match=sentence) as raised:
            there.ask("rows")
    assert "type the command again" in str(raised.value)
    assert "\n" not in str(raised.value)


@given(st.data())
def test_no_line_passes_of_which_a_byte_has_changed(data: st.DataObject) -> None:
    told = line(7, "interval 0 instructions - cycles 51234 loads - stores - stack -")[:-1]
    place = data.draw(st.integers(0, len(told) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda it: it != told[place]))
    changed = told[:place] + bytes([byte]) + told[place + 1 :]
    found = _LINE.fullmatch(changed)
    assert found is None or not _is_right(found)


@given(st.data())
def test_no_line_passes_of_which_bytes_were_lost(data: st.DataObject) -> None:
    told = line(7, "done 3 2864434397")[:-1]
    begin = data.draw(st.integers(0, len(told) - 1))
    end = data.draw(st.integers(begin + 1, len(told)))
    found = _LINE.fullmatch(told[:begin] + told[end:])
    assert found is None or not _is_right(found)


def test_a_port_that_is_none_is_a_sentence(tmp_path: object) -> None:
    with pytest.raises(UsageError, match="--serial /dev/no-such cannot be opened"):
        SerialPort("/dev/no-such", 9600)
    with pytest.raises(UsageError, match="--serial /dev/null is no port that is free"):
        SerialPort("/dev/null", 9600)


def test_a_port_is_one_programs_at_a_time() -> None:
    with board(lambda _: []) as there:
        with pytest.raises(UsageError, match="is no port that is free"):
            SerialPort(there._port.device, 9600)


def test_whoever_stops_waits_no_longer() -> None:
    ours, theirs = pty.openpty()
    with closing(SerialPort(os.ttyname(theirs), 9600, lambda: True)) as port:
        with pytest.raises(WorkError, match="stopped"):
            port.read_line(60)
    os.close(ours)
    os.close(theirs)
