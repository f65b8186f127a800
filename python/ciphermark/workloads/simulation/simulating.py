"""Work of the commands that simulate: run the cases and keep the results, also when stopped."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console

from ciphermark.command.measuring import Kept, command_line
from ciphermark.command.output import say
from ciphermark.errors import Stopped, WorkError
from ciphermark.run.engine import Engine
from ciphermark.run.interrupts import Interrupts
from ciphermark.view import figures
from ciphermark.view.progress import Bars

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.contract.others import SimulatedCase
    from ciphermark.plan.simulation import Simulations
    from ciphermark.record.recorder import Recorder
    from ciphermark.record.store import Store
    from ciphermark.run.targets.on_board import MeasuredOnBoard
    from ciphermark.run.targets.simulation import Simulated


class SimulatingProgress(Bars):
    """A bar on a terminal, else one line at the end."""

    def __init__(self, console: Console, targets: int, cases: int, done: str = "Simulated") -> None:
        """Starts the bars; `done` is the final state of cases: `Simulated`, `Measured`."""
        super().__init__(console)
        self._done = done
        self._targets, self._cases = targets, cases
        self._lock = threading.Lock()
        self._done_of: dict[str, int] = {}
        state = self._state("compiling for this machine")
        self._task = self._bars.add_task("Simulating", total=cases, state=state)

    def _end(self) -> None:
        done = [count for count in self._done_of.values() if count]
        targets = f"on {figures.counted(len(done), 'target')}"
        if self._is_drawn:
            self._bars.update(self._task, state=self._state(targets))
        elif done:
            self._console.print(f"{self._done} {figures.counted(sum(done), 'case')} {targets}")

    def feed(self, title: str, more: int, total: int) -> None:
        """Counts `more` finished cases of a target; called by several threads."""
        with self._lock:
            self._done_of[title] = self._done_of.get(title, 0) + more
            begun = f"{title}, {len(self._done_of)} of {figures.counted(self._targets, 'target')}"
            self._bars.update(self._task, advance=more, state=self._state(begun))

    def _state(self, what: str) -> str:
        return f"{sum(self._done_of.values())}/{self._cases}   {what}"


WORKLOAD = "simulation"


class Serial(NamedTuple):
    """A board beside the simulator of its target."""

    device: str
    flashes: bool
    """Runs of the target's commands that write the image to it."""


def simulate_and_keep(
    engine: Engine, store: Store, planned: Simulations, serial: Serial | None = None
) -> Kept:
    """Simulates a plan and stores the run, also a part of it after an interruption.

    The cases are first measured on the board at `serial`; if the board does not answer, nothing is
    stored.
    """
    from ciphermark.record import without_engine
    from ciphermark.workload import rows, rows_table

    store.check_writable()
    for note in planned.notes:
        say(note)
    described, environment = engine.describe(), engine.environment()
    began, began_unix_ns = time.monotonic(), time.time_ns()
    notes = [*planned.notes]
    with Interrupts() as interrupts:
        measured = None
        if serial is not None:
            measured = _measure_on_board(engine, planned, serial, described, interrupts)
            notes += measured.notes
        simulated = simulate(engine, planned.targets, planned.cases, described, interrupts)
        if measured is not None:
            simulated = measured.simulated.beside(simulated)
        if not simulated.simulations and interrupts.requested:
            raise Stopped("stopped before anything was simulated; nothing was stored")
        run = without_engine.simulated_run(
            simulated.simulations,
            simulated.targets,
            without_engine.Circumstances(
                description=described,
                environment=environment,
                algorithms=planned.algorithms,
                notes=notes,
                command=command_line(),
                started_unix_ns=began_unix_ns,
                elapsed_s=time.monotonic() - began,
                interrupted=interrupts.requested,
            ),
        )
        analysed = rows(run)
        store.save(run, rows_table(analysed, WORKLOAD))
    return Kept(run, analysed, None)


def _measure_on_board(
    engine: Engine,
    planned: Simulations,
    serial: Serial,
    described: contract.Description,
    interrupts: Interrupts,
) -> MeasuredOnBoard:
    """Measures the cases of the plan's one target on its board.

    Raises `UsageError` and `WorkError`.
    """
    from ciphermark.run.targets import on_board
    from ciphermark.run.targets.target import TARGETS
    from ciphermark.view.terminal import message_console

    (name,) = planned.targets
    facts = {algorithm.name: algorithm for algorithm in described.algorithms}
    questions = engine.questions(sorted({case.algorithm for case in planned.cases}))
    at = on_board.At(serial.device, serial.flashes, lambda: interrupts.requested)
    with (
        _stopping(interrupts),
        SimulatingProgress(message_console(), 1, len(planned.cases), "Measured") as progress,
    ):
        target = TARGETS.named(name)
        measured = on_board.measure(target, planned.cases, facts, questions, at, progress.feed)
    for note in measured.notes:
        say(note)
    return measured


def simulate(
    engine: Engine,
    targets: Sequence[str],
    cases: Sequence[SimulatedCase],
    described: contract.Description,
    interrupts: Interrupts,
) -> Simulated:
    """Simulates cases with their progress, and says which targets cannot be simulated here."""
    from ciphermark.run.targets import simulation as measured
    from ciphermark.run.targets.target import labelled
    from ciphermark.view.terminal import message_console

    chosen = [labelled(name) for name in targets]
    facts = {it.name: it for it in described.algorithms}
    questions = engine.questions(sorted({case.algorithm for case in cases}))
    with (
        _stopping(interrupts),
        SimulatingProgress(message_console(), len(targets), len(cases)) as progress,
    ):
        simulations = measured.simulate(chosen, cases, facts, questions, progress.feed)
    for target in simulations.targets:
        if target.reason:
            say(target.reason)
    return simulations


def for_study(
    engine: Engine, cases: Sequence[SimulatedCase]
) -> Callable[[Interrupts, Recorder], None]:
    """Returns the step of a study that simulates and feeds the recorder."""

    def simulate_them(interrupts: Interrupts, recorder: Recorder) -> None:
        if not cases:
            return
        targets = list(dict.fromkeys(case.target for case in cases))
        simulated = simulate(engine, targets, cases, engine.describe(), interrupts)
        recorder.add_simulations(simulated.targets, simulated.simulations)

    return simulate_them


def exit_code(kept: Kept) -> int:
    """Returns 1 when a case has failed; too little memory on a target is no failure."""
    failed = (row.error for row in kept.rows if row.error is not None)
    return int(any(error.kind != "unsupported" for error in failed))


@contextmanager
def _stopping(interrupts: Interrupts) -> Iterator[None]:
    """Ends compilers and simulators when the user asks to stop."""
    from ciphermark.run.targets import process

    with interrupts.answered_by(process.stop_all):
        try:
            yield
        except WorkError:
            if interrupts.requested:
                raise Stopped("stopped before anything was simulated; nothing was stored") from None
            raise
