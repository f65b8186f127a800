"""The vectors, asked of a group of kernels on a target."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from ciphermark.errors import WorkError
from ciphermark.measure.targets import questions, rows
from ciphermark.measure.targets.groups import Group
from ciphermark.measure.targets.questions import Asked, Question
from ciphermark.measure.targets.rows import Row
from ciphermark.measure.targets.simulator import Simulator
from ciphermark.measure.targets.toolchain import Toolchain


class Verdict(msgspec.Struct):
    """What came of the questions that were asked of a group."""

    group: str
    rows: list[Row]
    passed: int = 0
    failed: list[str] = []
    """Row and vector of each question that was answered wrong."""
    left_out: int = 0
    """How many the target has no memory for, or that only a digest is known of."""
    stack_bytes: int | None = None
    """The most that a call took, where the simulator tells."""


class Bench:
    """The kernels of one target, compiled, and how they are run."""

    def __init__(self, toolchain: Toolchain) -> None:
        self._toolchain = toolchain
        self.target = toolchain.target
        toolchain.build()
        self._simulator = Simulator(self.target, toolchain.kernels, toolchain.folder)

    def rows(self, group: Group) -> list[Row]:
        """What the rows of a group say of themselves."""
        image = self._toolchain.link("rows", group)
        return rows.decode(self._simulator.run(image).lines)

    def verify(self, group: Group, asked: Iterable[Question]) -> Verdict:
        """Asks a group those questions that are for it."""
        verdict = Verdict(group.name, self.rows(group))
        carried: list[tuple[Asked, bytes]] = []
        for question in questions.asked_of(verdict.rows, asked):
            bytes_and_memory = question.carried()
            if bytes_and_memory is None or not self._may_fit(bytes_and_memory[1]):
                verdict.left_out += 1
            else:
                carried.append((question, bytes_and_memory[0]))
        for image in self._images(carried):
            self._ask(group, image, verdict)
        return verdict

    def _may_fit(self, memory_bytes: int) -> bool:
        """The firmware knows exactly; this spares the flash what surely does not."""
        return memory_bytes < self.target.memory_bytes

    def _images(self, carried: list[tuple[Asked, bytes]]) -> Iterator[list[tuple[Asked, bytes]]]:
        """As many questions at a time as an image can carry."""
        most = self.target.data_bytes
        image: list[tuple[Asked, bytes]] = []
        room = most
        for one in carried:
            if most is not None and room is not None:
                if len(one[1]) > room:
                    yield image
                    image, room = [], most
                room -= len(one[1])
            image.append(one)
        if image:
            yield image

    def _ask(self, group: Group, image: list[tuple[Asked, bytes]], verdict: Verdict) -> None:
        data = struct.pack(">I", len(image)) + b"".join(bytes_ for _, bytes_ in image)
        linked = self._toolchain.link("vectors", group, data)
        ended = self._simulator.run(linked)
        self._check_stack(linked, ended.stack_bytes)
        depths = filter(None, (verdict.stack_bytes, ended.stack_bytes))
        verdict.stack_bytes = max(depths, default=None)
        *failures, summary = ended.lines or [""]
        match summary.split():
            case ["passed", passed, "failed", failed, "left_out", left_out]:
                counts = int(passed), int(failed), int(left_out)
            case _:
                raise WorkError(f"{linked.stem} wrote no summary, but: {summary}")
        if sum(counts) != len(image) or counts[1] != len(failures):
            raise WorkError(f"{linked.stem} has not counted {len(image)} questions: {summary}")
        verdict.passed += counts[0]
        verdict.left_out += counts[2]
        for failure in failures:
            question, _ = image[int(failure.removeprefix("failed "))]
            verdict.failed.append(f"{question.row}: {question.question.vector}")

    def _check_stack(self, image: Path, stack_bytes: int | None) -> None:
        most = self.target.stack_bytes
        if most is not None and stack_bytes is not None and stack_bytes > most:
            raise WorkError(f"{image.stem} took {stack_bytes} bytes of stack, not {most}")
