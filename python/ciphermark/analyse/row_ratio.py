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

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ciphermark.analyse.groups import groups_by_case
from ciphermark.analyse.ratio import Ratio, paired_logs, unpaired_ratio
from ciphermark.analyse.statistics import FEWEST_GROUPS, Estimate, Floats

if TYPE_CHECKING:
    import pyarrow as pa

    from ciphermark.analyse.groups import CaseGroups, Integers
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

    def ratio(row_a: Row, row_b: Row) -> Ratio | str:
        if row_a.case not in groups or row_b.case not in groups:  # the run was interrupted before
            return f"0 of {FEWEST_GROUPS} rounds in common"
        a, b = groups[row_a.case], groups[row_b.case]
        _, in_a, in_b = np.intersect1d(a.rounds, b.rounds, assume_unique=True, return_indices=True)
        positive = (a.cycles[in_a] > 0) & (b.cycles[in_b] > 0)
        in_a, in_b = in_a[positive], in_b[positive]
        logs = np.log(a.cycles[in_a] / b.cycles[in_b])
        what = "rounds"
        if min(a.processes, b.processes) >= FEWEST_GROUPS:
            logs = _by_process(logs, processes[row_a.case][in_a], processes[row_b.case][in_b])
            what = "pairs of processes"
        if len(logs) < FEWEST_GROUPS:
            return f"{len(logs)} of {FEWEST_GROUPS} {what} in common"
        return paired_logs(logs)

    return ratio


def _by_process(logs: Floats, of_a: Integers, of_b: Integers) -> Floats:
    """One value for each pair of processes, by the side that has fewer of them."""
    places_a, places_b = (np.unique(it, return_inverse=True)[1] for it in (of_a, of_b))
    if len(logs) == 0:
        return logs
    places = min(places_a, places_b, key=lambda it: it.max())
    return np.array([np.median(logs[places == it]) for it in range(places.max() + 1)])


def _processes(samples: pa.Table, groups: dict[int, CaseGroups]) -> dict[int, Integers]:
    """By case the process of each of its groups, in their order."""
    names = ("case", "round", "process")
    case, number, process = (samples.column(it).to_numpy().astype(np.int64) for it in names)
    keys = case << 32 | number
    keys, first = np.unique(keys, return_index=True)
    process = process[first]
    return {it: process[np.searchsorted(keys, it << 32 | of.rounds)] for it, of in groups.items()}
