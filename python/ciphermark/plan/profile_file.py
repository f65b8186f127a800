"""The file of a profile (TOML): read, checked, and refused with the line that is wrong.

Sizes have either weights (`weight = 7`, relative to each other) or shares (`share = 58.3`, which
must sum up to 1 or to 100).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import msgspec

from ciphermark.errors import UsageError
from ciphermark.files import toml_file
from ciphermark.plan import bursts as burst_rules
from ciphermark.plan.bursts import Bursts
from ciphermark.plan.profile import HEAVIEST, Bytes, Ends, Layer, Part, Profile, of_frames

SHARES_WITHIN = Fraction(1, 1000)
"""By how much of the whole shares may miss it: they are printed with few digits."""

_SHARE_STEPS = 10_000
"""Shares are kept to a hundredth of a per cent of the whole."""

_TABLE = re.compile(r"\s*\[\[\s*messages\s*\]\]")
_PLACE = re.compile(r"\$\.messages\[(\d+)\]")


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


def read(path: Path) -> Profile:
    """Reads a profile; the error is a sentence that names the file, the field and the line."""
    text = toml_file.text_of(path, "the profile")
    table = toml_file.table_of(text, f"the profile {path}")
    try:
        file = msgspec.convert(table, _File)
    except msgspec.ValidationError as error:
        place = _PLACE.search(str(error))
        wrong = toml_file.reason(error)
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
    if file.bursts is not None and (wrong := burst_rules.fault(file.bursts)):
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
    shared = [it.share is not None for it in file.messages]
    if not any(shared):
        return [(it, it.weight or 0) for it in file.messages]
    if not all(shared):
        wrong = "some sizes have weights and others shares: write one or the other for all"
        raise _refused(path, text, wrong, shared.index(False))
    shares = [it.share or 0.0 for it in file.messages]
    try:
        return list(zip(file.messages, whole_weights(shares), strict=True))
    except ValueError as error:
        raise _refused(path, text, str(error), len(shared) - 1) from None


def whole_weights(shares: Sequence[float]) -> list[int]:
    """Shares, which must sum up to 1 or to 100, as whole numbers. Raises `ValueError`."""
    total = sum((Fraction(str(it)) for it in shares), Fraction())
    if all(abs(total / whole - 1) > SHARES_WITHIN for whole in (1, 100)):
        raise ValueError(
            f"the shares sum up to {float(total):g}, and must to 1 or to 100 (per cent): mend "
            "them, or write weights, which need not"
        )
    return [max(1, round(Fraction(str(it)) / total * _SHARE_STEPS)) for it in shares]


def _refused(path: Path, text: str, wrong: str, message: int | None) -> UsageError:
    """The sentence about a file, with the line of one of its sizes where that can be told."""
    lines = [number for number, line in enumerate(text.splitlines(), 1) if _TABLE.match(line)]
    place = ""
    if message is not None and message < len(lines):
        place = f" (line {lines[message]})"
    return UsageError(f"the profile {path} is not valid: {wrong}{place}")
