"""Questions with known answers, from test vectors to the bytes that an image carries."""

from __future__ import annotations

import struct
from collections.abc import Iterable

import msgspec

from ciphermark.contract import Answer, Question
from ciphermark.measure.targets.rows import OPERATIONS, Row


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
