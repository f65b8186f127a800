"""Progress bars of commands that take long, and of the engine while it measures."""

from __future__ import annotations

import math
from types import TracebackType
from typing import Self

import msgspec
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from ciphermark import contract
from ciphermark.view import figures
from ciphermark.workload import workload_of


class Bars:
    """Progress bars, one for each kind of work, with its name and state; drawn on terminals only.

    A context manager, which starts the drawing.
    """

    def __init__(self, console: Console) -> None:
        """`console` writes to standard error."""
        self._console = console
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[state]}"),
            console=console,
            disable=not console.is_terminal,
        )

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._end()
        self._stop()

    def _end(self) -> None:
        """Prints the last state, if it is to stay."""

    @property
    def _is_drawn(self) -> bool:
        return self._bars.live.is_started

    def _stop(self) -> None:
        """Leaves the bars as they are, where there are any."""
        if self._is_drawn:
            self._bars.stop()
            self._console.print()


TITLES: dict[contract.Phase, str] = {"verifying": "Verifying", "measuring": "Measuring"}


class MeasuringProgress(Bars):
    """Shows `contract.Progress` events as they come: bars on a terminal, else a line a phase.

    Used as a context manager, which leaves the last state of each phase on the screen.
    """

    def __init__(self, console: Console, plan: contract.Plan) -> None:
        super().__init__(console)
        self._plan = plan
        self._failed = 0
        self._last: contract.Progress | None = None
        self._tasks: dict[contract.Phase, TaskID] = {}

    def _end(self) -> None:
        if self._last is not None:
            self._end_phase(self._last)

    def feed(self, event: contract.Progress | contract.CaseError | contract.Bye) -> None:
        """Takes the next event; errors are counted, and shown at the end of a phase."""
        if isinstance(event, contract.CaseError):
            self._failed += 1
            return
        if isinstance(event, contract.Bye):
            self._last = self._last and _ended(self._last, event)
            return
        if self._last is not None and self._last.phase != event.phase:
            self._end_phase(self._last)
        self._last = event
        self._draw(event, self._state(event))

    def _draw(self, event: contract.Progress, state: str) -> None:
        """Draws the finished cases: verified, converged, or done where nothing converges."""
        counts_done = event.phase == "verifying" or not workload_of(self._plan.workload).sampled
        finished = event.done if counts_done else event.converged
        if event.phase not in self._tasks:
            self._tasks[event.phase] = self._bars.add_task(TITLES[event.phase], state=state)
        task = self._tasks[event.phase]
        self._bars.update(task, completed=finished, total=event.total, state=state)

    def _end_phase(self, event: contract.Progress) -> None:
        state = self._final(event)
        self._draw(event, state)
        if not self._console.is_terminal:
            self._console.print(f"{TITLES[event.phase]:<9} {state}", markup=False, highlight=False)

    def _state(self, event: contract.Progress) -> str:
        if event.phase == "verifying":
            return f"{event.done}/{event.total}"
        return f"{self._converged(event)}   {math.ceil(event.left_s)} s left"

    def _final(self, event: contract.Progress) -> str:
        if event.phase == "measuring":
            return f"{self._converged(event)}   {event.elapsed_s:.0f} s"
        answers = "all answers right"
        if self._failed:
            answers = f"{figures.counted(self._failed, 'case')} failed"
        return f"{event.done}/{event.total}   {answers}"

    def _converged(self, event: contract.Progress) -> str:
        return workload_of(self._plan.workload).progress(event, self._plan.precision)


def _ended(last: contract.Progress, bye: contract.Bye) -> contract.Progress:
    """Returns the last state with the numbers of the farewell, which are later."""
    if last.phase != "measuring":
        return last
    done = last.done if bye.interrupted else last.total
    return msgspec.structs.replace(
        last, done=done, converged=bye.converged, elapsed_s=bye.elapsed_s
    )
