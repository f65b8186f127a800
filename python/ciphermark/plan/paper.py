"""What a study repeats: the paper as a bibliography names it."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Text = Annotated[str, msgspec.Meta(min_length=1, max_length=400)]
Kind = Literal["proceedings", "article", "thesis", "page"]


class Paper(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """The table `[paper]` of a study's plan."""

    kind: Kind
    """Kind of publication, as a bibliography needs it."""
    title: Text
    """Title as printed."""
    authors: Annotated[list[Text], msgspec.Meta(min_length=1, max_length=50)]
    """In full, the family name last."""
    venue: Text
    """Proceedings, journal, university or site."""
    year: Annotated[int, msgspec.Meta(ge=1900, le=2100)]
    """Year of publication."""
    date: Text | None = None
    """The day, where the paper has one: `29 August 2000`."""
    pages: Text | None = None
    """Pages: `10-17`."""
    doi: Annotated[str, msgspec.Meta(pattern=r"^10\.\d{4,9}/\S+$")] | None = None
    """Digital object identifier."""
    unchecked: Text | None = None
    """What of this the copy of the paper at hand does not show."""

    @property
    def line(self) -> str:
        """Authors, title, venue, date and DOI in one line."""
        parts = [*self.authors, self.title, self.venue, self.date or str(self.year)]
        if self.doi:
            parts.append(f"doi:{self.doi}")
        return ", ".join(parts)
