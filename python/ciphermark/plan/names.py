"""Names that people type: found with their aliases, or refused with the names that are near."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

from ciphermark.errors import UsageError

LONGEST = 200
"""Characters of a name or of a pattern of names; ours have a third. Looking for what a long one
resembles, or fits, takes minutes."""


def split(text: str) -> list[str]:
    """`"a, b,c"` as a list; empty parts are dropped."""
    return [part.strip() for part in text.split(",") if part.strip()]


def find(name: str, known: Mapping[str, str], what: str, listing: str) -> str:
    """The canonical name of `name` in `known` (name or alias → canonical name).

    `what` names the kind of thing, `listing` the command that lists them.
    """
    canonical = known.get(name.lower())
    if canonical is None:
        raise UsageError(unknown(name, known, what, listing))
    return canonical


def unknown(name: str, known: Iterable[str], what: str, listing: str) -> str:
    """The sentence about a name that is not known."""
    typed = name.lower() if len(name) <= LONGEST else ""
    near = difflib.get_close_matches(typed, list(known), n=3, cutoff=0.5)
    hint = f"near: {', '.join(near)}" if near else f"see: {listing}"
    return f"there is no {what} {name!r}; {hint}"
