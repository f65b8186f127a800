"""Reads files: those that the user names, which may be of any length and hold anything, and the
figures of papers that lie in `published/`."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TypeVar

import msgspec

import ciphermark
from ciphermark.errors import UsageError


def content(path: Path, whose: str, most_bytes: int) -> bytes:
    """The bytes of a file; `whose` names it in a sentence: `the plan mine.toml`.

    Raises `UsageError` for what cannot be read, has more bytes than are allowed, or has no end.
    """
    try:
        with path.open("rb") as file:
            found = file.read(most_bytes + 1)
            size = path.stat().st_size
    except OSError as error:
        raise UsageError(f"{whose} cannot be read: {error.strerror}") from None
    except ValueError as error:  # a zero byte in its name
        raise UsageError(f"{whose} cannot be read: {error}") from None
    if len(found) > most_bytes:
        long = f"is {size:,} bytes long" if size else "does not end"
        raise UsageError(f"{whose} {long}, and at most {most_bytes // 2**10:,} KiB of it are read")
    return found


def text(path: Path, whose: str, most_bytes: int, encoding: str = "utf-8") -> str:
    """The text of a file. Raises `UsageError` with the line where it is none, and as `content`."""
    found = content(path, whose, most_bytes)
    try:
        return found.decode(encoding)
    except UnicodeDecodeError as error:
        line = found.count(b"\n", 0, error.start) + 1
        raise UsageError(
            f"{whose} is not valid: line {line} is no text (byte {found[error.start]:#04x}); save "
            "it as UTF-8"
        ) from None


UNREADABLE = (msgspec.MsgspecError, ValueError, RecursionError)
"""Among them `UnicodeDecodeError`, a `ValueError`: msgspec raises it for texts that are none, and
`RecursionError` for lists within lists without end."""


Record = TypeVar("Record")

_PUBLISHED = Path(ciphermark.__file__).parent / "studies" / "published"


def published(name: str, kind: type[Record]) -> list[Record]:
    """The lines of `published/NAME.csv` in their order, as structs with its columns as fields."""
    with (_PUBLISHED / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return [msgspec.convert(line, kind, strict=False) for line in csv.DictReader(file)]
