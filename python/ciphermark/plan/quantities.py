"""Sizes, shares, times, rates and figures of your own as people type them.

In rates `b` and `bit` are bits, `B` and `byte` bytes; `k`, `M`, `G`, `T` are powers of 1000 and
`Ki`, `Mi`, `Gi`, `Ti` of 1024. Without a unit bits per second are meant, as on every link.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ciphermark.errors import UsageError
from ciphermark.plan import names

LARGEST_MESSAGE_BYTES = 1 << 30
_MULTIPLES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_SECONDS = {"": 1.0, "us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_TIME = r"(\d+(?:\.\d+)?)\s*([um]s|[smh]?)"


def whole_number(text: str) -> int | None:
    """A number of digits alone, as one of 64 bits; None where it is none or has more."""
    return int(text) if re.fullmatch(r"[0-9]{1,18}", text) else None


def size(text: str) -> int:
    """Bytes of `16`, `4K`, `1MiB`: powers of 1024."""
    value = _bytes_of(text)
    if value is None:
        raise UsageError(
            f"{text!r} is not a message size: write bytes, or powers of 1024 such as 4K or 1M"
        )
    if value > LARGEST_MESSAGE_BYTES:
        raise UsageError(f"a message of {text} is over 1 GiB: write at most --sizes 1G")
    return value


def memory(text: str, option: str) -> int:
    """Bytes of memory, written as a size."""
    value = _bytes_of(text)
    if not value:
        raise UsageError(
            f"{option} {text!r} is not a size of memory: write bytes, or powers of 1024 such as 4K"
        )
    return value


def sizes(text: str) -> list[int]:
    """Bytes of one size, or of each doubling of a range: `16..64KiB`."""
    first, separator, last = text.partition("..")
    if not separator:
        return [size(text)]
    low, high = size(first), size(last)
    if not 0 < low <= high:
        raise UsageError(
            f"the sizes {text!r} do not go from a smaller one above 0 to a larger one: write for "
            "example 16..64K"
        )
    return [low << step for step in range((high // low).bit_length())]


def share(text: str, option: str) -> float:
    """`0.01` or `1%` as 0.01."""
    value = _share_of(text, option, "1%")
    if not 0 < value <= 0.5:
        raise UsageError(f"{option} {text} is not above 0 and at most 50%: write for example 1%")
    return value


def part(text: str, option: str) -> float:
    """`0.2` or `20%` as 0.2: a part of something of which another part is left."""
    value = _share_of(text, option, "20%")
    if not 0 <= value < 1:
        raise UsageError(f"{option} {text} is not from 0 to below 100%: write for example 20%")
    return value


def _share_of(text: str, option: str, example: str) -> float:
    stripped = text.strip()
    try:
        return float(stripped.rstrip("%")) / (100 if stripped.endswith("%") else 1)
    except ValueError:
        raise UsageError(f"{option} {text!r} is not a share: write 0.01 or {example}") from None


def seconds(text: str, option: str) -> float:
    """`60`, `60s`, `500ms`, `50us`, `2m`, `1h` in seconds."""
    match = re.fullmatch(_TIME, text.strip().lower())
    value = _seconds_of(match[1], match[2]) if match else 0.0
    if not 0 < value <= 86_400:
        raise UsageError(f"{option} {text!r} is not a time up to a day: write 60s or 2m")
    return value


def span(text: str, option: str) -> tuple[float, float]:
    """`0.5s-4s` in seconds; a unit at the end alone is that of both."""
    match = re.fullmatch(rf"{_TIME}\s*-\s*{_TIME}", text.strip().lower())
    if match is None:
        raise UsageError(f"{option} {text!r} is not from one time to another: write 0.5s-4s")
    return _seconds_of(match[1], match[2] or match[4]), _seconds_of(match[3], match[4])


def _bytes_of(text: str) -> int | None:
    """None where it is no number of bytes."""
    match = re.fullmatch(r"(\d{1,20})\s*([kmg]?)(?:i?b)?", text.strip().lower())
    return None if match is None else int(match[1]) * _MULTIPLES[match[2]]


def _seconds_of(number: str, unit: str) -> float:
    return float(number) * _SECONDS[unit]


def whole(text: str, option: str, least: int, most: int) -> int:
    """A whole number from `least` to `most`."""
    digits = text.strip().replace("_", "")
    if not re.fullmatch(r"-?\d{1,18}", digits) or not least <= int(digits) <= most:
        raise UsageError(
            f"{option} {text!r} is not a number from {least} to {most}: write for example "
            f"{max(least, min(most, 4))}"
        )
    return int(digits)


def count_or_all(text: str, option: str) -> int | None:
    """A whole number from 0 on; None for `all`."""
    return None if text == "all" else whole(text, option, 0, 10**9)


def amount(text: str, option: str) -> float:
    """A number above 0, with decimals if need be."""
    match = re.fullmatch(r"\d{1,15}(?:\.\d+)?", text.strip().replace("_", ""))
    if match is None or float(match[0]) <= 0:
        raise UsageError(f"{option} {text!r} is not a number above 0: write for example 0.5")
    return float(match[0])


def cpu(text: str) -> int:
    """The number of one CPU."""
    if not re.fullmatch(r"\d{1,5}", text.strip()):
        raise UsageError(f"--cpus {text!r} is not the number of one CPU: write for example 1")
    return int(text)


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


GIVEN = "--given"


def given_figures(text: str, known: Mapping[str, str], study: str) -> dict[str, float]:
    """The numbers by name; `known` says which names the study has, and what they are."""
    if not known:
        raise UsageError(f"the study {study} asks for no figures: leave out {GIVEN}")
    listed = "; ".join(f"{name} ({what})" for name, what in known.items())
    found: dict[str, float] = {}
    for part in names.split(text):
        name, separator, number = (it.strip() for it in part.partition("="))
        if not separator:
            raise UsageError(f"{GIVEN} {part!r} is no NAME=NUMBER: write {next(iter(known))}=120")
        if name.lower() not in known:
            raise UsageError(
                f"the study {study} does not ask for {GIVEN} {name!r}; it takes {listed}"
            )
        found[name.lower()] = amount(number, f"{GIVEN} {name}=")
    if not found:
        raise UsageError(f"{GIVEN} {text!r} has no figure: it takes {listed}")
    return found
