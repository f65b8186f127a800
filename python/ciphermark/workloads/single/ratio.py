"""Ratio of the cycles of two rows, by the rule of `ratio`; and the fastest of several rows.

Rows of one run are *paired*: their groups of the same round were taken one soon after the other. An
observation is a pair of worker processes, one of either row (the same one where one process
measured both): the median log ratio of the rounds that the two have in common. Where a process of
the one row stood beside several of the other, which happens when a library's worker is replaced
alone, these rounds are one observation still, since that process is in all of them. Runs of the
format in which a group was an observation may have fewer than six processes to a row; theirs are
paired by round.

Rows of two runs are unpaired.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from statistics import median
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.quantiles import FEWEST_GROUPS, ONE_LOOK, SEVERAL_LOOKS
from ciphermark.statistics.ratio import (
    OrderStatistics,
    Ratio,
    is_above,
    paired_logs,
    unpaired_ratio,
)
from ciphermark.statistics.stopping import Rule
from ciphermark.workloads.single.groups import groups_by_case
from ciphermark.workloads.single.row import Row, cycles

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.single.groups import CaseGroups


Paired = Callable[[Row, Row], Ratio | str]
"""The ratio of two rows of one run, or why there is none."""


class PerByte(Protocol):
    """Source of cycles per byte with their interval that is no row."""

    @property
    def cycles_per_byte(self) -> float | None: ...
    @property
    def ci_low(self) -> float | None: ...
    @property
    def ci_high(self) -> float | None: ...


def cycles_per_byte(of: PerByte) -> Estimate:
    """Returns cycles per byte of a source that has a figure."""
    assert of.cycles_per_byte is not None
    return Estimate(of.cycles_per_byte, of.ci_low, of.ci_high)


def order_statistics(row: Row) -> OrderStatistics | None:
    """Returns the base of the row's interval; None if the interval was given.

    A row does not have its rule: with six processes it is that of processes, since runs in which a
    group was an observation have three.
    """
    if row.processes >= FEWEST_GROUPS:
        return OrderStatistics(row.processes, SEVERAL_LOOKS)
    return _enough(row.groups)


def ratio_of_rows(a: Row, b: Row) -> Ratio:
    """Returns the ratio of rows with figures, of two runs or without groups."""
    return unpaired_ratio(cycles(a), order_statistics(a), cycles(b), order_statistics(b))


def ratio_of_times(a: Row, b: Row) -> Ratio | str:
    """Returns time per message of `a` by that of `b`, or per byte; or why there is none.

    A figure of another program has no interval, so one is assumed; that of a row with cycles is
    the interval of these.
    """
    per_message, per_byte = (a.ns_per_message, b.ns_per_message), (_ns_per_byte(a), _ns_per_byte(b))
    for time_a, time_b in (per_message, per_byte):
        if time_a is not None and time_b is not None and min(time_a, time_b) > 0:
            return unpaired_ratio(*_timed(a, time_a), *_timed(b, time_b))
    return "one side has no time"


def _timed(row: Row, ns: float) -> tuple[Estimate, OrderStatistics | None]:
    """Returns a time with the interval of the row's cycles, else an assumed one."""
    if row.cycles_per_message_low is None or not row.cycles_per_message:
        return Estimate.assumed(ns), None
    return cycles(row).times(ns / row.cycles_per_message), order_statistics(row)


def ratios_of(run: Run) -> Paired:
    """Returns the ratios of a run of one thread; unpaired where it has no samples.

    An imported run has none.
    """
    if run.samples is None:
        return ratio_of_rows
    return ratios_within(groups_by_case(run.samples), Rule.of(run.context.plan).reproducibility)


