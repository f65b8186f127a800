"""How many times the cycles of one row another has, as sure as both are."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple, Self

from ciphermark.studies.study import Verdict

if TYPE_CHECKING:
    from ciphermark.analyse.packet_row import PacketRow

Which = Literal["actual", "processing"]


class Ratio(NamedTuple):
    """A ratio of medians with what their 95 % intervals allow at most."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, over: PacketRow, under: PacketRow, which: Which) -> Self:
        """Of these cycles of two rows."""
        (above, above_low, above_high), (below, below_low, below_high) = (
            _interval(row, which) for row in (over, under)
        )
        highest = above_high / below_low if below_low > 0 else math.inf
        return cls(above / below, above_low / below_high, highest)

    def above(self, limit: float, shown: str) -> Verdict:
        """Whether it is above a limit, with what is said of it; None where the intervals leave that
        open."""
        if self.low <= limit < self.high:
            return None, f"{shown}, and the intervals do not decide"
        return self.value > limit, shown


def _interval(row: PacketRow, which: Which) -> tuple[float, float, float]:
    """A figure with the ends of its interval, which are the figure where there is none."""
    value, interval = getattr(row, f"{which}_cycles"), getattr(row, f"{which}_interval")
    return (value, interval.low, interval.high) if interval else (value, value, value)
