"""Whether a case was measured enough: what was observed of it, and the rule.

The engine stops by the same rule (`engine/harness/src/stopping.rs`); `tests/golden/stopping.json`
holds the two equal. Slices of one group share their conditions, and groups of one process share
where code, tables and buffers lie; so a worker process is one observation, whose value is the
median of its groups. In runs of format 1.8 and older, which have few processes, a group is one
observation. The interval comes from order statistics, which suppose nothing about the distribution,
and from what moves figures from run to run, which the processes of one run do not show.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.quantiles import (
    FEWEST_GROUPS,
    ONE_LOOK,
    SEVERAL_LOOKS,
    Floats,
    estimate_median,
    median,
)

if TYPE_CHECKING:
    from ciphermark import contract

RESOLUTION_CYCLES = 0.25
"""No function is asked to be known better than this, cycles per message: the loop's own cost, which
was subtracted, is not (see benchmarks/harness_floor.py)."""


@dataclass(frozen=True)
class Rule:
    """What a case must fulfil to be converged."""

    precision: float
    """Half-width of the interval as a share of the estimate."""
    min_groups: int
    min_span_ms: float
    """Least time between the first and the last group."""
    min_processes: int = 0
    """0 where a group is an observation."""
    reproducibility: float = 0.0
    """What a figure moves by from run to run though the processes of each agree, as a share:
    half-width of its 95 % interval."""

    @classmethod
    def of(cls, plan: contract.Plan) -> Self:
        """The rule that the cases of a plan were measured by."""
        sampling = plan.sampling
        return cls(
            plan.precision,
            sampling.min_groups,
            sampling.min_span_ms,
            sampling.min_processes,
            sampling.reproducibility,
        )

    @property
    def by_process(self) -> bool:
        """Whether a process is an observation."""
        return self.min_processes > 0

    @property
    def tail(self) -> Fraction:
        """Probability with which the median lies beyond one end of the interval."""
        return SEVERAL_LOOKS if self.by_process else ONE_LOOK


class Missing(StrEnum):
    """Why a case has not converged, in the order in which it is asked."""

    DISTURBED = "disturbed"
    PROCESSES = "processes"
    GROUPS = "groups"
    STATES = "states"
    INTERVAL = "interval"
    HALVES = "halves"
    SPAN = "span"


class States(NamedTuple):
    """Two clusters of groups."""

    lower: float
    """Median of the lower cluster, cycles per message."""
    upper: float
    share: float
    """Of all groups, those in the lower cluster."""


FEWEST_OF_A_STATE = 0.25
"""In two states that are distinguished, the rarer one has at least this share of the groups."""

STATES_APART = 3
"""The states are this many times as far apart as the wanted precision at least."""

STATES_WIDE = 4
"""And as the middle half of either is wide."""

FEWEST_GROUPS_OF_STATES = 12


@dataclass(frozen=True)
class Observations:
    """What was observed of one case, in the order of time."""

    values: Floats
    """Of each process that has an undisturbed sample, or of each such group: cycles per message."""
    groups: Floats
    """Median of each group's undisturbed samples."""
    starts_ns: npt.NDArray[np.int64]
    """Start of each group's first sample, disturbed or not."""
    samples: int
    """All samples of the case, also those of groups that do not count."""
    disturbed: int

    def estimate(self, rule: Rule) -> Estimate | None:
        """Median and its interval; None without an observation. The arms of the interval are those
        of the order statistics and the reproducibility, as errors that are independent."""
        estimate = estimate_median(self.values, rule.tail)
        return estimate and estimate.wider(rule.reproducibility)

    def missing(self, rule: Rule) -> Missing | None:
        """What is still missing; nothing when the case has converged."""
        estimate = self.estimate(rule)
        if estimate is None or estimate.half is None or len(self.values) < rule.min_processes:
            few = Missing.PROCESSES if rule.by_process else Missing.GROUPS
            return Missing.DISTURBED if self.mostly_disturbed() else few
        if len(self.groups) < rule.min_groups:
            return Missing.DISTURBED if self.mostly_disturbed() else Missing.GROUPS
        tolerance = max(rule.precision * abs(estimate.value), RESOLUTION_CYCLES)
        if rule.by_process and self.states(tolerance) is not None:
            return Missing.STATES
        if estimate.half > tolerance:
            return Missing.INTERVAL
        if self.halves_differ_by() > tolerance:
            return Missing.HALVES
        if self.span_ms() < rule.min_span_ms:
            return Missing.SPAN
        return None

    def mostly_disturbed(self) -> bool:
        """Whether more than half of the samples do not count, so that few groups do."""
        return 2 * self.disturbed > self.samples

    def states(self, tolerance: float) -> States | None:
        """The two clusters that the groups lie in: on either side of the widest gap that leaves
        enough groups on both, if it is far wider than either cluster. `tolerance` in cycles."""
        count = len(self.groups)
        if count < FEWEST_GROUPS_OF_STATES:
            return None
        ordered = np.sort(self.groups)
        fewest = math.ceil(FEWEST_OF_A_STATE * count)
        gaps = np.diff(ordered)[fewest - 1 : count - fewest]
        split = fewest + int(np.argmax(gaps))
        lower, upper = ordered[:split], ordered[split:]
        wide = max(_middle_half(lower), _middle_half(upper))
        if ordered[split] - ordered[split - 1] <= max(STATES_APART * tolerance, STATES_WIDE * wide):
            return None
        return States(median(lower), median(upper), split / count)

    def halves_differ_by(self) -> float:
        """Distance between the medians of the earlier and the later half; needs two values."""
        half = len(self.values) // 2
        return abs(median(self.values[:half]) - median(self.values[-half:]))

    def span_ms(self) -> float:
        """Time from the start of the first group to that of the last; needs one group."""
        return float(self.starts_ns[-1] - self.starts_ns[0]) / 1e6


