"""How many times the cycles of one row another has: the rule of `ratio`, asked of rows.

Rows of one run are *paired*: their groups of the same round were taken one soon after the other.
An observation is a pair of worker processes, one of either row (the same one where one process
measured both): the median log ratio of the rounds that the two have in common. Where a process of
the one row stood beside several of the other, which happens when a library's worker is replaced
alone, these rounds are one observation still, since that process is in all of them. Runs of the
format in which a group was an observation may have fewer than six processes to a row; theirs are
paired by round.

Rows of two runs are unpaired.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from ciphermark.analyse.groups import groups_by_case
from ciphermark.analyse.ratio import Ratio, paired_logs, unpaired_ratio
from ciphermark.analyse.statistics import FEWEST_GROUPS, Estimate

if TYPE_CHECKING:
    import pyarrow as pa

    from ciphermark.analyse.groups import CaseGroups
    from ciphermark.analyse.packet_row import Interval
    from ciphermark.analyse.row import Row
    from ciphermark.record.run import Run

Paired = Callable[["Row", "Row"], "Ratio | str"]
"""The ratio of two rows of one run, or why there is none."""


def cycles(row: Row) -> Estimate:
    """Cycles per message, with the interval where there is one; the row must have a figure."""
    return Estimate(row.cycles_per_message, row.cycles_per_message_low, row.cycles_per_message_high)


def with_interval(value: float, interval: Interval | None) -> Estimate:
    """A figure of a row of packets."""
    return Estimate(value, interval and interval.low, interval and interval.high)


def observations(row: Row) -> int | None:
    """How many the row's interval comes from; None where it comes from none, but was given."""
    counts = (row.processes, row.groups)
    return next((count for count in counts if count >= FEWEST_GROUPS), None)


def ratio_of_rows(a: Row, b: Row) -> Ratio:
    """Of two runs, or of rows of one whose groups are not at hand; both must have a figure."""
    return unpaired_ratio(cycles(a), observations(a), cycles(b), observations(b))


def ratios_of(run: Run) -> Paired:
    """Of the rows of a run of one thread; unpaired where its samples are not at hand, as of an
    imported one."""
    if run.samples is None:
        return ratio_of_rows
    return ratios_within(run.samples, groups_by_case(run.samples))


def ratios_within(samples: pa.Table, groups: dict[int, CaseGroups]) -> Paired:
    """Of rows of one run, over the rounds in which both have an undisturbed group of positive
    cost."""
    processes = _processes(samples, groups)

    @cache
    def logs_of(case: int) -> dict[int, tuple[float, int]]:
        """By round the logarithm of the cost, and the process; lists are far quicker than arrays
        of a dozen values."""
        of = groups[case]
        values = zip(of.rounds.tolist(), of.cycles.tolist(), processes[case], strict=True)
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
        return paired_logs(np.array(logs))

    return ratio


def _by_process(logs: Sequence[float], pairs: Sequence[tuple[int, int]]) -> list[float]:
    """One value for each pair of processes, by the side that has fewer of them."""
    sides = zip(*pairs, strict=True)
    processes = min(sides, key=lambda side: len(set(side)), default=())
    found: dict[int, list[float]] = {}
    for process, log in zip(processes, logs, strict=True):
        found.setdefault(process, []).append(log)
    return [median(of) for of in found.values()]


def _processes(samples: pa.Table, groups: dict[int, CaseGroups]) -> dict[int, list[int]]:
    """By case the process of each of its groups, in their order."""
    names = ("case", "round", "process")
    case, number, process = (samples.column(it).to_numpy().astype(np.int64) for it in names)
    keys, first = np.unique(case << 32 | number, return_index=True)
    process = process[first]
    return {
        it: process[np.searchsorted(keys, it << 32 | of.rounds)].tolist()
        for it, of in groups.items()
    }
