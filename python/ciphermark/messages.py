"""Messages on standard error, and texts of others made safe to print."""

from __future__ import annotations

import re
import sys

_said: set[str] = set()

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Characters that steer a terminal or the direction of text, except tab and newline."""


def visible(text: str) -> str:
    """Returns a text whose control characters are escapes of JSON, such as `\\u001b`."""
    return _CONTROLS.sub(lambda it: f"\\u{ord(it[0]):04x}", text)


def one_line(text: str) -> str:
    """Returns a visible text with blanks for its line breaks and tabs."""
    return re.sub(r"\s*[\n\t]\s*", " ", visible(text))


def say(message: object) -> None:
    """Prints one line."""
    if sys.stderr is not None:
        print(f"ciphermark: {visible(str(message))}", file=sys.stderr)


def say_once(subject: str, message: object) -> None:
    """Prints one line, unless one of this subject was printed by this process before."""
    if subject not in _said:
        _said.add(subject)
        say(message)


def is_utf8(text: str) -> bool:
    """Returns whether UTF-8 can hold a text; an argument or the name of a file may be any bytes."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
