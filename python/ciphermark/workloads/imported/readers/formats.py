"""The programs whose output can be read, and which of them a file is of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ciphermark.errors import UsageError
from ciphermark.files import reading
from ciphermark.plan.names import unknown
from ciphermark.workloads.imported.readers import (
    bench_slope,
    botan,
    cryptsetup,
    dpdk,
    ipsec_mb,
    openssl_speed,
    openssl_speed_mr,
    supercop,
)
from ciphermark.workloads.imported.readers.reading import (
    Reading,
    Unreadable,
    check_figures,
    check_once,
)

MOST_BYTES = 64 * 2**20
"""A file of SUPERCOP's whole database of one machine has some tens of millions."""

MOST_LINES = 1_000_000
"""That file has half as many."""

_NO_ELAPSED = ("openssl-speed", "openssl-speed-mr")


@dataclass(frozen=True)
class Format:
    """One form of output."""

    name: str
    found_in: Callable[[str], bool]
    """Whether a text looks like it."""
    read: Callable[[str, bool | None], Reading]
    """All of it, or `Unreadable`; the second tells whether wall time divides, where known."""


def _without(read: Callable[[str], Reading]) -> Callable[[str, bool | None], Reading]:
    return lambda text, elapsed: read(text)


FORMATS: dict[str, Format] = {
    it.name: it
    for it in (
        Format("openssl-speed", openssl_speed.found_in, openssl_speed.read),
        Format("openssl-speed-mr", openssl_speed_mr.found_in, openssl_speed_mr.read),
        Format("cryptsetup", cryptsetup.found_in, _without(cryptsetup.read)),
        Format("botan", botan.found_in, _without(botan.read)),
        Format("dpdk", dpdk.found_in, _without(dpdk.read)),
        Format("ipsec-mb", ipsec_mb.found_in, _without(ipsec_mb.read)),
        Format("bench-slope", bench_slope.found_in, _without(bench_slope.read)),
        Format("supercop", supercop.found_in, _without(supercop.read)),
    )
}
"""By name, in the order in which a file is tried."""


def find(name: str) -> Format:
    """The format of a name. Raises `UsageError`."""
    if name not in FORMATS:
        raise UsageError(unknown(name, FORMATS, "format", ", ".join(FORMATS)))
    return FORMATS[name]


def read(
    path: Path, content: bytes, wanted: Format | None, elapsed: bool | None
) -> tuple[Format, Reading]:
    """What a file says, whole. Raises `UsageError` with the line where it cannot be read."""
    text = _text(path, content)
    chosen = wanted or _detected(path, text)
    if elapsed is not None and chosen.name not in _NO_ELAPSED:
        raise UsageError(
            f"--elapsed and --no-elapsed are of openssl speed, and {path} is of {chosen.name}"
        )
    try:
        reading = chosen.read(text, elapsed)
        check_once(reading.figures)
        check_figures(reading.figures)
        return chosen, reading
    except Unreadable as found:
        raise UsageError(
            f"{path}, line {found.line}: {found.what} (read as {chosen.name}; nothing was imported)"
        ) from None


def content_of(path: Path) -> bytes:
    """The bytes of a file. Raises `UsageError`."""
    return reading.content(path, str(path), MOST_BYTES)


def _text(path: Path, content: bytes) -> str:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UsageError(
            f"{path}, line {line}: is no text (byte {content[error.start]:#04x}); nothing was "
            "imported"
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise UsageError(f"{path}, line {line}: is no text (byte 0x00); nothing was imported")
    if (lines := text.count("\n")) > MOST_LINES:
        raise UsageError(f"{path} has {lines:,} lines, and at most {MOST_LINES:,} are read")
    return text.replace("\r\n", "\n")


def _detected(path: Path, text: str) -> Format:
    found = next((it for it in FORMATS.values() if it.found_in(text)), None)
    if found is None:
        raise UsageError(
            f"{path}, line 1: is of none of the programs that are known; nothing was imported. If "
            f"it should be, name it with --format: {', '.join(FORMATS)}"
        )
    return found
