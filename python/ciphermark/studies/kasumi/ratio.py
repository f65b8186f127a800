"""How many times the cycles of one row another has, as sure as both are."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple, Self

from ciphermark.studies.study import Verdict

if TYPE_CHECKING:
    from ciphermark.analyse.packet_row import PacketRow

Which = Literal["actual", "processing"]


class Ratio(NamedTuple):
    """A ratio of medians with what their 95 % intervals allow at most.

    `low` and `high` are absent where a figure has no interval, which six pairs of passes are needed
    for; such a ratio decides nothing.
    """

    value: float
    low: float | None
    high: float | None

    @classmethod
    def of(cls, over: PacketRow, under: PacketRow, which: Which) -> Self:
        """Of these cycles of two rows."""
        above, below = (getattr(row, f"{which}_cycles") for row in (over, under))
        of_above, of_below = (getattr(row, f"{which}_interval") for row in (over, under))
        if of_above is None or of_below is None:
            return cls(above / below, None, None)
        highest = of_above.high / of_below.low if of_below.low > 0 else math.inf
        return cls(above / below, of_above.low / of_below.high, highest)

    def above(self, limit: float, shown: str) -> Verdict:
        """Whether it is above a limit, with what is said of it; None where the intervals leave that
        open."""
        if self.low is None or self.high is None:
            return None, f"{shown}, of figures without an interval, which decides nothing"
        if self.low <= limit < self.high:
            return None, f"{shown}, and the intervals do not decide"
        return self.value > limit, shown
