"""Figures as people read them: significant digits, thousands apart, units of size and time."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Sequence
from datetime import UTC, datetime

DIGITS = 3
"""Significant digits of a figure. Figures are wanted to ±1 %, so a fourth would be noise."""

MOST_DECIMALS = 4
"""Most decimals of a difference in cycles: no figure is more precise."""

NARROW_SPACE = "\u202f"
"""Separator of thousands in proportional typefaces; a terminal gets an ordinary space."""


def significant(value: float, digits: int = DIGITS, separator: str = " ") -> str:
    """Formats a figure with significant digits: `0.730`, `12.1`, `1 620`, never an exponent.

    The end of an interval may be infinite: that of a rate whose cost may be 0.
    """
    if value == 0:
        return "0"
    if not math.isfinite(value):
        return "unknown" if math.isnan(value) else "−" * (value < 0) + "∞"
    # Formatting first gives the exponent after rounding: 9.996 is 10.0, not 10.00.
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    decimals = max(0, digits - 1 - int(exponent))
    return grouped(float(f"{mantissa}e{exponent}"), decimals, separator)


def signed(value: float, separator: str = " ") -> str:
    """Formats a figure that may be below 0, such as a difference: `−0.073`."""
    return "−" * (value < 0) + significant(abs(value), separator=separator)


def difference(value: float, half: float | None, separator: str = " ") -> str:
    """Formats a difference with its sign, to the second digit of its uncertainty: `+12.1`,
    `−0.073`.

    A difference may be 0, so its own digits would mean nothing; it has two if `half` is None.
    """
    least = abs(value) if half is None else half
    decimals = (
        min(MOST_DECIMALS, max(0, 1 - math.floor(math.log10(least)))) if least > 0 else DIGITS
    )
    shown = grouped(abs(value), decimals, separator)
    if not any(digit in "123456789" for digit in shown):
        return shown
    return ("−" if value < 0 else "+") + shown


def times(ratio: float) -> str:
    """Formats a multiple: `×6.10`."""
    return f"×{significant(ratio)}"


def grouped(value: float, decimals: int = 0, separator: str = " ") -> str:
    """Formats a figure with decimals and separated thousands."""
    return f"{value:,.{decimals}f}".replace(",", separator)


def half_width(value: float, low: float, high: float, separator: str = " ") -> str:
    """Formats half of an interval with the decimals of its value: `±4`.

    It has one significant digit where that would be 0.
    """
    half = (high - low) / 2
    decimals = len(significant(value).partition(".")[2])
    shown = grouped(half, decimals, separator)
    return "±" + (shown if float(shown.replace(separator, "")) else significant(half, 1))


def percent(share: float, digits: int = 2) -> str:
    """Formats a share as `0.40 %`; rounding errors of floating point are 0."""
    return f"{significant(100 * share if abs(share) > 1e-12 else 0, digits)} %"


WIDE = 0.1
"""Half of an interval, as a share of its figure, beyond which the figure is marked."""


def is_wide(share: float | None) -> bool:
    """Returns whether half of an interval is beyond `WIDE`."""
    return share is not None and abs(share) > WIDE


def half_percent(share: float | None) -> str:
    """Formats half of an interval as a share of its figure, `±1.8 %`; empty where it is unknown."""
    return "" if share is None else f"±{percent(abs(share))}"


def message_size(message_bytes: int | str) -> str:
    """Formats a size in the largest unit that divides it: `1500 B`, `16 KiB`.

    The name of a profile is returned unchanged.
    """
    if isinstance(message_bytes, str):
        return message_bytes
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if message_bytes and message_bytes % size == 0:
            return f"{message_bytes // size} {unit}"
    return f"{message_bytes} B"


def size_order(size: int | str) -> tuple[bool, int | str]:
    """Sorts sizes: bytes ascending, then profiles by name."""
    return isinstance(size, str), size


def clock(hertz: float) -> str:
    """Formats a clock rate: `3.82 GHz`."""
    return f"{significant(hertz / 1e9)} GHz"


def date(unix_ns: int) -> str:
    """Formats nanoseconds since 1970 as `2026-11-21 09:15 UTC`."""
    return f"{datetime.fromtimestamp(unix_ns // 10**9, UTC):%Y-%m-%d %H:%M} UTC"


def power(number: float) -> str:
    """Formats a large number by its power of ten, `4.3 × 10^9`; below a million in full."""
    if number < 1e6:
        return significant(number)
    exponent = math.floor(math.log10(number))
    mantissa = number / 10**exponent
    if round(mantissa, 1) >= 10:
        mantissa, exponent = mantissa / 10, exponent + 1
    return f"{mantissa:.1f} × 10^{exponent}"


def counted(count: int, noun: str) -> str:
    """Formats a count with its noun: `1 case`, `2 cases`, `1 200 cases`."""
    return f"{grouped(count)} {noun}" if count == 1 else f"{grouped(count)} {noun}s"


Units = Sequence[tuple[str, float]]
"""Names and sizes, the largest first."""

BIT_RATES: Units = (
    *(("Tbit/s", 1e12), ("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3), ("bit/s", 1.0)),
)


def unit_of(value: float, units: Units, least: float = 1.0) -> tuple[str, float]:
    """Returns the largest unit of which `value` has at least `least`, else the smallest."""
    return next((it for it in units if value >= least * it[1]), units[-1])


def in_units(value: float, units: Units, least: float = 1.0) -> str:
    """Formats a value in its unit: `9.41 Gbit/s`."""
    unit, size = unit_of(value, units, least)
    return f"{significant(value / size)} {unit}"


NO_BREAK_SPACE = "\u00a0"


def wrapped(text: str, width: int) -> str:
    """Wraps a text to a width in columns; numbers and names stay whole."""
    whole = re.sub(r"(?<=\d) (?=\d{3}(?!\d))", NO_BREAK_SPACE, text)
    lines = textwrap.wrap(whole, width, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace(NO_BREAK_SPACE, " ")
