"""How many variants of kernels are compiled and, for targets, simulated."""

from __future__ import annotations

from rich.console import Console
from rich.progress import TaskID

from ciphermark.show.bars import Bars


class TuningProgress(Bars):
    """A bar on a terminal, else one line at the end."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._done, self._total = 0, 0
        self._task: TaskID = self._bars.add_task("Compiling", total=None, state="")

    def compiling(self, what: str) -> None:
        """The default flags for a target, by which files are found that kernels are made of."""
        self._bars.update(self._task, state=f"for {what}")

    def begin(self, total: int) -> None:
        """So many kernels in variants."""
        self._total = total
        self._bars.update(self._task, description="Building", total=total, completed=0, state="0")

    def feed(self, label: str) -> None:
        """One more is done."""
        self._done += 1
        state = f"{self._done}/{self._total}   {label}"
        self._bars.update(self._task, advance=1, state=state)

    def end(self) -> None:
        """All are done, or the user has stopped: what comes next has a progress of its own."""
        if self._is_drawn:
            self._bars.update(self._task, state=f"{self._done}/{self._total}")
            self._stop()
        else:
            self._console.print(f"Built     {self._done}/{self._total}")
