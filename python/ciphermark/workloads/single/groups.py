"""From the raw samples of a run to the groups of each case, and to upper bounds of cases that have
none.

All cases are done at once on whole columns, so that a run of 200,000 samples takes a fraction of a
second.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ciphermark.record.table import Table
from ciphermark.statistics.quantiles import Floats, median
from ciphermark.statistics.stopping import Observations, Rule

Integers = npt.NDArray[np.int64]
Columns = dict[str, npt.NDArray[Any]]

FIGURES = ("cycles", "ns", "loop_cycles", "core_hz")


@dataclass(frozen=True)
class CaseGroups:
    """The groups of one case that have an undisturbed sample, in the order of time.

    The arrays have one value a group; figures are medians of the group's undisturbed samples.
    """

    rounds: Integers
    process: Integers
    """The process that has taken the group, ascending."""
    starts_ns: Integers
    """Start of the group's first sample, disturbed or not."""
    cycles: Floats
    """Cycles per message without the loop."""
    ns: Floats
    """Nanoseconds per message without the loop."""
    loop_cycles: Floats
    core_hz: Floats
    by_process: Columns
    """The figures of each process, by their names here: medians of its groups."""
    samples: int
    """All samples of the case, also those of groups that do not count."""
    disturbed: int
    processes: int

    def observations(self, rule: Rule) -> Observations:
        """Returns the observations for the rule of convergence."""
        values = self.observed("cycles", rule)
        return Observations(values, self.cycles, self.starts_ns, self.samples, self.disturbed)

    def observed(self, figure: str, rule: Rule) -> Floats:
        """Returns a figure by its name, of each observation by that rule."""
        values: Floats = self.by_process[figure] if rule.by_process else getattr(self, figure)
        return values


def groups_by_case(samples: Table) -> dict[int, CaseGroups]:
    """Returns the groups of every case that has samples, by the number of the case.

    `samples` has the columns of `contract.Sample`.
    """
    columns = _sorted_columns(samples)
    per_group = _per_group(columns)
    per_process = _per_process(per_group)
    numbers = np.unique(columns["case"])
    samples_of = _parts(columns["case"], numbers)
    groups_of, processes_of = (_parts(it.pop("case"), numbers) for it in (per_group, per_process))
    disturbed = np.concatenate(([0], np.cumsum(columns["disturbed"])))
    processes = _processes(columns, numbers)
    return {
        case: CaseGroups(
            **{name: values[groups_of[at]] for name, values in per_group.items()},
            by_process={name: values[processes_of[at]] for name, values in per_process.items()},
            samples=part.stop - part.start,
            disturbed=int(disturbed[part.stop] - disturbed[part.start]),
            processes=processes[at],
        )
        for at, (case, part) in enumerate(zip(numbers.tolist(), samples_of, strict=True))
    }


def _parts(cases: Integers, numbers: Integers) -> list[slice]:
    """Returns each case's part of a column that is sorted by these cases."""
    first, end = (np.searchsorted(cases, numbers, side).tolist() for side in ("left", "right"))
    return [slice(*limits) for limits in zip(first, end, strict=True)]


def _processes(columns: Columns, numbers: Integers) -> list[int]:
    """Returns how many processes sampled each case, including samples that do not count."""
    order = np.lexsort((columns["process"], columns["case"]))
    case, process = (columns[name][order] for name in ("case", "process"))
    first = _edges(case, process)[:-1]
    return [part.stop - part.start for part in _parts(case[first], numbers)]


def _sorted_columns(samples: Table) -> Columns:
    """Returns the columns as arrays, sorted by case, round and time.

    `disturbed` becomes a truth value.
    """
    names = "case round process at_ns messages wall_ns cycles loop_cycles core_hz".split()
    columns = {name: samples[name].to_numpy() for name in names}
    marks = samples["disturbed"]
    columns["disturbed"] = np.fromiter(map(bool, marks), np.bool_, len(marks))
    order = np.lexsort((columns["at_ns"], columns["round"], columns["case"]))
    return {name: values[order] for name, values in columns.items()}


