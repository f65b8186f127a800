"""The programs whose output can be read, and which of them a file is of."""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ciphermark.errors import UsageError
from ciphermark.files import reading
from ciphermark.plan import extensions
from ciphermark.plan.names import unknown
from ciphermark.workloads.imported.readers import ipsec_mb, openssl_speed
from ciphermark.workloads.imported.readers.programs import PROGRAMS
from ciphermark.workloads.imported.readers.reading import (
    Reading,
    Unreadable,
    check_figures,
    check_once,
)

MOST_BYTES = 64 * 2**20
"""A file of SUPERCOP's whole database of one machine has some tens of millions."""

MOST_LINES = 1_000_000
"""Most lines of a file; the longest known one has half as many."""

_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
"""Characters at which `splitlines` ends a line."""

_NO_ELAPSED = ("openssl-speed", "openssl-speed-mr")


@dataclass(frozen=True)
class Format:
    """One form of output."""

    name: str
    found_in: Callable[[str], bool]
    """Test of a text: whether it looks like this format."""
    read: Callable[[str, bool | None], list[Reading]]
    """All of it, or `Unreadable`; the second tells whether wall time divides, where known."""


def _without(read: Callable[[str], list[Reading]]) -> Callable[[str, bool | None], list[Reading]]:
    return lambda text, elapsed: read(text)


FORMATS: dict[str, Format] = {
    it.name: it
    for it in (
        *(Format(it.name, it.found_in, _without(it.read)) for it in (ipsec_mb.SPEED, *PROGRAMS)),
        Format("ipsec-mb", ipsec_mb.found_in, _without(ipsec_mb.read)),
        Format("openssl-speed", openssl_speed.found_in, openssl_speed.read),
        Format("openssl-speed-mr", openssl_speed.found_in_mr, openssl_speed.read),
    )
}
"""Formats that come with ciphermark by name, in the order in which a file is tried."""


def known() -> dict[str, Format]:
    """Returns all formats by name, the user's own first. Raises `UsageError`."""
    own = {}
    for module in extensions.modules("importers"):
        form = getattr(module, "FORMAT", None)
        if not isinstance(form, Format):
            raise UsageError(f"the extension {module.__file__} defines no FORMAT, a Format")
        own[form.name] = form
    return own | FORMATS


def find(name: str) -> Format:
    """Returns the format of a name. Raises `UsageError`."""
    formats = known()
    if name not in formats:
        raise UsageError(unknown(name, formats, "format", ", ".join(formats)))
    return formats[name]


def read(
    path: Path, content: bytes, wanted: Format | None, elapsed: bool | None
) -> tuple[Format, list[Reading]]:
    """Returns all that a file says. Raises `UsageError` with the line where it cannot be read."""
    text = _text(path, content)
    chosen = wanted or _detected(path, text)
    if elapsed is not None and chosen.name not in _NO_ELAPSED:
        raise UsageError(
            f"--elapsed and --no-elapsed are of openssl speed, and {path} is of {chosen.name}"
        )
    try:
        readings = chosen.read(text, elapsed)
        for reading in readings:
            check_once(reading.figures)
            check_figures(reading.figures)
        return chosen, readings
    except Unreadable as found:
        raise UsageError(
            f"{path}, line {found.line}: {found.what} (read as {chosen.name}; nothing was imported)"
        ) from None


def content_of(path: Path) -> bytes:
    """Returns the bytes of a file. Raises `UsageError`."""
    return reading.content(path, str(path), MOST_BYTES)


def _text(path: Path, content: bytes) -> str:
    """Returns the text of a file, without the traces of how it was copied."""
    encoding = "utf-16" if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UsageError(
            f"{path}, line {line}: is no text (byte {content[error.start]:#04x}); nothing was "
            "imported"
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise UsageError(f"{path}, line {line}: is no text (byte 0x00); nothing was imported")
    text = text.replace("\r\n", "\n")
    if (lines := sum(map(text.count, _BREAKS))) > MOST_LINES:
        raise UsageError(f"{path} has {lines:,} lines, and at most {MOST_LINES:,} are read")
    return _unquoted(_COLOUR.sub("", text.replace("\xa0", " ")))


_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_PREFIX = re.compile(r"(?:\d{4}-\d\d-\d\dT[\d:.]+Z? |[>#] ?|[ \t]+)")
_MOST_PREFIXES = 3


def _unquoted(text: str) -> str:
    """Removes the quotes, comment signs, times or blanks that begin every line."""
    lines = text.split("\n")
    for _ in range(_MOST_PREFIXES):
        if not all(_PREFIX.match(line) for line in lines if line.strip()):
            break
        blanks = min((len(it) - len(it.lstrip()) for it in lines if it.strip()), default=0)
        lines = [line[blanks:] if blanks else _PREFIX.sub("", line, count=1) for line in lines]
    return "\n".join(lines)


def _detected(path: Path, text: str) -> Format:
    formats = known()
    form = next((it for it in formats.values() if it.found_in(text)), None)
    if form is None:
        raise UsageError(
            f"{path}, line 1: is of none of the programs that are known; nothing was imported. If "
            f"it should be, name it with --format: {', '.join(formats)}"
        )
    return form
