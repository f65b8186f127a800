"""Reckoning with figures that have an interval: what comes of them holds all that they allow."""

from __future__ import annotations

from collections.abc import Iterable

from ciphermark.analyse.statistics import Estimate
from ciphermark.show import figures
from ciphermark.studies.study import NotTestable


def exactly(value: float) -> Estimate:
    """A printed figure, which has no interval of its own."""
    return Estimate(value, value, value)


def quotient(over: Estimate, under: Estimate) -> Estimate:
    """How many times the one the other is; both must have intervals above 0."""
    return Estimate(over.value / under.value, over.low / under.high, over.high / under.low)


def times(estimate: Estimate, factor: float) -> Estimate:
    """A multiple by what is known exactly, above 0."""
    return Estimate(*(it * factor for it in estimate))


def in_turn(speeds: Iterable[Estimate]) -> Estimate:
    """The speed of work that passes one after the other, such as CBC and then a hash: times of a
    byte add up, 1/(1/a + 1/b)."""
    columns = zip(*speeds, strict=True)
    return Estimate(*(1 / sum(1 / it for it in column) for column in columns))


def mean(speeds: Iterable[Estimate]) -> Estimate:
    """The speed of half the bytes at each of these: the harmonic mean."""
    found = list(speeds)
    return times(in_turn(found), len(found))


def is_above(estimate: Estimate, limit: float) -> bool | None:
    """None where the interval leaves it open."""
    if estimate.low <= limit < estimate.high:
        return None
    return estimate.value > limit


def is_within(ratio: Estimate, share: float) -> bool | None:
    """Whether a ratio is 1 to within a share; None where the interval leaves it open."""
    if ratio.low >= 1 - share and ratio.high <= 1 + share:
        return True
    return False if ratio.high < 1 - share or ratio.low > 1 + share else None


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
    low, high = (figures.significant(it, digits) for it in estimate[1:])
    return f"{value} ({low} to {high})"
