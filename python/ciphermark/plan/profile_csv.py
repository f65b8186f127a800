"""Profiles from CSV files: sizes with weights, or the lengths of captured packets, one a line.

The first line names the columns: `bytes,weight`, or `bytes,share` (of 1 or of 100), or `bytes`
alone. Lists that `tshark -T fields -e frame.len` prints have no such line; with `-E header=y` the
name of their column tells the layer: `frame.len` are Ethernet frames without check sequence,
`ip.len` IP packets.
"""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from pathlib import Path

from ciphermark.errors import UsageError
from ciphermark.files import text_file
from ciphermark.plan.profile import HEAVIEST, Layer, Part, Profile
from ciphermark.plan.profile_file import whole_weights
from ciphermark.plan.quantities import LARGEST_MESSAGE_BYTES, whole_number

ETHERNET_HEADER_BYTES = 14
"""What a captured frame has before its packet; captures lack the check sequence."""

MOST_SIZES = 4096
"""Of a capture with more, a size stands for those near it."""

MOST_BYTES = 64 * 2**20
"""A capture of ten million packets; that takes seconds to read."""

_LAYERS: dict[str, Layer] = {"frame.len": "ethernet", "ip.len": "ip", "ipv6.plen": "payload"}
_SIZES = ("bytes", "length", *_LAYERS)
_WEIGHTS = ("weight", "count", "packets", "share")
_NUMBER = re.compile(r"\d{1,15}(\.\d{1,15})?")


class _Lines:
    """Lines of a file, with the sentences about them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        text = text_file.read(path, f"the profile {path}", MOST_BYTES, "utf-8-sig")
        numbered = enumerate(text.splitlines(), 1)
        self.lines = [(number, line.strip()) for number, line in numbered if line.strip()]
        if not self.lines:
            raise self.refused(1, "there is nothing: write a first line bytes,weight and the sizes")

    def refused(self, number: int, wrong: str) -> UsageError:
        return UsageError(f"the profile {self.path}, line {number}: {wrong}")


def read(path: Path) -> Profile:
    """Reads a profile; the error is a sentence that names the file and the line."""
    file = _Lines(path)
    size, weight = _columns(file)
    counts: Counter[int] = Counter()
    weights: list[tuple[int, int, Fraction]] = []
    for number, line in file.lines:
        bytes_, value = _fields(file, number, line, weight)
        counts[bytes_] += 1
        weights.append((number, bytes_, value))
    if not weights:
        raise file.refused(1, "there are no sizes below the names of the columns: write 1500,1")
    layer = _LAYERS.get(size, "payload")
    parts = _parts(file, weight, weights) if weight else _captured(counts)
    if size == "frame.len":
        parts = [_without_header(file, it) for it in parts]
    return Profile(
        path.stem,
        f"{len(weights)} lines of {path.name}" if weight else f"{counts.total()} captured packets",
        tuple(parts),
        source=str(path),
        layer=layer,
    )


def _columns(file: _Lines) -> tuple[str, str | None]:
    """Names of the columns of sizes and of weights; takes the line with the names away."""
    number, first = file.lines[0]
    _refuse_locale(file, number, first)
    names = [it.strip().strip('"').lower() for it in first.split(",")]
    if len(names) == 1 and _NUMBER.fullmatch(names[0]):
        return "bytes", None
    known = names[0] in _SIZES and (len(names) == 1 or (len(names) == 2 and names[1] in _WEIGHTS))
    if not known:
        raise file.refused(
            number,
            f"{first[:60]!r} names no columns that are known: write bytes,weight (or bytes,share, "
            "or a plain list of lengths)",
        )
    del file.lines[0]
    return names[0], names[1] if len(names) == 2 else None


def _refuse_locale(file: _Lines, number: int, line: str) -> None:
    if ";" in line or "\t" in line:
        between = "semicolons" if ";" in line else "tabs"
        raise file.refused(
            number,
            f"{line[:60]!r} has {between} between its columns: write commas, and a point before "
            "decimals",
        )


def _fields(file: _Lines, number: int, line: str, weight: str | None) -> tuple[int, Fraction]:
    """Size and weight of one line."""
    _refuse_locale(file, number, line)
    fields = [it.strip().strip('"') for it in line.split(",")]
    wanted = 2 if weight else 1
    if len(fields) < wanted:
        raise file.refused(number, f"{line!r} has no {weight}: is the file cut off? write 1500,1")
    if len(fields) > wanted:
        hint = "numbers have a decimal point, as 0.25" if weight else "write one length a line"
        raise file.refused(number, f"{line[:60]!r} has {len(fields)} columns, not {wanted}: {hint}")
    size = whole_number(fields[0])
    if size is None or size > LARGEST_MESSAGE_BYTES:
        raise file.refused(number, f"{fields[0]!r} is no number of bytes up to 1 GiB: write 1500")
    return size, _weight(file, number, fields[1]) if weight else Fraction(1)


def _weight(file: _Lines, number: int, text: str) -> Fraction:
    stripped = text.removesuffix("%").strip()
    if not _NUMBER.fullmatch(stripped) or not Fraction(stripped) > 0:
        raise file.refused(number, f"{text!r} is no weight above 0: write for example 7 or 0.25")
    return Fraction(stripped)


def _parts(file: _Lines, weight: str, lines: list[tuple[int, int, Fraction]]) -> list[Part]:
    """Sizes with whole weights in the ratio of those that are written."""
    values = [value for _, _, value in lines]
    if weight == "share":
        try:
            whole = whole_weights([float(it) for it in values])
        except ValueError as error:
            raise file.refused(lines[-1][0], str(error)) from None
    elif all(it.denominator == 1 and it <= HEAVIEST for it in values):
        whole = [int(it) for it in values]
    else:
        whole = [max(1, round(it / max(values) * HEAVIEST)) for it in values]
    return [Part(bytes=it[1], weight=count) for it, count in zip(lines, whole, strict=True)]


def _captured(counts: Counter[int]) -> list[Part]:
    """Sizes as often as they were captured, in the file's ratio where the numbers are large."""
    most = max(counts.values())
    scale = Fraction(min(most, HEAVIEST), most)
    kept = sorted(counts.items()) if len(counts) <= MOST_SIZES else _near(counts)
    return [Part(bytes=size, weight=max(1, round(n * scale))) for size, n in kept]


def _near(counts: Counter[int]) -> list[tuple[int, int]]:
    """Sizes of one step, rounded up to its end, together."""
    step = -(-max(counts) // MOST_SIZES)
    found: Counter[int] = Counter()
    for size, count in counts.items():
        found[-(-size // step) * step] += count
    return sorted(found.items())


def _without_header(file: _Lines, part: Part) -> Part:
    size = part.ends[0] - ETHERNET_HEADER_BYTES
    if size < 0:
        raise file.refused(
            1, f"a frame of {part.ends[0]} bytes holds no packet: write lengths of whole frames"
        )
    return Part(bytes=size, weight=part.weight)
