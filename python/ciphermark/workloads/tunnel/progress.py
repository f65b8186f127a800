"""Which tunnel is being measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.show.progress import Bars

if TYPE_CHECKING:
    from rich.console import Console

    from ciphermark.contract.tunnel import TunnelCase


class TunnelProgress(Bars):
    """A bar on a terminal; nothing elsewhere."""

    def __init__(self, console: Console, cases: int) -> None:
        super().__init__(console)
        self._begun = 0
        self._cases = cases
        self._task = self._bars.add_task("Sending", total=cases, state="laying the first tunnel")

    def begins(self, case: TunnelCase) -> None:
        """A case is next."""
        self._bars.update(
            self._task,
            completed=self._begun,
            state=f"{case.kind} {case.suite}, {case.profile} ({case.traffic})",
        )
        self._begun += 1

    def _end(self) -> None:
        if self._is_drawn:
            self._bars.update(self._task, completed=self._begun, state=f"{self._begun} cases")
