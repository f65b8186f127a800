"""Blocks: the parts of every screen, page and export, before they have a form.

Renderers write them: `screen` on a terminal, `templates/blocks.html.jinja` as HTML, `export` as
Markdown and LaTeX.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from ciphermark.view.column import Cell, Column, Fact, Place, page_cells, page_heads

if TYPE_CHECKING:
    from ciphermark.view.plots.panel import Panel

Row = TypeVar("Row")


def _no_title(row: Any) -> str:  # noqa: ANN401
    return ""


@dataclass(frozen=True, kw_only=True)
class Block:
    """Base of all blocks."""

    kind: ClassVar[str]
    """Name of the macro that writes it as HTML."""
    title: str = ""
    anchor: str = ""
    """Name that links on a page lead to."""
    places: Place = Place.EVERYWHERE
    folded: bool = False
    """True if a page shows it among its details, when a reader opens it."""

    @property
    def is_on_page(self) -> bool:
        return Place.PAGE in self.places and not self.is_empty

    @property
    def is_empty(self) -> bool:
        return False


@dataclass(frozen=True, kw_only=True)
class Headline(Block):
    """Answer in a sentence."""

    kind: ClassVar[str] = "headline"
    text: str
    style: str = "bold"
    """Style on a terminal."""

    @property
    def is_empty(self) -> bool:
        return not self.text


@dataclass(frozen=True, kw_only=True)
class Facts(Block):
    """Labels with values; on a page the first of a document are cards below its title."""

    kind: ClassVar[str] = "facts"
    facts: Sequence[Fact]

    @classmethod
    def of(cls, facts: dict[str, str], **fields: Any) -> Facts:  # noqa: ANN401
        """Returns facts without notes."""
        return cls.of_pairs(facts.items(), **fields)

    @classmethod
    def of_pairs(cls, facts: Iterable[tuple[str, str]], **fields: Any) -> Facts:  # noqa: ANN401
        """Returns facts without notes, some of which may have the same name."""
        return cls(facts=[Fact(name, value, "") for name, value in facts if value], **fields)

    @property
    def is_empty(self) -> bool:
        return not self.facts


@dataclass(frozen=True)
class Note:
    """Sentence with the mark that it explains, and with further ones below it."""

    text: str
    mark: str = ""
    below: Sequence[str] = ()
    style: str = ""
    """Style on a terminal; that of its block if empty."""


@dataclass(frozen=True, kw_only=True)
class Notes(Block):
    """Sentences on the figures."""

    kind: ClassVar[str] = "notes"
    notes: Sequence[Note]
    style: str = ""
    """Style on a terminal."""
    shown: int | None = None
    """Number of notes on a terminal; all if None."""
    numbered: bool = False
    whole: bool = False
    """True if a terminal breaks no line, as of commands and settings that are copied."""

    @classmethod
    def of(cls, sentences: Iterable[str], **fields: Any) -> Notes:  # noqa: ANN401
        """Returns sentences without marks."""
        return cls(notes=[Note(it) for it in sentences], **fields)

    @property
    def is_empty(self) -> bool:
        return not self.notes


@dataclass(frozen=True, kw_only=True)
class Table(Block, Generic[Row]):
    """Rows in sections, and the columns that they have."""

    kind: ClassVar[str] = "table"
    columns: Sequence[Column[Row]]
    rows: Sequence[Row]
    section: Callable[[Row], str] = _no_title
    """Title above a row and its neighbours."""
    title_on_screen: Callable[[Row], str] | None = None
    """Title above a row on a terminal, where that has no column for a part of it."""
    legend: Sequence[Note] = ()
    """Meanings of the marks, and notes without which the table misleads."""
    filter: str = ""
    """Example of a filter; a page has controls to filter the table if there is one."""
    continued: bool = False
    """True if a narrow terminal leaves no column out, but goes on in further tables."""

    @property
    def is_empty(self) -> bool:
        return not self.rows

    def sections(self, title: Callable[[Row], str] | None = None) -> dict[str, list[Row]]:
        """Returns the rows by section, or by another title, in the order of the rows."""
        by_title: dict[str, list[Row]] = {}
        for row in self.rows:
            by_title.setdefault((title or self.section)(row), []).append(row)
        return by_title

    def heads(self) -> list[dict[str, Any]]:
        """Returns the headings of a page's table, in groups."""
        return page_heads(self.columns)

    def lines(self) -> Iterator[tuple[str, list[Cell]]]:
        """Yields the section and the cells of each line of a page's table."""
        for row in self.rows:
            yield self.section(row), page_cells(self.columns, row)


@dataclass(frozen=True, kw_only=True)
class Chart(Block):
    """Picture of the figures; a terminal has none."""

    kind: ClassVar[str] = "chart"
    name: str
    """Name of its files: `cycles-per-byte`."""
    explanation: str
    """Description of the picture, in a sentence or two."""
    panels: Sequence[Panel]
    hint: str = ""
    """Sentence on the use of the picture on a page."""
    columns: int = 2
    """Number of panels side by side when drawn as one picture."""
    notes: Sequence[str] = ()
    """Lines of the picture below its caption."""
    places: Place = Place.PAGE

    @classmethod
    def of(
        cls,
        name: str,
        title: str,
        explanation: str,
        panels: Sequence[Panel],
        hint: str = "",
        **fields: Any,  # noqa: ANN401
    ) -> Chart:
        """Returns a picture whose section has its name."""
        fields |= {"explanation": explanation, "panels": panels, "hint": hint}
        return cls(name=name, title=title, anchor=name, **fields)

    @property
    def is_empty(self) -> bool:
        return not self.panels


@dataclass(frozen=True, kw_only=True)
class Template(Block):
    """Part of a page for which no other block fits."""

    kind: ClassVar[str] = "template"
    name: str
    """Name of the template, which has the block as `it`."""
    content: Any
    places: Place = Place.PAGE

    @property
    def is_empty(self) -> bool:
        return not self.content


@dataclass(frozen=True, kw_only=True)
class Section(Block):
    """Blocks below a title."""

    kind: ClassVar[str] = "section"
    blocks: Sequence[Block]
    about: str = ""
    """Sentence below the title of a page's section."""

    @property
    def is_empty(self) -> bool:
        return all(it.is_empty for it in self.blocks)


def shown(blocks: Iterable[Block], place: Place) -> list[Block]:
    """Returns the blocks that a place has and that are not empty."""
    return [it for it in blocks if place in it.places and not it.is_empty]


def charts(blocks: Iterable[Block]) -> Iterator[Chart]:
    """Yields the pictures of a page, those in sections too."""
    for block in shown(blocks, Place.PAGE):
        if isinstance(block, Chart):
            yield block
        elif isinstance(block, Section):
            yield from charts(block.blocks)


def tables(blocks: Iterable[Block], place: Place = Place.EXPORT) -> Iterator[Table[Any]]:
    """Yields the tables of a place, those in sections too, and those without rows.

    One without a title has its section's.
    """
    for block in blocks:
        if place in block.places and isinstance(block, Table):
            yield block
        elif place in block.places and isinstance(block, Section):
            for table in tables(block.blocks, place):
                yield replace(table, title=table.title or block.title)
