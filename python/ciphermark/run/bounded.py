"""Output of other programs, read within bounds of bytes and time: they may be wrong or hostile."""

from __future__ import annotations

import contextlib
import os
import select
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from ciphermark.errors import WorkError

MOST_BYTES = 2**26
"""Largest size of an answer; descriptions of all code paths have a tenth of it."""

LONGEST_LINE = 2**26
"""Bytes of an event; the longest has the latencies of a million sessions."""

CHUNK_BYTES = 2**16

LOOK_S = 0.25
"""Seconds between two looks at a program that writes nothing."""

MOST_STOPS = 20


class TooMuch(WorkError):
    """A program printed more than is read of it, or nothing in time."""


class Stops:
    """Count of the times that a child process was stopped, as by a library that it has opened.

    No stop is of the terminal, whose keys do not reach children in sessions of their own.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._count = 0

    def undo(self) -> None:
        """Continues the process if it is stopped; kills one that was stopped again and again."""
        with contextlib.suppress(ChildProcessError):
            while os.waitid(os.P_PID, self._process.pid, os.WSTOPPED | os.WNOHANG):
                self._count += 1
                ends = self._count > MOST_STOPS
                self._process.send_signal(signal.SIGKILL if ends else signal.SIGCONT)


def run(
    command: Sequence[str | Path],
    given: bytes = b"",
    seconds: float = 60.0,
    most_bytes: int = MOST_BYTES,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Runs a command to its end, with its output, in a session of its own.

    Raises `TooMuch` for more than `most_bytes`, `subprocess.TimeoutExpired`, and `OSError` for a
    command that cannot be started; the command is killed then.
    """
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=pipe, env=env, start_new_session=True
    ) as process:
        try:
            printed = _exchanged(process, given, time.monotonic() + seconds, most_bytes)
            if printed is None:
                raise subprocess.TimeoutExpired(process.args, seconds)
            code = process.wait(seconds)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(process.args, code, *printed)


def _exchanged(
    process: subprocess.Popen[bytes], given: bytes, until: float, most_bytes: int
) -> tuple[bytes, bytes] | None:
    """Writes the input and reads both outputs; None when the time is over."""
    stops = Stops(process)
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    printed = {process.stdout: bytearray(), process.stderr: bytearray()}
    rest = memoryview(given)
    with selectors.DefaultSelector() as waiting:
        for output in printed:
            waiting.register(output, selectors.EVENT_READ)
        if given:
            waiting.register(process.stdin, selectors.EVENT_WRITE)
        else:
            process.stdin.close()
        while waiting.get_map():
            if (left := until - time.monotonic()) <= 0:
                return None
            if not (ready := waiting.select(min(left, LOOK_S))):
                stops.undo()
            for key, _ in ready:
                if key.fileobj is process.stdin:
                    try:
                        rest = rest[os.write(key.fd, rest[: select.PIPE_BUF]) :]
                    except BrokenPipeError:
                        rest = rest[:0]
                    if not rest:
                        waiting.unregister(process.stdin)
                        process.stdin.close()
                elif read := os.read(key.fd, CHUNK_BYTES):
                    for output, content in printed.items():
                        if output is key.fileobj:
                            content += read
                    if sum(map(len, printed.values())) > most_bytes:
                        raise TooMuch(f"{process.args!r} printed more than {most_bytes:,} bytes")
                else:
                    waiting.unregister(key.fileobj)
    return bytes(printed[process.stdout]), bytes(printed[process.stderr])


def lines(
    descriptor: int, wait: Callable[[int], None], longest: int = LONGEST_LINE
) -> Iterator[bytes]:
    """Yields lines as they come, the last one perhaps without its end.

    `wait` returns when the descriptor can be read. Raises `TooMuch` for a line without an end.
    """
    begun = bytearray()
    while True:
        wait(descriptor)
        if not (read := os.read(descriptor, CHUNK_BYTES)):
            break
        *whole, last = read.split(b"\n")
        for line in whole:
            yield bytes(begun) + line + b"\n"
            begun.clear()
        begun += last
        if len(begun) > longest:
            raise TooMuch(f"a line has more than {longest:,} bytes and no end")
    if begun:
        yield bytes(begun)


def until(seconds: float, whose: str) -> Callable[[int], None]:
    """Returns a wait for `lines` that raises `TooMuch` when so many seconds have gone by."""
    end = time.monotonic() + seconds

    def wait(descriptor: int) -> None:
        waiting = select.poll()
        waiting.register(descriptor, select.POLLIN)
        left = end - time.monotonic()
        if left <= 0 or not waiting.poll(1000 * left):
            raise TooMuch(f"{whose} gave no answer within {seconds:.0f} s")

    return wait


def forever(descriptor: int) -> None:
    """Waits in the read itself."""
