"""How figures are said in a sentence."""

from __future__ import annotations

from ciphermark.show import figures


def cycles(value: float) -> str:
    """`57.3 million`, or in full where that is short."""
    size, sign = abs(value), "−" if value < 0 else ""
    shown = f"{figures.significant(size / 1e6)} million" if size >= 1e6 else figures.grouped(size)
    return sign + shown


def rate(bits_per_second: float) -> str:
    """`3.44 Gbit/s`."""
    return f"{figures.significant(bits_per_second / 1e9)} Gbit/s"
