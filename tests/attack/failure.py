"""What must never happen, and what is looked for after every command."""

from __future__ import annotations

from dataclasses import dataclass

HANG_S = 5.0
"""A command that takes longer without measuring for so long hangs, and so does one that goes on for
as long after a signal. Time in which the system gave its processor to others does not count."""

MOST_MESSAGES = 16 * 1024
"""Bytes that a refusal may write: it quotes what was wrong, and not all of it."""

UNCAUGHT = (b"Traceback (most recent call last)", b"Exception ignored", b"panicked at",
            b"Fatal Python error", b"AddressSanitizer")  # fmt: skip
"""What is written where an error was not thought of."""


class Failure(AssertionError):
    """What must never happen, in a sentence. `kind` is the column of the table it counts in."""

    def __init__(self, kind: str, sentence: str) -> None:
        super().__init__(sentence)
        self.kind = kind


KINDS = ("traceback", "panic", "hang", "lost", "orphan", "wrong figure", "changed", "other")
"""Columns of the table; `changed` are bytes of others."""


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    command: str
    code: int
    """Negative for a signal."""
    output: bytes
    messages: bytes
    """What it wrote to standard error."""
    killed: bool = False
    """Whether this try has sent it a signal that nobody can catch."""
    memory: int = 0
    """Most bytes of memory that it had at once."""

    @property
    def last(self) -> str:
        """Its last message, or how it ended."""
        lines = self.messages.decode(errors="replace").splitlines()
        return lines[-1][:300] if lines else f"nothing on standard error, code {self.code}"

    def check(self) -> None:
        """Fails for an error that was not thought of."""
        for text in UNCAUGHT:
            for where in (self.messages, self.output):
                if text in where:
                    kind = "panic" if text == b"panicked at" else "traceback"
                    raise Failure(kind, f"{self.command}: {_around(where, text)}")
        if self.killed:
            return
        if self.code == 101 or self.code < 0:
            raise Failure("panic", f"{self.command}: it ended with {self.code}: {self.last}")
        if self.code not in (0, 1, 2):
            raise Failure("other", f"{self.command}: it ended with {self.code}: {self.last}")
        if self.code == 2 and len(self.messages) > MOST_MESSAGES:
            raise Failure("other", f"{self.command}: a refusal of {len(self.messages)} bytes")


def _around(where: bytes, text: bytes) -> str:
    """The last line of a traceback, or the line of another text and the next."""
    lines = where[where.index(text) :].decode(errors="replace").splitlines()
    if text.startswith(b"Traceback"):
        ends = [it for it in lines[1:] if it and not it.startswith((" ", "ciphermark:"))]
        places = [it.strip() for it in lines if it.startswith("  File")]
        return f"{ends[0] if ends else lines[-1]} ({places[-1] if places else 'nowhere'})"[:600]
    return " ".join(lines[:2])[:600]
