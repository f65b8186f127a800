"""One table of a study for a paper: LaTeX, Markdown, CSV."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ciphermark.errors import UsageError
from ciphermark.plan.paper import Kind, Paper
from ciphermark.studies.show import table_block
from ciphermark.view import text_formats
from ciphermark.view.export import written_csv
from ciphermark.view.machine import caption
from ciphermark.view.text_formats import latex_text as escaped

if TYPE_CHECKING:
    from ciphermark.record.run import Context
    from ciphermark.view.findings import Table


_NUMBER = re.compile(r"#?(\d+)")

_PAPERS_NUMBER = re.compile(
    r"(?P<number>(?:Table|Figure) \w+|[A-Z]\d+)[.,] (?P<title>.+)", re.DOTALL
)


def listed(tables: Sequence[Table]) -> list[str]:
    """Lists the tables with the number that `--table` takes."""
    return [f"#{place}  {table.title}" for place, table in enumerate(tables, 1)]


def find(tables: Sequence[Table], wanted: str) -> Table:
    """Returns the table of a number or with words in its title.

    The number is the paper's (`4`, `A9`) or that of its place in the study (`#4`). Raises
    `UsageError` that lists them.
    """
    by_title = [it for it in tables if _is_numbered(it.title, wanted)]
    if not by_title and (match := _NUMBER.fullmatch(wanted)):
        place = int(match[1])
        by_title = [tables[place - 1]] if 0 < place <= len(tables) else []
    elif not by_title:
        by_title = [it for it in tables if wanted.lower() in it.title.lower()]
    if len(by_title) == 1:
        return by_title[0]
    what = "fits several tables" if by_title else "is no table of this study"
    raise UsageError(f"--table {wanted} {what}: write one of\n" + "\n".join(listed(tables)))


def _is_numbered(title: str, wanted: str) -> bool:
    """Returns whether a title begins with this number: `Table 4`, `A9.`, `Table A9`."""
    return re.match(rf"(?:Table )?{re.escape(wanted)}(?![\w#])[.:]? ", title) is not None


def latex(context: Context, table: Table) -> bytes:
    """Returns a table environment, whose caption names machine and run."""
    block = replace(table_block(table), title=own_title(table.title))
    return text_formats.latex(block, caption(context), f"{context.run}-{table.title}")


def markdown(context: Context, table: Table) -> bytes:
    """Returns a line with machine and run, the table and its notes."""
    return text_formats.markdown(table_block(table), caption(context))


def as_csv(context: Context, table: Table) -> bytes:
    """Returns the values as they are, with all their digits; absent ones are empty."""
    headings = [f"{column.group} {column.heading}".strip() for column in table.columns]
    lines = ([*line, place not in table.unsettled] for place, line in enumerate(table.rows))
    return written_csv([[*headings, "settled"], *lines])


def own_title(title: str) -> str:
    """Returns a title with the paper's number at its end.

    A document has its own numbers: `Cycles per bit (Table 12 of the paper)`.
    """
    if (match := _PAPERS_NUMBER.fullmatch(title)) is None:
        return title
    return f"{match['title']} ({match['number']} of the paper)"


FORMATS: dict[str, Callable[[Context, Table], bytes]] = {
    "csv": as_csv,
    "latex": latex,
    "markdown": markdown,
}
"""Formats by the name that `--format` takes."""


_ENTRIES: dict[Kind, tuple[str, str]] = {
    "article": ("article", "journal"),
    "page": ("misc", "howpublished"),
    "proceedings": ("inproceedings", "booktitle"),
    "thesis": ("mastersthesis", "school"),
}
"""The type of an entry, and its field that has the venue."""


def bibtex(paper: Paper) -> str:
    """Returns the whole entry. Titles stand in two pairs of braces, which keep their capitals."""
    entry, venue = _ENTRIES[paper.kind]
    lines = [f"  {name} = {{{value}}}," for name, value in _fields(paper, venue)]
    return "\n".join([f"@{entry}{{{_key(paper)},", *lines, "}"])


def _fields(paper: Paper, venue: str) -> Iterator[tuple[str, str]]:
    yield "author", " and ".join(map(escaped, paper.authors))
    yield "title", f"{{{escaped(paper.title)}}}"
    yield venue, escaped(paper.venue)
    yield "year", str(paper.year)
    if paper.pages:
        yield "pages", paper.pages.replace("-", "--")
    if paper.doi:
        yield "doi", paper.doi
    if notes := [note for note in (paper.date, paper.unchecked) if note]:
        yield "note", escaped("; ".join(notes))


def _key(paper: Paper) -> str:
    """`ganesan2003analyzing`: the first author's family name, the year, the title's first word."""
    family, first = paper.authors[0].split()[-1], paper.title.split()[0]
    return _plain(family) + str(paper.year) + _plain(first)


def _plain(word: str) -> str:
    letters = unicodedata.normalize("NFKD", word).encode("ascii", "ignore").decode()
    return re.sub(r"\W", "", letters).lower()
