"""Reads TOML that people write: plans, profiles, nodes, protocols, targets, sets of flags.

Python's reader takes minutes for a name of many parts, calls itself for each list within a list,
and has no end of digits. What nobody writes by hand is therefore refused before it is read, with
the line where it stands.
"""

from __future__ import annotations

import math
import re
import tomllib
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from ciphermark.errors import UsageError, shortened
from ciphermark.files import reading

Kind = TypeVar("Kind")

MOST_BYTES = 512 * 2**10
"""A profile of some thousand sizes has a third of that; it is read in half a second."""

DEEPEST = 16
"""Lists and tables within each other, and parts of a name; ours have 4."""

MOST_DIGITS = 400
"""Of a number as it is written. The longest of 64 bits has 64, in base 2."""

_OF_REASON = 200
"""Characters that are shown of what a reader says is wrong."""

# Each alternative takes all that it begins, so that no text is looked at twice.
_TOKEN = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"{3,5}|\Z)|'
    r"'''(?:[^']|'(?!''))*+(?:'{3,5}|\Z)|"
    r'(?P<string>"(?:[^"\\\n]|\\.)*+"?|'
    r"'[^'\n]*+'?)|"
    r"#[^\n]*+|"
    r"(?P<word>[A-Za-z0-9_+:-]++)|"
    r"(?P<dot>\.)|(?P<open>[\[{])|(?P<close>[\]}])|(?P<blank>[ \t]++)|[^\w]",
    re.DOTALL,
)


class _Refused(Exception):
    """What a file has that nobody writes by hand."""


def read(path: Path, what: str) -> dict[str, Any]:
    """What stands in a file; `what` says of what kind it is: `the plan`. Raises `UsageError`."""
    return table_of(text_of(path, what), f"{what} {path}")


def read_as(path: Path, what: str, kind: type[Kind]) -> Kind:
    """The same as a type of ours, whose bounds hold. Raises `UsageError`."""
    return as_kind(read(path, what), f"{what} {path}", kind)


def text_of(path: Path, what: str) -> str:
    """The text of a file. Raises `UsageError` for what is not there, no text, or very long."""
    return reading.text(path, f"{what} {path}", MOST_BYTES)


def table_of(text: str, whose: str) -> dict[str, Any]:
    """What a text says. Raises `UsageError`, in which `whose` names it: `the plan mine.toml`."""
    try:
        _check_text(text)
        table = tomllib.loads(text)
        _check_value(table)
    except _Refused as refused:
        raise UsageError(f"{whose} is not valid: {refused}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{whose} is not valid: {reason(error)}") from None
    return table


def as_kind(value: object, whose: str, kind: type[Kind]) -> Kind:
    """A value as a type of ours. Raises `UsageError` with the field that is wrong."""
    try:
        return msgspec.convert(value, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        raise UsageError(f"{whose} is not valid: {reason(error)}") from None


def reason(error: Exception) -> str:
    """What a reader says, which may quote all of a text, as it can stand in a sentence."""
    return shortened(" ".join(str(error).split()), _OF_REASON)


def _check_text(text: str) -> None:
    """Refuses what is deep or long by its form, which is what costs Python's reader its time."""
    depth = parts = 0
    was_part = False
    for token in _TOKEN.finditer(text):
        match token.lastgroup:
            case "word" | "string":
                parts = parts if was_part else parts + 1
                was_part = True
                if token.lastgroup == "word":
                    _check_word(text, token)
            case "dot":
                was_part = False
                if parts >= DEEPEST:
                    raise _Refused(
                        f"line {_line(text, token)} has a name of more than {DEEPEST} parts: write "
                        "a name without dots below the header of its table"
                    )
            case "blank":
                pass
            case kind:
                depth += (kind == "open") - (kind == "close")
                depth, parts, was_part = max(depth, 0), 0, False
                if depth > DEEPEST:
                    raise _Refused(
                        f"line {_line(text, token)} nests lists and tables more than {DEEPEST} "
                        "deep: write them one after the other"
                    )


def _check_word(text: str, token: re.Match[str]) -> None:
    word = token[0]
    if len(word) > MOST_DIGITS and (word[0].isdecimal() or word[0] in "+-"):
        digits = sum(map(str.isalnum, word))
        raise _Refused(
            f"line {_line(text, token)} has a number of {digits} digits: write one of at most 18"
        )


def _check_value(table: dict[str, Any]) -> None:
    """Refuses numbers that none of ours can be, and what is nested by names."""
    waiting: list[tuple[_Place, Any]] = [(_Place(None, ""), table)]
    while waiting:
        place, value = waiting.pop()
        if place.depth > DEEPEST:
            raise _Refused(f"{place} is nested more than {DEEPEST} deep: write it flat")
        if isinstance(value, dict):
            waiting += ((_Place(place, key), it) for key, it in value.items())
        elif isinstance(value, list):
            waiting += ((_Place(place, ""), it) for it in value)
        elif isinstance(value, float) and not math.isfinite(value):
            raise _Refused(f"{place} is {value}, and must be a number that is finite")
        elif isinstance(value, int) and not -(2**63) <= value < 2**63:
            digits = len(str(abs(value)))
            raise _Refused(f"{place} is a number of {digits} digits: write one of at most 18")


class _Place:
    """Where a value stands. Its name is made when it is asked for: below a long one there may be
    many values."""

    __slots__ = ("depth", "key", "within")

    def __init__(self, within: _Place | None, key: str) -> None:
        self.within = within
        self.key = key
        self.depth: int = 0 if within is None else within.depth + 1

    def __str__(self) -> str:
        keys: list[str] = []
        place: _Place | None = self
        while place is not None:
            keys.append(place.key)
            place = place.within
        return shortened(".".join(filter(None, [*keys, "$"][::-1])))


def _line(text: str, token: re.Match[str]) -> int:
    return text.count("\n", 0, token.start()) + 1
