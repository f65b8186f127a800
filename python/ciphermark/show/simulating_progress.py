"""Which targets are being simulated, and how many cases are done."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from ciphermark.show import figures


class SimulatingProgress:
    """A bar on a terminal, else one line at the end."""

    def __init__(self, console: Console, targets: int, cases: int) -> None:
        """`console` writes to standard error."""
        self._console = console
        self._targets = targets
        self._lock = threading.Lock()
        self._done_of: dict[str, int] = {}
        self._bars = Progress(
            TextColumn("Simulating"),
            BarColumn(bar_width=24),
            TextColumn("{task.completed}/{task.total}   {task.fields[state]}"),
            console=console,
            disable=not console.is_terminal,
        )
        self._task = self._bars.add_task("", total=cases, state="compiling for this machine")

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
        done = [count for count in self._done_of.values() if count]
        targets = f"on {figures.counted(len(done), 'target')}"
        if self._bars.live.is_started:
            self._bars.update(self._task, state=targets)
            self._bars.stop()
            self._console.print()
        elif done:
            self._console.print(f"Simulated {figures.counted(sum(done), 'case')} {targets}")

    def feed(self, title: str, more: int, total: int) -> None:
        """So many more cases of a target are done; called by several threads."""
        with self._lock:
            self._done_of[title] = self._done_of.get(title, 0) + more
            begun = f"{title}, {len(self._done_of)} of {figures.counted(self._targets, 'target')}"
            self._bars.update(self._task, advance=more, state=begun)
