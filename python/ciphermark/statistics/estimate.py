"""A figure with its 95 % interval, and what becomes of both in sums, products and quotients.

Half-widths of what was measured apart are taken as independent and added in squares (first order);
what errs together is added as it is. Quotients keep the ends of the divisor, so that an interval of
cycles becomes that of a rate without being made symmetric. Costs do not go below 0. What has no
interval makes none of what is worked out with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import msgspec

Item = TypeVar("Item")


ASSUMED_SHARE = 0.1
"""Half-width, as a share, of a figure that has no interval of its own. An assumption."""


class Estimate(msgspec.Struct, frozen=True):
    """A figure and the ends of its 95 % interval, which are absent where too little is known."""

    value: float
    low: float | None = None
    high: float | None = None

    @classmethod
    def exact(cls, value: float) -> Estimate:
        """What is printed or defined, so that it has no error of its own to know."""
        return cls(value, value, value)

    @classmethod
    def around(cls, value: float, half: float | None) -> Estimate:
        """An interval of this half-width; None for none."""
        return cls(value) if half is None else cls(value, value - half, value + half)

    @classmethod
    def of_cost(cls, value: float, half: float | None) -> Estimate:
        """The same of what cannot be less than nothing."""
        return cls(value) if half is None else cls(value, max(0.0, value - half), value + half)

    @classmethod
    def assumed(cls, value: float) -> Estimate:
        """Returns a figure without an interval of its own, with the one that is assumed."""
        return cls.of_cost(value, ASSUMED_SHARE * value)

    def __iter__(self) -> Iterator[float | None]:
        """The value and both ends."""
        return iter((self.value, self.low, self.high))

    @property
    def has_interval(self) -> bool:
        return self.low is not None and self.high is not None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends, where they are known."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def half(self) -> float | None:
        """Half of the interval's width."""
        return None if self.interval is None else (self.interval[1] - self.interval[0]) / 2

    @property
    def share(self) -> float | None:
        """Half of the width as a share of the figure."""
        half = self.half
        return half and (half / self.value if self.value else 0.0)

    def mapped(self, function: Callable[[float], float]) -> Estimate:
        """What a function that only rises makes of it."""
        low, high = (None if end is None else function(end) for end in (self.low, self.high))
        return Estimate(function(self.value), low, high)

    def times(self, factor: float) -> Estimate:
        """So many times as much, the factor being exact and above 0."""
        return self.mapped(lambda end: end * factor)

    def plus(self, other: Estimate) -> Estimate:
        """The sum of costs that err independently."""
        value = self.value + other.value
        if self.half is None or other.half is None:
            return Estimate(value)
        return Estimate.of_cost(value, math.hypot(self.half, other.half))

    def minus(self, other: Estimate) -> Estimate:
        """The difference of figures that err independently, which may be below 0."""
        value = self.value - other.value
        if self.interval is None or other.interval is None:
            return Estimate(value)
        (low, high), (other_low, other_high) = self.interval, other.interval
        below = math.hypot(self.value - low, other_high - other.value)
        above = math.hypot(high - self.value, other.value - other_low)
        return Estimate(value, value - below, value + above)

    def by(self, other: Estimate) -> Estimate:
        """The product of costs that err independently, each to either side as far as it does."""
        value = self.value * other.value
        if self.interval is None or other.interval is None:
            return Estimate(value)
        below, above = (
            math.hypot((end - self.value) * other.value, (its_end - other.value) * self.value)
            for end, its_end in zip(self.interval, other.interval, strict=True)
        )
        return Estimate(value, max(0.0, value - below), value + above)

    def wider(self, share: float) -> Estimate:
        """The same with one more independent error of this share to either side. What could not be
        below 0 still cannot."""
        if self.interval is None or share == 0:
            return self
        low, high = self.interval
        error = share * self.value
        least = self.value - math.hypot(self.value - low, error)
        most = self.value + math.hypot(high - self.value, error)
        return Estimate(self.value, max(0.0, least) if low >= 0 else least, most)

    def under(self, dividend: Estimate) -> Estimate:
        """The quotient dividend / self: a rate, where this is a cost above 0."""
        quotient = dividend.value / self.value
        if self.interval is None or dividend.share is None:
            return Estimate(quotient)
        least, most = self.interval
        low = dividend.value / most
        high = dividend.value / least if least > 0 else math.inf
        error = dividend.share * quotient
        return Estimate(
            quotient,
            quotient - math.hypot(quotient - low, error),
            quotient + math.hypot(high - quotient, error),
        )


def in_threes(document: Any) -> Any:  # noqa: ANN401
    """What is printed as JSON, with `[value, low, high]` in place of each estimate: so the laws of
    scaling and the costs beside a device have been printed from the beginning."""
    match document:
        case Estimate():
            return list(document)
        case msgspec.Struct():
            return in_threes(msgspec.structs.asdict(document))
        case dict():
            return {name: in_threes(value) for name, value in document.items()}
        case list() | tuple():
            return [in_threes(value) for value in document]
    return document


def total(costs: Iterable[Estimate]) -> Estimate:
    """The sum of costs that err independently."""
    terms = list(costs)
    halves = [term.half for term in terms if term.half is not None]
    half = math.sqrt(sum(half**2 for half in halves)) if len(halves) == len(terms) else None
    return Estimate.of_cost(sum(term.value for term in terms), half)


def complete(values: Iterable[Item | None]) -> list[Item] | None:
    """All of them; None where one is missing."""
    every = list(values)
    known = [it for it in every if it is not None]
    return known if len(known) == len(every) else None


MOST_PER_CPU = 1.1
"""Times the work of one CPU that each CPU does at most: a core may keep its data nearer."""

AGREE = 0.1
"""Share by which two figures of one gain may differ."""


def is_cost(cost: Estimate) -> bool:
    """Returns whether a cost can be true: not below 0 by more than its interval explains."""
    return cost.value >= 0 or (cost.high is not None and cost.high >= 0)


def no_gain(gain: float, cpus: int, by_rates: float | None = None) -> str | None:
    """Returns why several CPUs cannot have this gain over one; None where they can.

    `by_rates` is the quotient of the rates that are shown beside it.
    """
    if gain > MOST_PER_CPU * cpus:
        return f"×{gain:.2f} is more than {cpus} CPUs can do: other work slowed the single one"
    if by_rates is not None and abs(gain / by_rates - 1) > AGREE:
        return f"×{gain:.2f} in cycles, but ×{by_rates:.2f} in MB/s: other work slowed one of them"
    return None