def _per_group(columns: Columns) -> Columns:
    """Returns a value for each group with an undisturbed sample, by case and round."""
    edges = _edges(columns["case"], columns["round"])
    groups = np.repeat(np.arange(len(edges) - 1), np.diff(edges))
    kept = ~columns["disturbed"]
    counting = edges[np.unique(groups[kept])]
    figures = {
        name: _medians(values[kept], groups[kept]) for name, values in _figures(columns).items()
    }
    return {
        "case": columns["case"][counting],
        "rounds": columns["round"][counting].astype(np.int64),
        "process": columns["process"][counting].astype(np.int64),
        "starts_ns": columns["at_ns"][counting].astype(np.int64),
        **figures,
    }


def _per_process(per_group: Columns) -> Columns:
    """Returns a value for each process of each case, sorted by both like the groups."""
    edges = _edges(per_group["case"], per_group["process"])
    processes = np.repeat(np.arange(len(edges) - 1), np.diff(edges))
    return {
        "case": per_group["case"][edges[:-1]],
        **{name: _medians(per_group[name], processes) for name in FIGURES},
    }


def _figures(columns: Columns) -> Columns:
    """Returns the derived figures of each sample, by their names in `CaseGroups`."""
    loop_ns = columns["loop_cycles"] / columns["core_hz"] * 1e9
    return {
        "cycles": columns["cycles"] / columns["messages"] - columns["loop_cycles"],
        "ns": columns["wall_ns"] / columns["messages"] - loop_ns,
        "loop_cycles": columns["loop_cycles"],
        "core_hz": columns["core_hz"],
    }


def _edges(*keys: npt.NDArray[Any]) -> Integers:
    """Returns the starts of stretches of equal keys, and the end of the last."""
    changes = np.ones(len(keys[0]) + 1, dtype=bool)
    changes[1:-1] = np.any([key[1:] != key[:-1] for key in keys], axis=0)
    return np.flatnonzero(changes)


def _medians(values: Floats, groups: Integers) -> Floats:
    """Returns the median of each group; `groups` has each value's group, ascending."""
    ordered = values[np.lexsort((values, groups))]
    edges = _edges(groups)
    starts, counts = edges[:-1], np.diff(edges)
    middles: Floats = ordered[starts + (counts - 1) // 2] + ordered[starts + counts // 2]
    return middles / 2


TOO_LOW = ("clock", "migration")
"""Marks of samples that may show too few cycles."""

CLOCK_TOLERANCE = 0.03
"""Tolerance of the clock; as in the engine (`engine/harness/src/sampler.rs`)."""


def upper_bounds(samples: Table, cases: Collection[int]) -> dict[int, float]:
    """Returns upper bounds of core cycles per message, with the loop's, by case.

    Only of cases with a sample for it. `samples` has the columns of `contract.Sample`.
    """
    mine = samples.taken(np.isin(samples["case"].to_numpy(), list(cases)))
    case, hz = (mine[name].to_numpy() for name in ("case", "core_hz"))
    best_hz = {it: hz[case == it].max() for it in np.unique(case)}
    tells = [
        clock >= (1 - CLOCK_TOLERANCE) * best_hz[number] and not set(marks).intersection(TOO_LOW)
        for number, clock, marks in zip(case, hz, mine["disturbed"], strict=True)
    ]
    groups_of = groups_by_case(_as_if_undisturbed(mine.taken(np.array(tells, dtype=bool))))
    return {number: median(_quietest(groups)) for number, groups in groups_of.items()}


def _as_if_undisturbed(samples: Table) -> Table:
    """Returns samples without marks, and without the loop's cost to subtract."""
    free = samples.with_column("disturbed", [[]] * len(samples))
    return free.with_column("loop_cycles", np.zeros(len(samples)))


def _quietest(groups: CaseGroups) -> Floats:
    """Returns the group with the fewest cycles of each process."""
    return np.array([groups.cycles[groups.process == it].min() for it in set(groups.process)])
