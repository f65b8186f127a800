"""The vectors, asked of groups of kernels on a target."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import msgspec

from ciphermark.contract import Question
from ciphermark.errors import WorkError
from ciphermark.run.targets import firmware
from ciphermark.run.targets.firmware import Asked, Row
from ciphermark.run.targets.object_files import Group, groups
from ciphermark.run.targets.simulator import Runner, Simulator
from ciphermark.run.targets.toolchain import JOBS, Toolchain


class Verdict(msgspec.Struct):
    """What came of the questions that were asked of some groups."""

    passed: int = 0
    failed: list[Asked] = []
    """Those that were answered wrong."""
    left_out: list[Asked] = []
    """Those that the target has no memory for, or of whose answer only a digest is known."""
    passed_of: dict[tuple[int, int], int] = {}
    """How many each row passed, by the numbers of its group and in the group."""
    lacking: list[Row] = []
    """Rows that were asked nothing, since the processor lacks the instructions that they use."""
    stack_bytes: int = 0
    """The most that a call took, where the simulator tells."""


class _Carried(NamedTuple):
    """A question, and its bytes in an image."""

    asked: Asked
    data: bytes


class Bench:
    """The kernels of one target, compiled, and how they are run."""

    def __init__(self, toolchain: Toolchain, runner: Runner | None = None) -> None:
        """`runner` is what images run on where that is not the target's simulator; the kernels are
        compiled already then."""
        self._toolchain = toolchain
        self.target = toolchain.target
        if runner is None:
            toolchain.build()
        self.groups = groups(toolchain)
        self.runner = runner or Simulator(self.target, toolchain.kernels, toolchain.folder)

    def rows(self, chosen: Sequence[Group]) -> list[Row]:
        """What the rows of groups say of themselves."""
        image = self._toolchain.link("rows", _name(chosen), [it.symbol for it in chosen])
        return firmware.decode(self.runner.run(image).lines)

    def verify_all(self, asked: Sequence[Question]) -> dict[str, Verdict]:
        """Asks all groups those questions that are for them.

        A processor with little memory has one group in an image, others have all in one.
        """
        is_small = self.target.data_bytes is not None
        parts = [[it] for it in self.groups] if is_small else [self.groups]
        with ThreadPoolExecutor(JOBS) as jobs:
            verdicts = jobs.map(lambda part: self.verify(part, asked), parts)
            return {_name(part): verdict for part, verdict in zip(parts, verdicts, strict=True)}

    def verify(self, chosen: Sequence[Group], asked: Iterable[Question]) -> Verdict:
        """Asks groups, in one image, those questions that are for them."""
        verdict = Verdict()
        able: list[Row] = []
        for row in self.rows(chosen):
            (able if row.runs_here else verdict.lacking).append(row)
        carried = []
        for one in firmware.asked_of(able, asked):
            data = one.carried(self.target.memory_bytes)
            if data is None:
                verdict.left_out.append(one)
            else:
                carried.append(_Carried(one, data))
        for image in self._images(carried):
            self._ask(chosen, image, verdict)
        return verdict

    def _images(self, carried: list[_Carried]) -> Iterator[list[_Carried]]:
        """As many questions at a time as an image can carry."""
        most = self.target.data_bytes
        if most is None:
            yield carried
            return
        image: list[_Carried] = []
        for one in carried:
            if image and sum(len(it.data) for it in image) + len(one.data) > most:
                yield image
                image = []
            image.append(one)
        if image:
            yield image

    def _ask(self, chosen: Sequence[Group], image: list[_Carried], verdict: Verdict) -> None:
        data = struct.pack(">I", len(image)) + b"".join(it.data for it in image)
        symbols = [it.symbol for it in chosen]
        linked = self._toolchain.link("vectors", _name(chosen), symbols, data)
        ended = self.runner.run(linked)
        self._check_stack(linked, ended.stack_bytes or 0)
        verdict.stack_bytes = max(verdict.stack_bytes, ended.stack_bytes or 0)
        *outcomes, summary = ended.lines or [""]
        told = {"failed": verdict.failed, "left_out": verdict.left_out}
        counts = {"passed": 0, "failed": 0, "left_out": 0}
        passed = dict(enumerate(image))
        for outcome in outcomes:
            kind, number = outcome.split()
            told[kind].append(passed.pop(int(number)).asked)
            counts[kind] += 1
        counts["passed"] = len(passed)
        verdict.passed += counts["passed"]
        for asked in (it.asked for it in passed.values()):
            row = (asked.row.group, asked.row.number)
            verdict.passed_of[row] = verdict.passed_of.get(row, 0) + 1
        if summary != " ".join(f"{kind} {count}" for kind, count in counts.items()):
            raise WorkError(f"{linked.stem} says at its end of {len(image)} questions: {summary}")

    def _check_stack(self, image: Path, stack_bytes: int) -> None:
        most = self.target.stack_bytes
        if most is not None and stack_bytes > most:
            raise WorkError(f"{image.stem} took {stack_bytes} bytes of stack, not {most}")


def _name(chosen: Sequence[Group]) -> str:
    """Of an image."""
    return chosen[0].name if len(chosen) == 1 else "all"
