"""What people are told on standard error."""

from __future__ import annotations

import sys

_said: set[str] = set()


def say(message: object) -> None:
    """Prints one line."""
    if sys.stderr is not None:
        print(f"ciphermark: {message}", file=sys.stderr)


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
