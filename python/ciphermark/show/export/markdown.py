"""Markdown: a table for a README or an issue."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ciphermark.messages import one_line
from ciphermark.show.machine import caption
from ciphermark.workload import workload_of

if TYPE_CHECKING:
    from ciphermark.record.run import Context
    from ciphermark.workload import AnyRows


def export(context: Context, rows: AnyRows) -> bytes:
    """A heading and a table for each section, in the dialect of GitHub."""
    return "\n".join(_lines(context, rows)).encode()


def _lines(context: Context, rows: AnyRows) -> Iterator[str]:
    table = workload_of(context.workload).pivot(context, rows)
    yield escaped(f"{table.title}. {caption(context)}.")
    yield from (escaped(f"{mark} {meaning}.") for mark, meaning in table.legend)
    for title, lines in table.sections.items():
        yield ""
        yield f"### {escaped(title)}"
        yield ""
        yield row(table.headings)
        yield row(["---" if at < table.words else "---:" for at in range(len(table.headings))])
        for line in lines:
            yield row(line)
    yield ""


# Underscores within words are no emphasis, and common in names.
_MARKUP = re.compile(r"[\\`*\[\]<|~&$]|(?<![^\W_])_|_(?![^\W_])")


def escaped(text: str) -> str:
    """Returns a text for a line or a cell, without markup, links and HTML of its own."""
    return _MARKUP.sub(r"\\\g<0>", one_line(text))


# Not by a library of tables, as tabulate: it would pad every cell, and has no escapes.
def row(cells: Iterable[str]) -> str:
    """Returns a line of a table."""
    return f"| {' | '.join(map(escaped, cells))} |"
