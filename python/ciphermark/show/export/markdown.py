"""Markdown: a table for a README or an issue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ciphermark.show.machine import caption
from ciphermark.show.problems import UNSETTLED
from ciphermark.workload import workload_of

if TYPE_CHECKING:
    from ciphermark.record.run import Context
    from ciphermark.workload import AnyRows


def export(context: Context, rows: AnyRows) -> bytes:
    """A heading and a table for each section, in the dialect of GitHub."""
    return "\n".join(_lines(context, rows)).encode()


def _lines(context: Context, rows: AnyRows) -> Iterator[str]:
    table = workload_of(context.workload).pivot(context, rows)
    yield f"{table.title}. {caption(context)}."
    yield from (escaped(f"{mark} {meaning}.") for mark, meaning in table.legend)
    for title, lines in table.sections.items():
        yield ""
        yield f"### {title}"
        yield ""
        yield row(table.headings)
        yield row(["---" if at < table.words else "---:" for at in range(len(table.headings))])
        for line in lines:
            yield row(map(escaped, line))
    yield ""


def escaped(text: str) -> str:
    """A text as the cell of a table."""
    # GitHub takes two tildes for a strike-through, and a star at the beginning for a list.
    for sign in ("|", UNSETTLED, "*"):
        text = text.replace(sign, f"\\{sign}")
    return text


# Not by a library of tables, as tabulate: it would pad every cell, and has no escapes.
def row(cells: Iterable[str]) -> str:
    """A line of a table."""
    return f"| {' | '.join(cells)} |"
