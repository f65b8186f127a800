"""Consoles of a command: results go to standard output, all else to standard error."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Span, Text

from ciphermark.messages import visible

PIPED_COLUMNS = 200
"""Width without a terminal, with room for every column of a table. The variable COLUMNS has
precedence."""


def output_console() -> Console:
    """Returns the console of results, plain without a terminal or with NO_COLOR."""
    return _console(stderr=False)


def message_console() -> Console:
    """Returns the console of progress and warnings."""
    return _console(stderr=True)


def _console(*, stderr: bool) -> Console:
    console = TrimmedConsole(stderr=stderr, highlight=False, markup=False, emoji=False)
    columns = os.environ.get("COLUMNS", "")
    if not console.is_terminal and not (columns.isdecimal() and int(columns)):
        console.width = PIPED_COLUMNS
    return console


class TrimmedConsole(Console):
    """A console without control characters in texts, and without blanks at the ends of lines.

    Rich fills lines up to the width of a table, and blanks would be copied with the lines.
    """

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Returns the segments of something printable."""
        shown = visible_text(renderable) if isinstance(renderable, Text) else renderable
        return trimmed(super().render(shown, options))

    def render_str(self, text: str, **options: Any) -> Text:  # noqa: ANN401
        """Returns the text of a string, with its width after the escapes."""
        return super().render_str(visible(text), **options)


def visible_text(text: Text) -> Text:
    """Returns a styled text whose control characters are escapes."""
    shown = visible(text.plain)
    if shown == text.plain:
        return text
    places = [*accumulate((len(visible(it)) for it in text.plain), initial=0)]
    spans = [Span(places[it.start], places[min(it.end, len(text))], it.style) for it in text.spans]
    escaped = text.blank_copy(shown)
    escaped.spans = spans
    return escaped


_BLANKS = re.compile(" +(?=\n)")


def trimmed(segments: Iterable[Segment]) -> Iterator[Segment]:
    """Yields the segments without the blanks before the end of a line."""
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
