"""Which tunnel is being measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.show.progress import Bars

if TYPE_CHECKING:
    from rich.console import Console


class TunnelProgress(Bars):
    """A bar on a terminal; nothing elsewhere."""

    def __init__(self, console: Console, cases: int, steps: int) -> None:
        super().__init__(console)
        self._cases = cases
        self._task = self._bars.add_task("Sending", total=steps, state="laying the first tunnel")

    def step(self, what: str, done: int) -> None:
        """So many steps are done, and this comes next."""
        self._bars.update(self._task, completed=done, state=what)

    def _end(self) -> None:
        if self._is_drawn:
            self._bars.update(self._task, state=f"{self._cases} cases")
