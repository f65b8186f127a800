"""Bars of work that goes on, as all commands that take long draw them."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn


class Bars:
    """A bar for each kind of work, with what it is before it and how far it is behind; drawn on
    terminals only. To be entered as a context manager, which starts the drawing."""

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
        """Says the last state, where that is to stay."""

    @property
    def _is_drawn(self) -> bool:
        return self._bars.live.is_started

    def _stop(self) -> None:
        """Leaves the bars as they are, where there are any."""
        if self._is_drawn:
            self._bars.stop()
            self._console.print()
