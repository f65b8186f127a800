"""Sizes, shares and times as people type them."""

from __future__ import annotations

import re

from ciphermark.errors import UsageError

LARGEST_MESSAGE_BYTES = 1 << 30
_MULTIPLES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}


def size(text: str) -> int:
    """Bytes of `16`, `4K`, `1MiB`: powers of 1024."""
    match = re.fullmatch(r"(\d{1,20})\s*([kmg]?)(?:i?b)?", text.strip().lower())
    if match is None:
        raise UsageError(
            f"{text!r} is not a message size: write bytes, or powers of 1024 such as 4K or 1M"
        )
    value = int(match[1]) * _MULTIPLES[match[2]]
    if value > LARGEST_MESSAGE_BYTES:
        raise UsageError(f"a message of {text} is over 1 GiB: write at most --sizes 1G")
    return value


def share(text: str, option: str) -> float:
    """`0.01` or `1%` as 0.01."""
    stripped = text.strip()
    try:
        value = float(stripped.rstrip("%")) / (100 if stripped.endswith("%") else 1)
    except ValueError:
        raise UsageError(f"{option} {text!r} is not a share: write 0.01 or 1%") from None
    if not 0 < value <= 0.5:
        raise UsageError(f"{option} {text} is not above 0 and at most 50%: write for example 1%")
    return value


def seconds(text: str, option: str) -> float:
    """`60`, `60s`, `2m`, `1h` in seconds."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh]?)", text.strip().lower())
    value = float(match[1]) * _SECONDS[match[2]] if match else 0.0
    if not 0 < value <= 86_400:
        raise UsageError(f"{option} {text!r} is not a time up to a day: write 60s or 2m")
    return value


def cpu(text: str) -> int:
    """The number of one CPU."""
    if not re.fullmatch(r"\d{1,5}", text.strip()):
        raise UsageError(f"--cpus {text!r} is not the number of one CPU: write for example 1")
    return int(text)
