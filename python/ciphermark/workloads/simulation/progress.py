"""Which targets are being simulated, and how many cases are done."""

from __future__ import annotations

import threading

from rich.console import Console

from ciphermark.show import figures
from ciphermark.show.bars import Bars


class SimulatingProgress(Bars):
    """A bar on a terminal, else one line at the end."""

    def __init__(self, console: Console, targets: int, cases: int) -> None:
        super().__init__(console)
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
            self._console.print(f"Simulated {figures.counted(sum(done), 'case')} {targets}")

    def feed(self, title: str, more: int, total: int) -> None:
        """So many more cases of a target are done; called by several threads."""
        with self._lock:
            self._done_of[title] = self._done_of.get(title, 0) + more
            begun = f"{title}, {len(self._done_of)} of {figures.counted(self._targets, 'target')}"
            self._bars.update(self._task, advance=more, state=self._state(begun))

    def _state(self, what: str) -> str:
        return f"{sum(self._done_of.values())}/{self._cases}   {what}"
