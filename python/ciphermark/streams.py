"""Standard output and standard error that let work go on, whoever reads them.

A disk that fills, a reader that has gone and a terminal that was dropped would else be an exception
in the midst of measuring. What cannot be written is dropped; of standard output that is remembered,
and `main` says so at the end. What was closed from the start (`2>&-`) is opened, so that no other
file gets its number and no message goes where results belong.
"""

from __future__ import annotations

import contextlib
import io
import os
import select
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_INPUT, _OUTPUT, _MESSAGES = 0, 1, 2


class Lenient(io.FileIO):
    """A descriptor to write to, without exceptions."""

    failure: OSError | None = None
    """The first."""
    is_told = False
    """Whether the user has heard of it."""

    def write(self, content: ReadableBuffer, /) -> int:
        """All of it or a part, as any raw stream; after a failure nothing more is tried."""
        if self.failure is None:
            try:
                while (written := super().write(content)) is None:  # somebody has made it so
                    select.select([], [self], [])
                return written
            except OSError as error:
                self.failure = error
        return memoryview(content).nbytes


class Messages(Lenient):
    """Each message is tried again: a disk may have room again."""

    def write(self, content: ReadableBuffer, /) -> int:
        self.failure = None
        return super().write(content)


def guard() -> None:
    """Makes both streams of this process so; to be called once, before anything is written."""
    _open_those_that_are_closed()
    sys.stdout = _text(Lenient(_OUTPUT, "w", closefd=False), sys.stdout)
    sys.stderr = _text(Messages(_MESSAGES, "w", closefd=False), sys.stderr, is_by_line=True)


def output_failure() -> Lenient | None:
    """Standard output, where something could not be written to it; all of it is tried first."""
    if sys.stdout is None:
        return None
    sys.stdout.flush()
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return raw if isinstance(raw, Lenient) and raw.failure is not None else None


def _open_those_that_are_closed() -> None:
    for number in (_INPUT, _OUTPUT, _MESSAGES):  # in order: a file gets the lowest that is free
        try:
            os.fstat(number)
        except OSError:
            with contextlib.suppress(OSError):
                # Output that nobody can have is an error like any other, messages are not.
                way = os.O_WRONLY if number == _MESSAGES else os.O_RDONLY
                os.set_inheritable(os.open(os.devnull, way), True)


def _text(raw: Lenient, before: object, is_by_line: bool = False) -> io.TextIOWrapper:
    """With the encoding that Python has chosen; what that lacks is escaped and no exception."""
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=getattr(before, "encoding", None) or "utf-8",
        errors="backslashreplace",
        line_buffering=is_by_line or raw.isatty(),
    )
