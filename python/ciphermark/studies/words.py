"""How several studies say figures in a sentence."""

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
