"""Axes that several plots share."""

from __future__ import annotations

import math

import altair as alt

from ciphermark.show import figures

STEP_ROOM = 34
"""Pixels that the number at a tick of a horizontal axis takes."""

GROUPED = f"replace(format(datum.value, ','), regexp(',', 'g'), '{figures.NARROW_SPACE}')"
"""What stands at a tick: the number with its thousands apart."""

DIGITS = ((1, 2, 5), (1, 3), (1,))
"""Digits that ticks begin with, from the most ticks to the fewest, each followed by its tenfold."""


def logarithmic(low: float, high: float, pixels: int | None = None) -> alt.Axis:
    """An axis with ticks at 1, 2 and 5 with their tenfolds, fewer where there is no room.

    `pixels` is the length of a horizontal axis; on a vertical one numbers need little room.
    """
    decade = math.inf if pixels is None else pixels / math.log10(high / low)
    digits = next((it for it in DIGITS if decade >= STEP_ROOM * len(it)), DIGITS[-1])
    return alt.Axis(values=_steps(low, high, digits), labelExpr=GROUPED)


def _steps(low: float, high: float, digits: tuple[int, ...]) -> list[float]:
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)))
    steps = [float(f"{digit}e{decade}") for decade in decades for digit in digits]
    return [step for step in steps if low <= step <= high]