def ratios_within(groups: dict[int, CaseGroups], reproducibility: float = 0.0) -> Paired:
    """Returns ratios of rows of one run, over rounds that both rows have in common.

    In these both have an undisturbed group of positive cost; `reproducibility` as `Rule` has it.
    """

    @cache
    def logs_of(case: int) -> dict[int, tuple[float, int]]:
        """Returns the logarithm of the cost, and the process, by round.

        Lists are far quicker than arrays of a dozen values.
        """
        of = groups[case]
        values = zip(of.rounds.tolist(), of.cycles.tolist(), of.process.tolist(), strict=True)
        return {number: (math.log(it), process) for number, it, process in values if it > 0}

    def ratio(row_a: Row, row_b: Row) -> Ratio | str:
        if row_a.case not in groups or row_b.case not in groups:  # the run was interrupted before
            return f"0 of {FEWEST_GROUPS} rounds in common"
        a, b = logs_of(row_a.case), logs_of(row_b.case)
        shared = [(a[number], b[number]) for number in a if number in b]
        logs = [of_a - of_b for (of_a, _), (of_b, _) in shared]
        what = "rounds"
        if min(groups[it.case].processes for it in (row_a, row_b)) >= FEWEST_GROUPS:
            logs = _by_process(logs, [(of_a, of_b) for (_, of_a), (_, of_b) in shared])
            what = "pairs of processes"
        if len(logs) < FEWEST_GROUPS:
            return f"{len(logs)} of {FEWEST_GROUPS} {what} in common"
        return paired_logs(np.array(logs), reproducibility)

    return ratio


def _by_process(logs: Sequence[float], pairs: Sequence[tuple[int, int]]) -> list[float]:
    """Returns a value for each pair of processes, by the side with fewer of them."""
    sides = zip(*pairs, strict=True)
    processes = min(sides, key=lambda side: len(set(side)), default=())
    by_pair: dict[int, list[float]] = {}
    for process, log in zip(processes, logs, strict=True):
        by_pair.setdefault(process, []).append(log)
    return [median(of) for of in by_pair.values()]


def _ns_per_byte(row: Row) -> float | None:
    return row.mbytes_per_second and 1e3 / row.mbytes_per_second


def _enough(count: int) -> OrderStatistics | None:
    return OrderStatistics(count, ONE_LOOK) if count >= FEWEST_GROUPS else None


def fastest(rows: Iterable[Row]) -> Row | None:
    """Returns the row of fewest cycles per message; None where no row has a figure.

    The rows must differ in their implementation only. Each row with a figure was verified. Cycles
    decide and not time, since the clock may have changed between the cases. A row that has not
    converged takes part: leaving it out would make a slower library the fastest.
    """
    measured = [row for row in rows if row.cycles_per_message is not None]
    return min(measured, key=lambda row: cycles(row).value, default=None)


def is_tie(row: Row, best: Row, ratio: Paired) -> bool:
    """Returns whether the interval of a row's ratio to the fastest has 1 in it.

    A row without an interval ties with none, since its ratio is not known.
    """
    if row.cycles_per_message is None:
        return False
    to_best = ratio(row, best)
    return isinstance(to_best, Ratio) and to_best.low is not None and is_above(to_best, 1.0) is None


def fastest_providers(rows: Iterable[Row]) -> dict[tuple[str, str], str]:
    """Returns the provider of the fastest row by algorithm and operation.

    Functions without a figure are left out. The rows of each must differ in their implementation
    only.
    """
    alike: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        alike.setdefault((row.algorithm, row.operation), []).append(row)
    best = {what: fastest(of_one) for what, of_one in alike.items()}
    return {what: row.provider for what, row in best.items() if row is not None}


def fastest_at_all(rows: Iterable[Row]) -> dict[tuple[str, str], str]:
    """Returns the fastest provider over all operations, by algorithm and operation.

    Fastest are the fewest cycles for one message of each operation: a tunnel sends and receives by
    one library. A row that was disturbed throughout counts with its upper bound. Providers whose
    costs of some operations are unknown come after the others. Where no provider has all
    operations, each operation has its fastest.
    """
    alike: dict[str, dict[str, dict[str, float | None]]] = {}
    every = list(rows)
    for row in every:
        own = alike.setdefault(row.algorithm, {}).setdefault(row.provider, {})
        cost = row.cycles_per_message or row.cycles_upper_bound
        costs = [it for it in (own.get(row.operation), cost) if it is not None and not row.error]
        own[row.operation] = min(costs, default=None)
    providers = fastest_providers(every)
    for algorithm, by_provider in alike.items():
        operations = {operation for own in by_provider.values() for operation in own}
        ranks = {
            provider: (sum(cost is None for cost in own.values()), sum(filter(None, own.values())))
            for provider, own in by_provider.items()
            if own.keys() == operations and any(own.values())
        }
        if ranks:
            best = min(ranks, key=ranks.__getitem__)
            providers |= {(algorithm, operation): best for operation in operations}
    return providers
