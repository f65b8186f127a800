"""What judges of all studies are given, and how they calculate with it and say it.

Figures printed in a paper are exact as they stand; what was measured is as sure as its interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from ciphermark.show import figures
from ciphermark.show.findings import NotTestable
from ciphermark.statistics.estimate import Estimate, total
from ciphermark.statistics.ratio import is_above, unpaired_ratio

if TYPE_CHECKING:
    from ciphermark.workloads.packets.row import PacketRow
    from ciphermark.workloads.packets.terms import PacketTerms
    from ciphermark.workloads.sessions.row import SessionRow
    from ciphermark.workloads.single.row import Row

ONE = Estimate.exact(1.0)

What = TypeVar("What", contravariant=True)
"""Names a figure of a study."""


class Evidence(Generic[What]):
    """Figures from one place: the tables of a paper, or a run."""

    def figure(self, what: What) -> Estimate | None:
        """The figure with its interval; None where there is none."""
        raise NotImplementedError

    def lacks(self, what: What) -> NotTestable:
        """Why there is none."""
        return NotTestable(f"{what} has no figure in this run")

    def firm(self, what: What) -> Estimate:
        """The figure; NotTestable without one that has an interval."""
        found = self.figure(what)
        if found is None or found.low is None or found.low <= 0:
            raise self.lacks(what)
        return found

    def ratio(self, over: What, under: What) -> Estimate:
        """How many times the one figure the other is; NotTestable without both."""
        return quotient(self.firm(over), self.firm(under))


def per(cost: Estimate, count: float) -> Estimate:
    """The share of one of so many."""
    return cost.mapped(lambda end: end / count)


def quotient(over: Estimate, under: Estimate) -> Estimate:
    """How many times the one the other is, by the rule of all ratios; of printed figures without
    error."""
    return unpaired_ratio(over, None, under, None)


def in_turn(speeds: Iterable[Estimate]) -> Estimate:
    """The speed of work that passes one after the other, such as CBC and then a hash: times of a
    byte add up, 1/(1/a + 1/b)."""
    return total(speed.under(ONE) for speed in speeds).under(ONE)


def lowest_and_highest(found: Iterable[Estimate]) -> Estimate:
    """The quotient of the largest figure over the smallest."""
    every = sorted(found, key=lambda it: it.value)
    return quotient(every[-1], every[0])


def at_all_ends(
    estimates: Sequence[Estimate], function: Callable[[Sequence[float]], float]
) -> Estimate:
    """What a function that only rises, such as the median, makes of figures that may err
    together."""
    low = [it.low for it in estimates if it.low is not None]
    high = [it.high for it in estimates if it.high is not None]
    value = function([it.value for it in estimates])
    if len(low) < len(estimates) or len(high) < len(estimates):
        return Estimate(value)
    return Estimate(value, function(low), function(high))


def geometric_mean(values: Iterable[float]) -> float:
    """Of ratios; NotTestable where there are none."""
    logarithms = [math.log(value) for value in values]
    if not logarithms:
        raise NotTestable("no figures of both to compare in this run")
    return math.exp(sum(logarithms) / len(logarithms))


def is_below(estimate: Estimate, limit: float) -> bool | None:
    """None where the interval leaves it open, or where there is none."""
    return opposite(is_above(estimate, limit))


def is_positive(difference: Estimate) -> bool | None:
    """The same of a difference and nothing."""
    if difference.low is None or difference.high is None:
        return None
    return True if difference.low > 0 else False if difference.high <= 0 else None


def is_between(estimate: Estimate, low: float, high: float) -> bool | None:
    """The same of both ends."""
    return all_of((is_above(estimate, low), is_below(estimate, high)))


def opposite(verdict: bool | None) -> bool | None:
    """Open what is open."""
    return None if verdict is None else not verdict


def all_of(verdicts: Iterable[bool | None]) -> bool | None:
    """Whether all hold: not where one does not, open where one is; NotTestable where there are
    none."""
    found = list(verdicts)
    if not found:
        raise NotTestable("no figures of both to compare in this run")
    return False if False in found else None if None in found else True


def any_of(verdicts: Iterable[bool | None]) -> bool | None:
    """Whether one of them holds: open where none is sure to and one may."""
    found = list(verdicts)
    return True if True in found else None if None in found else False


def shown(estimate: Estimate, digits: int = 3) -> str:
    """`1.02 (1.01 to 1.03)`; a printed figure alone, and one without an interval."""
    value = figures.significant(estimate.value, digits)
    if estimate.low is None or estimate.high is None or estimate.low == estimate.high:
        return value
    low, high = (figures.significant(end, digits) for end in (estimate.low, estimate.high))
    return f"{value} ({low} to {high})"


def between(values: Iterable[float], digits: int = 3) -> str:
    """`6.52 to 7.97`, or the one value that there is."""
    ends = [figures.significant(value, digits) for value in sorted(values)]
    return ends[0] if ends[0] == ends[-1] else f"{ends[0]} to {ends[-1]}"


def percent(share: float) -> str:
    """`+1.2 %`, with its sign; so much as tells a small share from none."""
    decimals = 1 if abs(share) >= 0.001 or share == 0 else 3
    return f"{100 * share:+.{decimals}f} %".replace("-", "−")


def implementation(row: Row | PacketRow | SessionRow | PacketTerms) -> str:
    """Provider and code path: `kernels avx2`."""
    return row.provider if row.backend == "default" else f"{row.provider} {row.backend}"


def why_none(rows: list[Row]) -> str:
    """Why none of these rows has a figure."""
    reasons = [
        f"{row.provider}: {row.error.message if row.error else 'not measured'}" for row in rows
    ]
    return "; ".join(dict.fromkeys(reasons)) or "no provider has it"


def field(row: object | None, name: str) -> float | None:
    """A figure of a row; None where there is no row or no figure."""
    number: float | None = None if row is None else getattr(row, name)
    return number


def value(estimate: Estimate | None) -> float | None:
    """What a table shows of a figure."""
    return None if estimate is None else estimate.value


def over(dividend: float | None, divisor: float | None) -> float | None:
    """The quotient that a table shows; None where a figure is missing or there is nothing to divide
    by."""
    return dividend / divisor if dividend is not None and divisor else None
