"""What a case costs at most whose every sample was disturbed.

What takes a share of the core, or the thread off it, makes a message cost more, never less. So the
quietest group of each worker process, by the median of its samples, bounds from above what that
process would have found, and the median over processes bounds the figure. It is no figure: nobody
knows how far below it the truth lies. The lowest single sample would not do, since the lowest of
many scatters below the truth.

Two marks are left out, since such a sample may show too few cycles: `clock`, where an interruption
made the chains beside the slice look slow, and with them the clock that its time was multiplied by;
and `migration`, after which the thread may have been on a core of another kind. For the first
reason a sample is left out as well whose clock is below the best of its case by as much as earns
the mark within a group: beside a neighbour all chains of a group may be late alike. The cost of the
loop is not subtracted, since it was measured beside the neighbour too and may be too high.

`benchmarks/upper_bound.py` holds such bounds against figures that are known.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pyarrow as pa

from ciphermark.statistics.median import Floats, median
from ciphermark.workloads.single.groups import CaseGroups, groups_by_case

TOO_LOW = ("clock", "migration")
"""Marks of samples that may show too few cycles."""

CLOCK_TOLERANCE = 0.03
"""As in the engine (`engine/harness/src/sampler.rs`)."""


def upper_bounds(samples: pa.Table, cases: Collection[int]) -> dict[int, float]:
    """Core cycles per message, the loop's among them, that these cases cost at most; of each that
    has a sample to tell it. `samples` has the columns of `contract.Sample`."""
    mine = samples.filter(np.isin(samples["case"].to_numpy(), list(cases)))
    case, hz = (mine[name].to_numpy() for name in ("case", "core_hz"))
    best_hz = {it: hz[case == it].max() for it in np.unique(case)}
    tells = [
        clock >= (1 - CLOCK_TOLERANCE) * best_hz[number] and not set(marks).intersection(TOO_LOW)
        for number, clock, marks in zip(case, hz, mine["disturbed"].to_pylist(), strict=True)
    ]
    found = groups_by_case(_as_if_undisturbed(mine.filter(np.array(tells, dtype=bool))))
    return {number: median(_quietest(groups)) for number, groups in found.items()}


def _as_if_undisturbed(samples: pa.Table) -> pa.Table:
    """Without marks, and without what would be subtracted for the loop."""
    columns = {name: samples[name] for name in samples.column_names}
    columns["disturbed"] = pa.array([[]] * len(samples), samples.schema.field("disturbed").type)
    columns["loop_cycles"] = pa.array(np.zeros(len(samples)))
    return pa.table(columns)


def _quietest(groups: CaseGroups) -> Floats:
    """Of each process the group that took the fewest cycles."""
    return np.array([groups.cycles[groups.process == it].min() for it in set(groups.process)])