def _middle_half(ordered: Floats) -> float:
    """Width of the middle half of sorted values."""
    last = len(ordered) - 1
    return float(ordered[last - last // 4] - ordered[last // 4])


def reason(missing: Missing, observations: Observations, rule: Rule) -> str:
    """What is missing and by how much, in a few words."""
    match missing:
        case Missing.DISTURBED:
            share = 100 * observations.disturbed / observations.samples
            return f"{share:.0f} % of samples disturbed"
        case Missing.PROCESSES:
            return (
                f"{len(observations.values)} of the "
                f"{max(rule.min_processes, FEWEST_GROUPS)} processes that an interval needs"
            )
        case Missing.GROUPS:
            return f"{len(observations.groups)} of {max(rule.min_groups, FEWEST_GROUPS)} groups"
        case Missing.SPAN:
            return f"groups within {observations.span_ms():.1f} of {rule.min_span_ms:g} ms"
    estimate = observations.estimate(rule)
    if estimate is None or estimate.half is None:
        raise ValueError(f"{missing.name} is missing of what has no interval")
    if missing is Missing.STATES:
        return _two_states(observations, rule, estimate.value)
    if missing is Missing.INTERVAL:
        return f"interval ±{_relative(estimate.half, estimate.value)}"
    what = "processes" if rule.by_process else "groups"
    return f"{what} disagree by {_relative(observations.halves_differ_by(), estimate.value)}"


def _two_states(observations: Observations, rule: Rule, value: float) -> str:
    states = observations.states(max(rule.precision * abs(value), RESOLUTION_CYCLES))
    if states is None:
        raise ValueError("the observations are of one state")
    return (
        f"two states: {states.lower:.4g} cycles ({100 * states.share:.0f} %) and "
        f"{states.upper:.4g} ({100 - 100 * states.share:.0f} %)"
    )


def _relative(difference: float, value: float) -> str:
    """A difference as a share of a value; in cycles where that is zero."""
    if value == 0:
        return f"{difference:.2g} cycles"
    return f"{100 * difference / abs(value):.1f} %"
