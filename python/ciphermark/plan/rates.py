"""Rates as people type them: bits and bytes, powers of 1000 and of 1024, never mixed up.

`b` and `bit` are bits, `B` and `byte` bytes; `k`, `M`, `G`, `T` are powers of 1000 and `Ki`, `Mi`,
`Gi`, `Ti` of 1024. Without a unit bits per second are meant, as on every link.
"""

from __future__ import annotations

import re

from ciphermark.errors import UsageError

_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_UNITS = {"": 1, "b": 1, "bit": 1, "bits": 1, "B": 8, "byte": 8, "bytes": 8, "Byte": 8, "Bytes": 8}
_RATE = re.compile(r"(\d{1,15}(?:\.\d{1,15})?)\s*([kKmMgGtT]?)(i?)(bits?|[bB]ytes?|b|B)?(/s|ps)?")
MOST_BITS_PER_SECOND = 1e15


def bits_per_second(text: str, option: str) -> float:
    """Bits per second of `1G`, `1Gbit/s`, `100MB/s`, `1Gib/s`. Raises `UsageError`."""
    match = _RATE.fullmatch(text.strip())
    value = None if match is None else _value(*match.groups())
    if value is None or not 0 < value <= MOST_BITS_PER_SECOND:
        raise UsageError(
            f"{option} {text!r} is not a rate: write bits per second such as 1G or 100Mbit/s, or "
            "bytes such as 100MB/s (powers of 1000; 1Gib/s and 1GiB/s are of 1024)"
        )
    return value


def _value(
    number: str, prefix: str, binary: str, unit: str | None, per: str | None
) -> float | None:
    """None where it is an amount and no rate, or a prefix that there is not."""
    if binary and not prefix or (per and not unit) or (unit in ("B", "Byte", "Bytes") and not per):
        return None
    base = 1024 if binary else 1000
    rate: float = float(number) * base ** _POWERS[prefix.lower()] * _UNITS[unit or ""]
    return rate


def hertz(text: str, option: str) -> float:
    """Hertz of `2.4GHz`, `168MHz`. Raises `UsageError`."""
    match = re.fullmatch(r"(\d{1,6}(?:\.\d{1,9})?)\s*([kMG]?)Hz", text.strip())
    value = 0.0 if match is None else float(match[1]) * 1000 ** _POWERS[match[2].lower()]
    if not 1e3 <= value <= 1e11:
        raise UsageError(f"{option} {text!r} is not a clock: write for example 2.4GHz")
    return value
