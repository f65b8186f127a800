"""Figures that judges of all studies compute with, and comparisons that may stay open.

A comparison decides where its result is the same over the whole intervals of its inputs. So sums,
differences and quotients here take the ends of all intervals, and do not add errors in squares: two
runs whose figures overlap never get opposite verdicts. A figure without an interval decides
nothing, and neither does one computed from it. An open comparison keeps its inputs, so that the
claim names those that have not settled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from ciphermark.record.case_row import way
from ciphermark.statistics import ratio as ratios
from ciphermark.statistics.estimate import Estimate
from ciphermark.view import figures
from ciphermark.view.findings import Decision, Input, NotTestable, Open, Verdict
from ciphermark.workloads import flows
from ciphermark.workloads.loaded import of_one_execution
from ciphermark.workloads.packets import remarks as packets
from ciphermark.workloads.packets.row import PacketRow
from ciphermark.workloads.sessions import remarks as sessions
from ciphermark.workloads.sessions.row import SessionRow

if TYPE_CHECKING:
    from ciphermark.workloads.single.row import Row

ONE = Estimate.exact(1.0)

What = TypeVar("What", contravariant=True)
"""Names a figure of a study."""


class Figure(Estimate, frozen=True):
    """Estimate with the measured inputs that it is computed from."""

    inputs: tuple[Input, ...] = ()

    @classmethod
    def of(cls, estimate: Estimate, inputs: tuple[Input, ...]) -> Figure:
        """Returns an estimate with its inputs."""
        return cls(estimate.value, estimate.low, estimate.high, inputs)

    def mapped(self, function: Callable[[float], float]) -> Figure:
        return at_all_ends(lambda ends: function(ends[0]), [self])


class Evidence(Generic[What]):
    """Figures from one place: the tables of a paper, or a run."""

    def figure(self, what: What) -> Estimate | None:
        """Returns the figure with its interval; None where there is none."""
        raise NotImplementedError

    def lacks(self, what: What) -> NotTestable:
        """Returns the reason why there is none."""
        return NotTestable(f"{what} has no figure in this run")

    def firm(self, what: What) -> Estimate:
        """Returns the figure; raises NotTestable without one."""
        figure = self.figure(what)
        if figure is None:
            raise self.lacks(what)
        return figure

    def ratio(self, over: What, under: What) -> Estimate:
        """Returns the quotient of two figures; raises NotTestable without both."""
        return quotient(self.firm(over), self.firm(under))


def of_row(figure: Estimate, row: Row | PacketRow | SessionRow) -> Figure:
    """Returns the figure of a row with the row as its input."""
    why = row.why_unsettled or (None if figure.has_interval else "no interval")
    return Figure.of(figure, (Input(_named(row), why),))


def of_execution(value: float, row: SessionRow) -> Figure:
    """Returns a figure of sessions, without an interval where no execution is valid."""
    return of_row(of_one_execution(value) if row.valid else Estimate(value), row)


def _named(row: Row | PacketRow | SessionRow) -> str:
    """Returns `kernels table uea1 encrypt, 40 B, 5 000 packets on CPU 1, block`."""
    loads = [way(row)]
    if isinstance(row, PacketRow):
        loads = [packets.where(row), packets.conditions(row)]
    elif isinstance(row, SessionRow):
        count = figures.counted(row.sessions, "session")
        loads = [f"{count} on {flows.cpus(row.cpus)}", sessions.conditions(row)]
    function = f"{implementation(row)} {row.algorithm} {row.operation}"
    return flows.joined(function, flows.size(row), *loads)


def least(costs: Iterable[Estimate]) -> Figure:
    """Returns the lowest of some costs, with those as inputs that may be the lowest.

    A cost without an interval may be the lowest if its value is.
    """
    every = [*costs]
    most = min(it.value if it.high is None else it.high for it in every)
    return at_all_ends(
        min, (it for it in every if (it.value if it.low is None else it.low) <= most)
    )


def as_printed(value: float, decimals: int) -> Estimate:
    """Returns a printed figure with the values that round to it."""
    return Estimate.around(value, 0.5 * 10**-decimals)


def has_settled(figure: Estimate) -> bool:
    """Returns whether all inputs of a figure have settled."""
    return not any(it.why_unsettled for it in getattr(figure, "inputs", ()))


def at_all_ends(
    function: Callable[[Sequence[float]], float],
    rising: Iterable[Estimate],
    falling: Iterable[Estimate] = (),
) -> Figure:
    """Applies a function that rises with the first figures and falls with the others.

    The interval reaches over all values within the intervals of the figures.
    """
    rises, falls = [*rising], [*falling]
    every = [*rises, *falls]
    inputs = dict.fromkeys(it for of in every for it in getattr(of, "inputs", ()))
    value = function([it.value for it in every])
    intervals = [it.interval for it in rises] + [it.interval and it.interval[::-1] for it in falls]
    known = [it for it in intervals if it is not None]
    if len(known) < len(every):
        return Figure(value, inputs=(*inputs,))
    low, high = (function(of) for of in zip(*known, strict=True))
    return Figure(value, low, high, (*inputs,))


def quotient(over: Estimate, under: Estimate) -> Figure:
    """Returns the quotient of two positive figures."""
    return at_all_ends(lambda it: it[0] / it[1] if it[1] > 0 else math.inf, [over], [under])


def difference(one: Estimate, other: Estimate) -> Figure:
    """Returns the first figure less the second."""
    return at_all_ends(lambda it: it[0] - it[1], [one], [other])


def in_turn(speeds: Iterable[Estimate]) -> Figure:
    """Returns the speed of work done one after the other: 1/(1/a + 1/b), as times add up."""
    return at_all_ends(
        lambda all_: 0.0 if min(all_) <= 0 else 1 / sum(1 / it for it in all_), speeds
    )


def highest_over_lowest(found: Sequence[Estimate]) -> Figure:
    """Returns the quotient of the largest figure over the smallest."""
    return quotient(at_all_ends(max, found), at_all_ends(min, found))


def mean_figure(found: Iterable[Estimate]) -> Figure:
    """Returns the geometric mean of figures; raises NotTestable without any."""
    return at_all_ends(geometric_mean, found)


def geometric_mean(values: Iterable[float]) -> float:
    """Returns the geometric mean of ratios; raises NotTestable without any."""
    logarithms = [math.log(value) for value in values]
    if not logarithms:
        raise NotTestable("no figures of both to compare in this run")
    return math.exp(sum(logarithms) / len(logarithms))


def decided(verdict: bool | None, *by: Estimate) -> Decision:
    """Returns the verdict of a comparison; an open one with the inputs of the figures."""
    if verdict is not None:
        return verdict
    return Open(tuple(dict.fromkeys(it for of in by for it in getattr(of, "inputs", ()))))


def is_above(estimate: Estimate, limit: float) -> Decision:
    """Compares a figure with a limit; open where the interval has values on both sides."""
    return decided(ratios.is_above(estimate, limit), estimate)


def is_below(estimate: Estimate, limit: float) -> Decision:
    """Compares a figure with a limit from the other side."""
    return opposite(is_above(estimate, limit))


def is_within(estimate: Estimate, share: float) -> Decision:
    """Compares a ratio with 1, to within a share."""
    return decided(ratios.is_within(estimate, share), estimate)


def is_between(estimate: Estimate, low: float, high: float) -> Decision:
    """Compares a figure with both ends of a range."""
    return all_of((is_above(estimate, low), is_below(estimate, high)))


def each(
    ratios_: Mapping[str, Estimate],
    compare: Callable[[Estimate, float], Decision],
    limit: float,
    what: str,
) -> Verdict:
    """Compares named ratios with one limit; raises NotTestable without any."""
    listed = ", ".join(f"{name} {shown(ratio)}" for name, ratio in ratios_.items())
    return all_of(compare(it, limit) for it in ratios_.values()), f"{what}: {listed}"


def opposite(verdict: Decision) -> Decision:
    """Negates a verdict; an open one stays open."""
    return verdict if isinstance(verdict, Open) else not verdict


def all_of(verdicts: Iterable[Decision]) -> Decision:
    """Returns if all hold; raises NotTestable without any."""
    known = list(verdicts)
    if not known:
        raise NotTestable("no figures of both to compare in this run")
    return False if False in known else _joined(known, True)


def any_of(verdicts: Iterable[Decision]) -> Decision:
    """Returns if one of them holds."""
    known = list(verdicts)
    return True if True in known else _joined(known, False)


def _joined(verdicts: list[Decision], otherwise: bool) -> Decision:
    """Joins the open verdicts into one; without any, returns the other verdict."""
    open_ones = [it for it in verdicts if isinstance(it, Open)]
    inputs = dict.fromkeys(it for of in open_ones for it in of.inputs)
    return Open((*inputs,)) if open_ones else otherwise


def shown(estimate: Estimate, digits: int = 3) -> str:
    """Formats `1.02 (1.01 to 1.03)`; only the value if not measured or without interval."""
    value = figures.significant(estimate.value, digits)
    if estimate.low is None or estimate.high is None or not getattr(estimate, "inputs", ()):
        return value
    low, high = (figures.significant(end, digits) for end in (estimate.low, estimate.high))
    return f"{value} ({low} to {high})"


def between(values: Iterable[float], digits: int = 3) -> str:
    """`6.52 to 7.97`, or the one value that there is."""
    extremes = [figures.significant(value, digits) for value in sorted(values)]
    return extremes[0] if extremes[0] == extremes[-1] else f"{extremes[0]} to {extremes[-1]}"


def percent(share: float) -> str:
    """`+1.2 %`, with its sign; so much as tells a small share from none."""
    decimals = 1 if abs(share) >= 0.001 or share == 0 else 3
    return f"{100 * share:+.{decimals}f} %".replace("-", "−")


def implementation(row: Row | PacketRow | SessionRow) -> str:
    """Returns provider and code path: `kernels avx2`."""
    return row.provider if row.backend == "default" else f"{row.provider} {row.backend}"


def why_none(rows: list[Row]) -> str:
    """Returns why none of these rows has a figure."""
    reasons = [
        f"{row.provider}: {row.error.message if row.error else 'not measured'}" for row in rows
    ]
    return "; ".join(dict.fromkeys(reasons)) or "no provider has it"


def field(row: object | None, name: str) -> float | None:
    """Returns a figure of a row; None where there is no row or no figure."""
    number: float | None = None if row is None else getattr(row, name)
    return number


def value(estimate: Estimate | None) -> float | None:
    """Returns the value of a figure for a table."""
    return None if estimate is None else estimate.value


def over(dividend: float | None, divisor: float | None) -> float | None:
    """Returns a quotient for a table; None where a part is missing or the divisor 0."""
    return dividend / divisor if dividend is not None and divisor else None
