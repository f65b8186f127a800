"""The two places a command speaks to: results on standard output, all else on standard error."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

PIPED_COLUMNS = 200
"""Columns where there is no terminal, which would say how many: room for every column of a table.
The variable COLUMNS has precedence."""


def output_console() -> Console:
    """Where results go; plain where it is no terminal or NO_COLOR is set."""
    return _console(stderr=False)


def message_console() -> Console:
    """Where progress and warnings go."""
    return _console(stderr=True)


def _console(*, stderr: bool) -> Console:
    console = TrimmedConsole(stderr=stderr, highlight=False, markup=False, emoji=False)
    columns = os.environ.get("COLUMNS", "")
    if not console.is_terminal and not (columns.isdecimal() and int(columns)):
        console.width = PIPED_COLUMNS
    return console


class TrimmedConsole(Console):
    """A console without blanks at the ends of lines, which rich fills up to the width of a table:
    whoever copies lines would copy them."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """The segments of something printable."""
        return trimmed(super().render(renderable, options))


_BLANKS = re.compile(" +(?=\n)")


def trimmed(segments: Iterable[Segment]) -> Iterator[Segment]:
    """The segments without the blanks before the end of a line."""
    blanks: list[Segment] = []
    for segment in segments:
        text, style, control = segment
        if not control:
            text = _BLANKS.sub("", text)
            if text.startswith("\n"):
                blanks = []
        content = text if control else text.rstrip(" ")
        if content:
            yield from blanks
            blanks = []
            yield Segment(content, style, control)
        if len(content) < len(text):
            blanks.append(Segment(text[len(content) :], style))
    yield from blanks  # what follows may be more of the line
