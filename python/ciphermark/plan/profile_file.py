"""Files of profiles (TOML, CSV): read, checked, and refused with the line that is wrong.

In TOML sizes have either weights (`weight = 7`, relative to each other) or shares (`share = 58.3`,
which must sum up to 1 or to 100).

A CSV file has sizes with weights, or the lengths of captured packets, one a line. Its first line
names the columns: `bytes,weight`, or `bytes,share` (of 1 or of 100), or `bytes` alone. Lists that
`tshark -T fields -e frame.len` prints have no such line; with `-E header=y` the name of their
column tells the layer: `frame.len` are Ethernet frames without check sequence, `ip.len` IP packets.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import msgspec

from ciphermark.errors import UsageError
from ciphermark.files import reading, toml_file
from ciphermark.plan import profile as burst_rules
from ciphermark.plan.profile import HEAVIEST, Bursts, Bytes, Ends, Layer, Part, Profile, of_frames
from ciphermark.plan.quantities import LARGEST_MESSAGE_BYTES, whole_number

SHARES_WITHIN = Fraction(1, 1000)
"""By how much of the whole shares may miss it: they are printed with few digits."""

_SHARE_STEPS = 10_000
"""Shares are kept to a hundredth of a per cent of the whole."""

_TABLE = re.compile(r"\s*\[\[\s*messages\s*\]\]")
_PLACE = re.compile(r"messages\[(\d+)\]")


class _Message(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    bytes: Bytes | Ends
    weight: Annotated[int, msgspec.Meta(ge=1, le=HEAVIEST)] | None = None
    share: Annotated[float, msgspec.Meta(gt=0, le=100)] | None = None


class _File(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    title: str
    messages: Annotated[list[_Message], msgspec.Meta(min_length=1)]
    source: str = ""
    layer: Layer = "payload"
    mtu_bytes: Annotated[int, msgspec.Meta(ge=1, le=65_535)] | None = None
    bursts: Bursts | None = None


def read_toml(path: Path) -> Profile:
    """Reads a profile; the error is a sentence that names the file, the field and the line."""
    text = toml_file.text_of(path, "the profile")
    table = toml_file.table_of(text, f"the profile {path}")
    try:
        file = msgspec.convert(table, _File)
    except msgspec.ValidationError as error:
        wrong = toml_file.fault(table, _File) or toml_file.reason(error)
        place = _PLACE.search(wrong)
        raise _refused(path, text, wrong, int(place[1]) if place else None) from None
    _check(path, text, file)
    parts = [Part(bytes=it.bytes, weight=weight) for it, weight in _weighted(path, text, file)]
    return Profile(
        path.stem,
        file.title,
        tuple(of_frames(parts) if file.layer == "ethernet" else parts),
        source=file.source,
        layer=file.layer,
        mtu_bytes=file.mtu_bytes,
        bursts=file.bursts,
    )


def _check(path: Path, text: str, file: _File) -> None:
    for number, message in enumerate(file.messages):
        low, high = Part(bytes=message.bytes, weight=1).ends
        if wrong := _wrong_size(file, low, high):
            raise _refused(path, text, wrong, number)
        if (message.weight is None) == (message.share is None):
            wrong = "each size needs a weight such as 7, or a share such as 58.3, and not both"
            raise _refused(path, text, wrong, number)
    if file.bursts is not None and (wrong := burst_rules.burst_fault(file.bursts)):
        raise UsageError(f"the profile {path} is not valid: {wrong}")


def _wrong_size(file: _File, low: int, high: int) -> str | None:
    if low > high:
        return f"bytes = [{low}, {high}] begin with the longer: write [{high}, {low}]"
    if file.mtu_bytes is not None and high > file.mtu_bytes:
        return (
            f"{high} bytes are more than mtu_bytes = {file.mtu_bytes}: write at most "
            f"{file.mtu_bytes}, or another MTU"
        )
    if file.layer == "ethernet" and (shortest := _no_frame(low)):
        return shortest
    return None


def _no_frame(frame_bytes: int) -> str | None:
    """What is wrong with a frame that holds no packet."""
    try:
        of_frames([Part(bytes=frame_bytes, weight=1)])
    except ValueError as error:
        return str(error)
    return None


def _weighted(path: Path, text: str, file: _File) -> list[tuple[_Message, int]]:
    """Each size with a whole weight."""
    shared = [message.share is not None for message in file.messages]
    if not any(shared):
        return [(message, message.weight or 0) for message in file.messages]
    if not all(shared):
        wrong = "some sizes have weights and others shares: write one or the other for all"
        raise _refused(path, text, wrong, shared.index(False))
    shares = [message.share or 0.0 for message in file.messages]
    try:
        return list(zip(file.messages, whole_weights(shares), strict=True))
    except ValueError as error:
        raise _refused(path, text, str(error), len(shared) - 1) from None


def whole_weights(shares: Sequence[float]) -> list[int]:
    """Shares, which must sum up to 1 or to 100, as whole numbers. Raises `ValueError`."""
    total = sum((Fraction(str(share)) for share in shares), Fraction())
    if all(abs(total / whole - 1) > SHARES_WITHIN for whole in (1, 100)):
        raise ValueError(
            f"the shares sum up to {float(total):g}, and must sum up to 1 or to 100 (per cent): "
            "correct them, or write weights, which may have any sum"
        )
    return [max(1, round(Fraction(str(share)) / total * _SHARE_STEPS)) for share in shares]


def _refused(path: Path, text: str, wrong: str, message: int | None) -> UsageError:
    """The sentence about a file, with the line of one of its sizes where that can be told."""
    lines = [number for number, line in enumerate(text.splitlines(), 1) if _TABLE.match(line)]
    place = ""
    if message is not None and message < len(lines):
        place = f" (line {lines[message]})"
    return UsageError(f"the profile {path} is not valid: {wrong}{place}")


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
        text = reading.text(path, f"the profile {path}", MOST_BYTES, "utf-8-sig")
        numbered = enumerate(text.splitlines(), 1)
        self.lines = [(number, line.strip()) for number, line in numbered if line.strip()]
        if not self.lines:
            raise self.refused(1, "there is nothing: write a first line bytes,weight and the sizes")

    def refused(self, number: int, wrong: str) -> UsageError:
        return UsageError(f"the profile {self.path}, line {number}: {wrong}")


def read_csv(path: Path) -> Profile:
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
        parts = [_without_header(file, part) for part in parts]
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
        raise file.refused(
            number, f"{line[:60]!r} has no {weight}: is the file cut off? write 1500,1"
        )
    if len(fields) > wanted:
        hint = "numbers have a decimal point, as 0.25" if weight else "write one length a line"
        raise file.refused(number, f"{line[:60]!r} has {len(fields)} columns, not {wanted}: {hint}")
    size = whole_number(fields[0])
    if size is None or size > LARGEST_MESSAGE_BYTES:
        raise file.refused(
            number, f"{fields[0][:60]!r} is no number of bytes up to 1 GiB: write 1500"
        )
    return size, _weight_of(file, number, fields[1]) if weight else Fraction(1)


def _weight_of(file: _Lines, number: int, text: str) -> Fraction:
    stripped = text.removesuffix("%").strip()
    if not _NUMBER.fullmatch(stripped) or not Fraction(stripped) > 0:
        raise file.refused(
            number, f"{text[:60]!r} is no weight above 0: write for example 7 or 0.25"
        )
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
