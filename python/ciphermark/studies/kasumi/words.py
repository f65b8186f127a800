"""How figures are said in a sentence."""

from __future__ import annotations

from collections.abc import Iterable

from ciphermark.show import figures


def between(values: Iterable[float], digits: int = 3) -> str:
    """`6.52 to 7.97`, or the one value that there is."""
    shown = [figures.significant(it, digits) for it in sorted(values)]
    return shown[0] if shown[0] == shown[-1] else f"{shown[0]} to {shown[-1]}"


def percent(share: float) -> str:
    """`+1.2 %`, with its sign; so much as tells a small share from none."""
    decimals = 1 if abs(share) >= 0.001 or share == 0 else 3
    return f"{100 * share:+.{decimals}f} %".replace("-", "−")


def cycles(value: float) -> str:
    """`57.3 million`, or in full where that is short."""
    size, sign = abs(value), "−" if value < 0 else ""
    shown = f"{figures.significant(size / 1e6)} million" if size >= 1e6 else figures.grouped(size)
    return sign + shown


def rate(bits_per_second: float) -> str:
    """`3.44 Gbit/s`."""
    return f"{figures.significant(bits_per_second / 1e9)} Gbit/s"
