"""Intervals hold the truth as often as they say, whatever processes differ by.

Rows are measured by the rule itself, of a machine that is made up: what a function costs differs
from process to process, groups and slices scatter within it, and time passes as on a clock that
runs when it is told to.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest

from ciphermark.statistics.quantiles import Floats
from ciphermark.statistics.stopping import Observations, Rule
from golden import make_stopping

LOOKS = json.loads(make_stopping.FILE.read_text(encoding="utf-8"))["looks"]

RULE = Rule(precision=0.01, min_groups=6, min_span_ms=5.0, min_processes=6)
WITHIN = 0.002
"""Spread within a process, as a share."""
GROUPS, SLICES = 3, 5
MOST_PROCESSES = 96
LOOKS_HERE = [look for look in LOOKS if look <= MOST_PROCESSES]
BETWEEN_GROUPS_NS = 400_000
DRIFT = 0.01 / 24
"""From one process to the next, as a share."""
OUTLIERS = 0.1
"""Of slices and of processes, those that cost more: by a tenth on average."""

CONVERGED = 500
"""Rows are measured until so many have; of every machine `make test-deep` measures four times as
many."""

FEWEST_HELD = 0.935

KINDS = ("steady", "drifting", "with outliers")

MOVED = 0.002
"""What all processes of a run share, as a share of the cost: standard deviation over runs."""


class Measured(NamedTuple):
    """A row, and what it was measured of."""

    converged: bool
    held: bool
    processes: int


def rows(kind: str, between: float, seed: int) -> Iterator[Floats]:
    """Medians of the groups of each row, by process and group; the true cost is 1000."""
    random = np.random.default_rng(seed)
    while True:
        processes = random.normal(0, between, MOST_PROCESSES)
        slices = random.normal(0, WITHIN, (MOST_PROCESSES, GROUPS, SLICES))
        if kind == "with outliers":
            processes += _outliers(random, processes.shape)
            slices += _outliers(random, slices.shape)
        groups = np.median(processes[:, None, None] + slices, axis=2)
        if kind == "drifting":
            groups += DRIFT * np.arange(MOST_PROCESSES)[:, None]
        yield 1000 * (1 + groups)


def _outliers(random: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    return np.where(random.random(shape) < OUTLIERS, random.exponential(0.1, shape), 0)


def truth(kind: str, between: float, processes: int) -> float:
    """The median of all processes that there could be; of what drifts, the mean over the time that
    was measured."""
    if kind == "with outliers":
        return _median_with_outliers(between)
    drifted = DRIFT * (processes - 1) / 2 if kind == "drifting" else 0
    return 1000 * (1 + drifted)


@cache
def _median_with_outliers(between: float) -> float:
    """Of the processes of many rows."""
    made = rows("with outliers", between, seed=99)
    return float(np.median([np.median(next(made), axis=1) for _ in range(500)]))


def measured(groups: Floats, rule: Rule, true: dict[int, float]) -> Measured:
    """Measures a row in more and more processes, until it has converged at a look."""
    for processes in (look for look in LOOKS if look <= len(groups)):
        seen = groups[:processes]
        starts_ns = BETWEEN_GROUPS_NS * np.arange(seen.size)
        values = np.median(seen, axis=1)
        observed = Observations(values, seen.ravel(), starts_ns, SLICES * seen.size, 0)
        converged = observed.missing(rule) is None
        if converged or processes == LOOKS_HERE[-1]:
            estimate = observed.estimate(rule)
            held = estimate.low <= true[processes] <= estimate.high
            return Measured(converged, held, processes)
    raise AssertionError("the last look ends it")


def share_held(found: list[Measured]) -> float:
    return float(np.mean([it.held for it in found]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "between", "count"),
    [
        *(("steady", 0.01, CONVERGED), ("drifting", 0.02, CONVERGED)),
        ("with outliers", 0.0, CONVERGED),
        *(
            pytest.param(kind, between, 4 * CONVERGED, marks=pytest.mark.deep)
            for kind, between in product(KINDS, (0.0, 0.005, 0.01, 0.02))
        ),
    ],
)
def test_intervals_hold_the_truth(
    kind: str, between: float, count: int, record_property: pytest.RecordProperty
) -> None:
    true = {look: truth(kind, between, look) for look in LOOKS_HERE}
    found: list[Measured] = []
    made = rows(kind, between, seed=int(1000 * between) + KINDS.index(kind))
    while sum(it.converged for it in found) < count:
        found += [measured(next(made), RULE, true) for _ in range(100)]
    settled = [it for it in found if it.converged]
    held = share_held(settled)
    if held > 0.97:
        record_property("too wide", f"{100 * held:.1f} % hold the truth")
    assert held >= FEWEST_HELD
    others = [it for it in found if not it.converged]
    assert not others or share_held(others) >= FEWEST_HELD


@pytest.mark.slow
def test_what_all_processes_of_a_run_share_is_in_the_interval() -> None:
    """A state of the machine that outlasts the run, which its processes cannot show."""
    true = dict.fromkeys(LOOKS_HERE, 1000.0)
    shares = {}
    for reproducibility in (0.0, 2 * MOVED):
        rule = replace(RULE, reproducibility=reproducibility)
        random, made = np.random.default_rng(7), rows("steady", 0.003, seed=7)
        measured_rows = [
            measured(next(made) * (1 + random.normal(0, MOVED)), rule, true)
            for _ in range(CONVERGED)
        ]
        shares[reproducibility] = share_held([it for it in measured_rows if it.converged])
    assert shares[0.0] < 0.9
    assert shares[2 * MOVED] >= FEWEST_HELD
