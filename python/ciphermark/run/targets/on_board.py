"""Cases on a board: its processor answers the vectors, calls the kernels and counts its own cycles.

All is as on a simulated target (`simulation.py`), but that the image is flashed once and asked over
a serial port, and that an answer which is not whole ends it: then nothing has a figure.
"""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.msgpack import Decoder

from ciphermark.contract import Algorithm, Question
from ciphermark.contract.others import SimulatedCase, SimulatedTarget, Simulation, board_label
from ciphermark.errors import WorkError
from ciphermark.run.targets import object_files, process
from ciphermark.run.targets.board import Board, BoardRunner, Hello
from ciphermark.run.targets.board_image import BoardImage, BoardToolchain
from ciphermark.run.targets.firmware import Call, Row
from ciphermark.run.targets.intervals import Block, Interval
from ciphermark.run.targets.object_files import Group
from ciphermark.run.targets.pipelines.pipeline import Pipeline
from ciphermark.run.targets.serial_port import SerialPort
from ciphermark.run.targets.simulation import (
    Asked,
    Found,
    Simulated,
    TargetSimulation,
    Watch,
    ask_here,
    narrowed,
)
from ciphermark.run.targets.simulator import Measured
from ciphermark.run.targets.target import FOLDER, Target, on_board
from ciphermark.run.targets.toolchain import (
    JOBS,
    Toolchain,
    cached_folder,
    compiler_line,
    kernel_sources,
)
from ciphermark.run.targets.verification import Verdict

PASSES = 2
"""How often all calls are made, to see whether the figures are the same."""


class At(NamedTuple):
    """Where the board is, and what may be done with it."""

    serial: str
    """The device of its port."""
    flashes: bool
    """Whether the target's commands are run that bring the image to it."""
    is_stopped: Callable[[], bool]
    """Asked now and then: whether the user wants to stop."""


class BoardMeasurement(TargetSimulation):
    """A board that holds the image of some groups."""

    counted = "cycles-measured"

    def __init__(
        self, toolchain: BoardToolchain, asked: Asked, runner: BoardRunner, chosen: Sequence[Group]
    ) -> None:
        super().__init__(toolchain, asked, runner)
        self._bench.groups = [*chosen]
        self.differing: dict[int, int] = {}
        """By how many cycles figures differ between passes, and how many do."""

    def _kept(self, name: str, decoder: Decoder[Found], find: Callable[[], Found]) -> Found:
        """Nothing that another board has answered counts here."""
        return find()

    def _refusal(self, error: WorkError) -> Exception:
        """What was not whole ends all."""
        return error

    def _measure(self, groups: Sequence[Group], made: Sequence[Call]) -> Measured:
        first, *others = (
            super(BoardMeasurement, self)._measure(groups, made) for _ in range(PASSES)
        )
        for other in others:
            for one, again in zip(_lengths(first), _lengths(other), strict=True):
                if one != again:
                    apart = abs(one - again)
                    self.differing[apart] = self.differing.get(apart, 0) + 1
        return first

    def _figure(
        self,
        call: Call,
        interval: Interval,
        blocks: dict[int, Block],
        pipeline: Pipeline | None,
        verdict: Verdict,
    ) -> Simulation:
        if interval.cycles is None or interval.cycles < 0:
            raise WorkError(
                f"the counter of {self.target.title} does not count cycles: for {call.row} it "
                "counts fewer than for a kernel that does nothing"
            )
        return super()._figure(call, interval, blocks, None, verdict)

    def _add_code(
        self,
        found: object,
        made: Sequence[Call],
        groups: Sequence[Group],
        rows: Sequence[Row],
    ) -> None:
        """The simulation of the target has it."""


def _lengths(measured: Measured) -> list[int]:
    """Cycles of each call beyond those of a kernel that does nothing."""
    baselines, counted = measured.intervals[::2], measured.intervals[1::2]
    pairs = zip(counted, baselines, strict=True)
    return [call.beyond(baseline).cycles or 0 for call, baseline in pairs]


class MeasuredOnBoard(NamedTuple):
    """What came of a board."""

    simulated: Simulated
    notes: list[str]
    """What one must know of the figures."""


