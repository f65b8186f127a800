"""What is wished for: how strong, how long a tag, approved by whom, how much room."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from ciphermark.errors import UsageError

By = Literal["throughput", "cpu", "latency", "energy"]

TAG = re.compile(r"(\d{1,3})([+-]?)")


class TagWish(msgspec.Struct, frozen=True):
    """Bytes of a tag: exactly so many, at least (`+`) or at most (`-`)."""

    bytes: int
    sense: Literal["", "+", "-"] = ""

    def fits(self, tag_bytes: int) -> bool:
        if self.sense == "+":
            return tag_bytes >= self.bytes
        return tag_bytes <= self.bytes if self.sense == "-" else tag_bytes == self.bytes

    def __str__(self) -> str:
        before = {"": "", "+": "at least ", "-": "at most "}[self.sense]
        return f"{before}{self.bytes} bytes"


class Wishes(msgspec.Struct, frozen=True, kw_only=True):
    """What a suite has to be."""

    strength_bits: int = 128
    tag: TagWish | None = None
    fips: bool = False
    allow_legacy: bool = False
    memory_bytes: int | None = None
    """For context and stack."""
    code_bytes: int | None = None
    """For code and tables."""
    needs_integrity: bool = True


def tag_wish(text: str | None) -> TagWish | None:
    """Reads `--tag`: `16`, `12+`, `8-`. Raises `UsageError`."""
    if text is None:
        return None
    match = TAG.fullmatch(text.strip())
    if match is None or int(match[1]) > 64:
        raise UsageError(
            f"--tag {text!r} is not a length of tags: write bytes, as 16, or 12+ for at least 12, "
            "or 8- for at most 8"
        )
    return TagWish(int(match[1]), match[2])


def compliance(text: str | None, allow_legacy: bool) -> tuple[bool, bool]:
    """Whether only what FIPS approves counts, and whether legacy counts. Raises `UsageError`."""
    from ciphermark.plan import names

    known = {"fips": "fips", "no-legacy": "no-legacy"}
    found = [
        names.find(it, known, "compliance", "fips, no-legacy") for it in names.split(text or "")
    ]
    if "no-legacy" in found and allow_legacy:
        raise UsageError("--compliance no-legacy and --allow-legacy contradict: leave one out")
    return "fips" in found, allow_legacy
