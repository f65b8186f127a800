"""The paper of a study as an entry of BibTeX."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from ciphermark.plan.paper import Kind, Paper
from ciphermark.show.export.latex import escaped

_ENTRIES: dict[Kind, tuple[str, str]] = {
    "article": ("article", "journal"),
    "page": ("misc", "howpublished"),
    "proceedings": ("inproceedings", "booktitle"),
    "thesis": ("mastersthesis", "school"),
}
"""The type of an entry, and its field that has the venue."""


def bibtex(paper: Paper) -> str:
    """The whole entry. Titles stand in two pairs of braces, which keep their capitals."""
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