def measure(
    target: Target,
    cases: Sequence[SimulatedCase],
    facts: Mapping[str, Algorithm],
    questions: Sequence[Question],
    at: At,
    watch: Watch,
) -> MeasuredOnBoard:
    """Measures the cases of a target on its board.

    Raises `UsageError` and `WorkError`, also where the board does not hold the image of these
    cases: then with the commands that bring it there.
    """
    own = [msgspec.structs.replace(it, target=board_label(target.name)) for it in cases]
    there = on_board(target, narrowed(target, cases).kernels)
    SerialPort(at.serial, 9600).close()  # what cannot be opened need not be compiled for
    assert there.board is not None
    with tempfile.TemporaryDirectory(prefix="ciphermark-") as images:
        toolchain = _toolchain(there, Path(images))
        toolchain.build()
        asked = ask_here(own, facts, questions, Path(images), [there])
        chosen = _groups(toolchain, asked, own)
        image = toolchain.image([group.symbol for group in chosen])
        if at.flashes:
            _flash(image, there, at)
        port = SerialPort(at.serial, there.board.baud, at.is_stopped)
        with closing(port):
            board = Board(port)
            runner = BoardRunner(board, _expected(board.hello(), image, there, target.name, at))
            bench = BoardMeasurement(toolchain, asked, runner, chosen)
            told = SimulatedTarget(
                target=there.name,
                title=f"{target.title}, on a board",
                compiler=compiler_line(there),
                flags=" ".join([*there.flags, there.optimise]),
                runner=runner.version(),
                description=(FOLDER / f"{target.name}.toml").read_text("utf-8"),
                other_flags=toolchain.other_flags(),
            )
            watch(told.title, 0, len(own))
            found = [*bench.run(own, lambda more: watch(told.title, more, len(own)))]
    return MeasuredOnBoard(Simulated([told], found), [*_notes(told, bench, len(own))])


def _toolchain(target: Target, images: Path) -> BoardToolchain:
    kernels = kernel_sources()
    try:
        toolchain = BoardToolchain(target, kernels, cached_folder(target, kernels), JOBS, images)
    except WorkError:
        raise WorkError(Toolchain(target, kernels, images).lacking()) from None
    if missing := toolchain.missing():
        raise WorkError(missing)
    return toolchain


def _groups(toolchain: BoardToolchain, asked: Asked, cases: Sequence[SimulatedCase]) -> list[Group]:
    """Those that have the cases, in the order in which `TargetSimulation` counts them."""
    homes = (asked.homes.get((it.algorithm, it.backend), set()) for it in cases)
    wanted = set().union(*homes)
    known = [it for it in object_files.groups(toolchain) if it.name in wanted]
    if not known:
        raise WorkError(f"no kernel of {toolchain.target.title} has any of these cases")
    return sorted(known, key=lambda group: group.name)


def _flash(image: BoardImage, target: Target, at: At) -> None:
    assert target.board is not None
    for command in image.commands(target.board, at.serial):
        process.check(*command)


def _expected(hello: Hello | None, image: BoardImage, target: Target, name: str, at: At) -> Hello:
    """What the board says of itself, where it is the right one with the right image."""
    if hello is not None and hello.target != name:
        raise WorkError(
            f"the board at {at.serial} is {hello.target} and not {name}: nothing was measured"
        )
    if hello is not None and hello.build == image.build:
        return hello
    assert target.board is not None
    commands = image.commands(target.board, at.serial)
    typed = " && ".join(shlex.join(command) for command in commands)
    wrong = "holds another image" if hello else f"does not answer at {target.board.baud} baud"
    raise WorkError(
        f"the board at {at.serial} {wrong}: flash its image by `{typed}` (or add --flash, which "
        "runs that for you), and type the command again"
    )


def _notes(told: SimulatedTarget, bench: BoardMeasurement, cases: int) -> list[str]:
    differing = sum(bench.differing.values())
    if not differing:
        return [f"{told.title}: {PASSES} passes gave the same cycles for all {cases} cases"]
    return [
        f"{told.title}: between {PASSES} passes {differing} of {cases} cases differ, by up to "
        f"{max(bench.differing)} cycles; the figures are those of the first"
    ]
