"""A figure with its 95 % interval, and how intervals go on through sums, products and quotients.

Half-widths of what was measured apart are taken as independent and added in squares (first order);
what errs together is added as it is. Quotients keep the ends of the divisor, so that an interval of
cycles becomes that of a rate without being made symmetric.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import msgspec


class Between(msgspec.Struct, frozen=True):
    """A figure, and the ends of its 95 % interval."""

    value: float
    low: float
    high: float

    @classmethod
    def exact(cls, value: float) -> Between:
        """What is not measured but defined."""
        return cls(value, value, value)

    @classmethod
    def around(cls, value: float, half: float) -> Between:
        """An interval of this half-width; costs do not go below 0."""
        return cls(value, max(0.0, value - half), value + half)

    @property
    def half(self) -> float:
        """Half of the interval's width."""
        return (self.high - self.low) / 2

    @property
    def share(self) -> float:
        """Half of the width as a share of the figure."""
        return self.half / self.value if self.value else 0.0

    def times(self, factor: float) -> Between:
        """So many times as much, the factor being exact."""
        return Between(self.value * factor, self.low * factor, self.high * factor)

    def plus(self, other: Between) -> Between:
        """The sum of figures that err independently."""
        half = math.hypot(self.half, other.half)
        return Between.around(self.value + other.value, half)

    def by(self, other: Between) -> Between:
        """The product of figures that err independently, each to either side as far as it does."""
        value = self.value * other.value
        below, above = (
            math.hypot(
                (getattr(self, end) - self.value) * other.value,
                (getattr(other, end) - other.value) * self.value,
            )
            for end in ("low", "high")
        )
        return Between(value, max(0.0, value - below), value + above)

    def wider(self, share: float) -> Between:
        """The same figure with one more independent error of this share."""
        return Between.around(self.value, math.hypot(self.half, share * self.value))

    def under(self, dividend: Between) -> Between:
        """The quotient dividend / self: a rate, where this is a cost above 0."""
        quotient = dividend.value / self.value
        low = dividend.value / self.high
        high = dividend.value / self.low if self.low > 0 else math.inf
        share = dividend.share
        return Between(
            quotient,
            quotient - math.hypot(quotient - low, share * quotient),
            quotient + math.hypot(high - quotient, share * quotient),
        )


def total(figures: Iterable[Between]) -> Between:
    """The sum of figures that err independently."""
    found = list(figures)
    half = math.sqrt(sum(it.half**2 for it in found))
    return Between.around(sum(it.value for it in found), half)
