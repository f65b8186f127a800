"""What firmwares are asked, and what they say.

Rows of kernels (`kernels/firmware/rows.c`), questions with known answers (`vectors.c`), and calls
that are made between marks (`measure.c`).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from ciphermark.contract import Algorithm, Answer, Question
from ciphermark.contract.others import SimulatedCase
from ciphermark.errors import WorkError

OPERATIONS = ("", "seal", "open", "encrypt", "decrypt", "mac", "digest", "keystream")
"""By their numbers in `kernel.h`."""


class Row(msgspec.Struct):
    """One operation of one algorithm by one backend."""

    group: int
    """Its group, of those of the image."""
    number: int
    """In the group."""
    algorithm: str
    operation: int
    variant: str | None
    backend: str
    key_bytes: tuple[int, int]
    """Least and most."""
    nonce_bytes: tuple[int, int]
    tag_bytes: int
    context_bytes: int
    runs_here: bool
    """Whether the processor has the instructions that it uses."""

    def is_of(self, other: Row) -> bool:
        """Whether both are operations of one algorithm by one backend."""
        names = (self.algorithm, self.backend, self.variant)
        return names == (other.algorithm, other.backend, other.variant)

    def __str__(self) -> str:
        variant = f" with {self.variant}" if self.variant else ""
        return f"{self.algorithm} {OPERATIONS[self.operation]} {self.backend}{variant}"


# Made when this is imported: msgspec 0.22 crashes where two threads are the first to decode a type.
_ROWS = msgspec.json.Decoder(Row)


def decode(lines: list[str]) -> list[Row]:
    """The rows that the firmware wrote, in their order."""
    return [_ROWS.decode(line) for line in lines]


class Asked(msgspec.Struct):
    """A question, asked of a row."""

    question: Question
    row: Row

    def __str__(self) -> str:
        return f"{self.row}: {self.question.vector}"

    def carried(self, memory_bytes: int) -> bytes | None:
        """The bytes in an image, laid out as `kernels/firmware/vectors.c` reads them.

        None where it cannot be asked, or surely not with so much memory; the firmware knows best.
        """
        question, answer = self.question, self.question.answer
        if question.input is None or answer is None:
            return None
        texts = (question.key, question.nonce, question.aad, question.input)
        given = [bytes.fromhex(text) for text in texts]
        output_bytes = self._output_bytes(answer, len(given[-1]))
        # What is refused has to leave zeros.
        expected = bytes(output_bytes) if answer.is_refused else bytes.fromhex(answer.bytes)
        numbers = (
            *(self.row.group, self.row.number, answer.is_refused),
            *(question.unused_bits, question.iterations),
            *(*map(len, given), output_bytes),
            *(answer.offset_bytes, len(expected), 0xFF << -answer.bits % 8 & 0xFF),
        )
        if self.row.context_bytes + sum(map(len, given)) + output_bytes > memory_bytes:
            return None
        return struct.pack(">13I", *numbers) + b"".join([*given, expected])

    def _output_bytes(self, answer: Answer, input_bytes: int) -> int:
        match OPERATIONS[self.row.operation]:
            case "keystream":
                return answer.offset_bytes + len(answer.bytes) // 2
            case "mac" | "digest":
                return self.row.tag_bytes
            case "seal":
                return input_bytes + self.row.tag_bytes
            case "open":
                return input_bytes - self.row.tag_bytes
            case _:
                return input_bytes


def asked_of(rows: list[Row], questions: Iterable[Question]) -> list[Asked]:
    """All that is asked of these rows."""
    by_algorithm: dict[str, list[Row]] = {}
    for row in rows:
        by_algorithm.setdefault(row.algorithm, []).append(row)
    return [
        Asked(question, row)
        for question in questions
        for row in by_algorithm.get(question.algorithm, [])
        if _is_of(question, row)
    ]


def _is_of(question: Question, row: Row) -> bool:
    """Whether it is asked of a row of its algorithm."""
    return (
        question.variant == row.variant
        and question.operation == OPERATIONS[row.operation]
        and _is_in(row.key_bytes, question.key)
        and _is_in(row.nonce_bytes, question.nonce)
    )


def _is_in(lengths: tuple[int, int], text: str) -> bool:
    least, most = lengths
    return least <= len(text) // 2 <= most


SENDING = ("seal", "encrypt", "mac", "keystream")
"""Operations that a key is prepared for unless another is named."""

MAKERS = {"decrypt": "encrypt", "open": "seal"}
"""What makes the input of an operation that undoes another."""

_SET_KEY, _PROCESS, _VERIFY = range(3)
"""The ways of calling in `kernels/firmware/measure.c`."""

_SETUP_MESSAGE_BYTES = 64
"""Of the message by which a prepared key is seen to be right: whole blocks of every cipher."""


class Call(NamedTuple):
    """A case, and the rows that it goes to."""

    case: SimulatedCase
    row: Row
    maker: Row
    key_bytes: int
    nonce_bytes: int

    def request(self) -> bytes:
        """As `kernels/firmware/measure.c` reads it."""
        return struct.pack(
            ">8I",
            *(self.row.group, self.row.number, self.maker.number, self.way),
            *(self.key_bytes, self.nonce_bytes, self.message_bytes, self.case.seed),
        )

    @property
    def way(self) -> int:
        """How the kernel is called."""
        match self.case.operation:
            case "setup":
                return _SET_KEY
            case "verify":
                return _VERIFY
            case _:
                return _PROCESS

    @property
    def message_bytes(self) -> int:
        """Of the message that the firmware makes."""
        given = self.case.message_bytes
        return _SETUP_MESSAGE_BYTES if given is None else given


def call_of(case: SimulatedCase, rows: Iterable[Row], facts: Algorithm) -> Call | None:
    """The call of a case; None where none of these rows has it."""
    own = [
        row
        for row in rows
        if row.algorithm == case.algorithm and row.backend == case.backend and row.variant is None
    ]
    by_operation = {OPERATIONS[row.operation]: row for row in own}
    row = _row(case, by_operation)
    if row is None:
        return None
    maker = by_operation.get(MAKERS.get(OPERATIONS[row.operation], ""), row)
    return Call(
        case,
        row,
        maker,
        _within(row.key_bytes, facts.key_bytes),
        _within(row.nonce_bytes, facts.nonce_bytes),
    )


def data(calls: Sequence[Call]) -> bytes:
    """What the image carries."""
    return struct.pack(">I", len(calls)) + b"".join(call.request() for call in calls)


class Outcome(NamedTuple):
    """What came of one call."""

    kind: str
    """`done`, `refused` or `left_out`."""
    told: int | None
    """Digest of what a call wrote, or the kernel's own status."""


def outcomes(lines: Sequence[str], calls: Sequence[Call]) -> list[Outcome]:
    """What an image wrote. Raises `WorkError` where it is not one line for each call in order."""
    found = []
    for number, line in enumerate(lines):
        kind, place, *told = line.split() or [""] * 2
        if place != str(number):
            break
        found.append(Outcome(kind, int(told[0]) if told else None))
    if len(found) != len(calls):
        raise WorkError(f"the image reported {len(found)} of {len(calls)} calls")
    return found


def _row(case: SimulatedCase, by_operation: dict[str, Row]) -> Row | None:
    match case.operation:
        case "setup":
            wanted = [case.keyed_for] if case.keyed_for else SENDING
            found = next((by_operation[it] for it in wanted if it in by_operation), None)
            return found if found is not None and found.key_bytes[1] > 0 else None
        case "verify":
            return by_operation.get("mac")
        case operation:
            return by_operation.get(operation)


def _within(bounds: tuple[int, int], wanted: int) -> int:
    least, most = bounds
    return max(least, min(wanted, most))
