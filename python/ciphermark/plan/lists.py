"""Lists of numbers and names as people type them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, get_args

from ciphermark.plan import names

Value = TypeVar("Value")


def each(text: str | None, read: Callable[[str], Value]) -> tuple[Value, ...] | None:
    """Every part of a list, once; None where nothing was given."""
    if text is None:
        return None
    return tuple(dict.fromkeys(read(part) for part in names.split(text) or [text]))


def name_of(kind: object, what: str, see: str) -> Callable[[str], Any]:
    """Reads one of the names that a `Literal` has; who types another is told them all, and the
    command to see."""
    known = {name: name for name in get_args(kind)}
    listing = f"{', '.join(known)} ({see})"
    return lambda text: names.find(text.strip(), known, what, listing)
