"""Lines of a file, and the numbers in them."""

from __future__ import annotations

import re

from ciphermark.errors import shortened
from ciphermark.workloads.imported.readers.reading import Line, Unreadable

MOST_DIGITS = 30
"""Of a number: what programs print has half as many, and its reciprocal is a number too."""

LARGEST_WHOLE = 2**53
"""Up to which a number without decimals is exact."""

LONGEST_LINE = 65_536
"""Characters: a table of ipsec_perf has a column for each of hundreds of variants."""

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_COMMA = re.compile(r"\d+,\d+")


def lines_of(text: str, longest: int = LONGEST_LINE) -> list[Line]:
    """The lines of a file that ends where a line ends.

    A file that does not may have lost a digit, which would be another figure.
    """
    if not text.strip():
        raise Unreadable(1, "there is nothing in it")
    lines = [Line(number, it) for number, it in enumerate(text.splitlines(), start=1)]
    for line in lines:
        if len(line.text) > longest:
            raise Unreadable(
                line.number, f"has {len(line.text):,} characters, which is no line of a program"
            )
    if not text.endswith("\n"):
        raise Unreadable(
            lines[-1].number,
            "has no end, so the file may be cut; if it is whole, end it with a line break",
        )
    return lines


def number(text: str, line: int) -> float:
    """A number above 0 or 0, with a point before its decimals if it has any."""
    stripped = text.strip()
    if _COMMA.fullmatch(stripped):
        raise Unreadable(line, f"has a comma in {stripped}: run the program again with LC_ALL=C")
    if len(stripped) > MOST_DIGITS or not _NUMBER.fullmatch(stripped):
        raise Unreadable(line, f"has {_shown(stripped)} where a number belongs")
    return float(stripped)


def whole(text: str, line: int) -> int:
    """A number without decimals."""
    value = number(text, line)
    if value != int(value) or value > LARGEST_WHOLE:
        raise Unreadable(line, f"has {_shown(text)} where a whole number belongs")
    return int(value)


def positive(text: str, line: int) -> float:
    """A number above 0."""
    value = number(text, line)
    if value <= 0:
        raise Unreadable(line, f"has {_shown(text)} where a number above 0 belongs")
    return value


def _shown(text: str) -> str:
    """A text as it can stand in a sentence, whatever is in it."""
    return repr(shortened(text, 40))
