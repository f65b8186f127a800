"""Questions with known answers, from test vectors to the bytes that an image carries."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path

import msgspec

from ciphermark.measure.targets import process
from ciphermark.measure.targets.rows import OPERATIONS, Row


class Answer(msgspec.Struct):
    """What is right of an output."""

    is_refused: bool
    offset_bytes: int
    bytes: str
    bits: int


class Question(msgspec.Struct):
    """One call, its bytes in hexadecimal."""

    vector: str
    algorithm: str
    variant: str | None
    operation: str
    key: str
    nonce: str
    aad: str
    input: str | None
    """None where it is too long for any target."""
    unused_bits: int
    iterations: int
    answer: Answer | None
    """None where only a digest of it is known."""

    def is_of(self, row: Row) -> bool:
        """Whether it is asked of a row of its algorithm."""
        return (
            self.variant == row.variant
            and self.operation == OPERATIONS[row.operation]
            and _is_in(row.key_bytes, self.key)
            and _is_in(row.nonce_bytes, self.nonce)
        )


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
        if question.is_of(row)
    ]


def of_source_tree(root: Path) -> list[Question]:
    """The questions of all vectors, printed by an example of the crate ciphermark-algorithms."""
    algorithms = [path.stem for path in (root / "algorithms").glob("*.toml")]
    cargo = ["cargo", "run", "--quiet", "--release", "--locked"]
    example = ["--package", "ciphermark-algorithms", "--example", "questions"]
    manifest = ["--manifest-path", root / "Cargo.toml"]
    printed = process.check(*cargo, *example, *manifest, "--", *algorithms)
    return msgspec.json.Decoder(Question).decode_lines(printed)


def _is_in(lengths: tuple[int, int], text: str) -> bool:
    least, most = lengths
    return least <= len(text) // 2 <= most
