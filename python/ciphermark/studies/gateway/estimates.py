"""Reckoning with figures that have an interval. A sum holds all that they allow; a ratio is one of
`statistics.ratio`."""

from __future__ import annotations

from collections.abc import Iterable

from ciphermark.show import figures
from ciphermark.show.findings import NotTestable
from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.ratio import unpaired_ratio


def quotient(over: Estimate, under: Estimate) -> Estimate:
    """How many times the one the other is, by the rule of all ratios; of printed figures without
    error."""
    return unpaired_ratio(over, None, under, None)


def in_turn(speeds: Iterable[Estimate]) -> Estimate:
    """The speed of work that passes one after the other, such as CBC and then a hash: times of a
    byte add up, 1/(1/a + 1/b)."""
    columns = zip(*speeds, strict=True)
    return Estimate(*(1 / sum(1 / it for it in column) for column in columns))


def mean(speeds: Iterable[Estimate]) -> Estimate:
    """The speed of half the bytes at each of these: the harmonic mean."""
    found = list(speeds)
    return in_turn(found).times(len(found))


def all_of(verdicts: Iterable[bool | None]) -> bool | None:
    """Whether all hold: not where one does not, open where one is."""
    found = list(verdicts)
    if not found:
        raise NotTestable("no figures of both to compare in this run")
    return False if False in found else None if None in found else True


def any_of(verdicts: Iterable[bool | None]) -> bool | None:
    """Whether one of them holds: open where none is sure to and one may."""
    found = list(verdicts)
    return True if True in found else None if None in found else False


def shown(estimate: Estimate, digits: int = 3) -> str:
    """`1.02 (1.01 to 1.03)`; a printed figure alone."""
    value = figures.significant(estimate.value, digits)
    if estimate.low == estimate.high:
        return value
    low, high = (figures.significant(it, digits) for it in (estimate.low, estimate.high))
    return f"{value} ({low} to {high})"
