"""Which machines are alike: by the logarithms of the ratios of what the same implementations cost.

Two machines differ by x % when the mean size of these logarithms, over the figures that both have,
is that of a ratio of 1 + x. Cycles per byte and not time, so that machines of one design with other
clocks are alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from ciphermark.answers.machines.figures import Implementation, settled
from ciphermark.answers.machines.machine import Key

if TYPE_CHECKING:
    from ciphermark.record.query import Figures

FEWEST_FIGURES = 12
FEWEST_ALGORITHMS = 4
"""In common, for anything to be said of two machines: what a core does well shows only over several
functions, and the sizes of one function tell much the same."""

ALIKE = 1.10
"""Machines of a group differ by less, each from each. Runs of one machine differ by a few percent,
another generation of a processor by half or more in some function."""


Costs = dict[str, dict[Implementation, float]]
"""By the name of a machine, cycles per byte of each implementation."""


class Likeness(msgspec.Struct, kw_only=True):
    """How alike two machines are."""

    a: str
    b: str
    figures: int
    """Figures that both have."""
    algorithms: int
    factor: float | None = None
    """Mean of the ratios, whichever way they go: 1.03 is alike to 3 %. None on too few figures."""
    largest: float | None = None
    """The largest ratio, of b by a."""
    largest_of: str | None = None
    """What that is of."""


class MachineGroup(msgspec.Struct, kw_only=True):
    """Machines that are alike, each with each."""

    machines: list[str]
    factor: float
    """Of the two that differ the most."""
    fewest_figures: int
    """In common, of any two of them."""


class Groups(msgspec.Struct, kw_only=True):
    """All machines, in groups or alone."""

    groups: list[MachineGroup]
    """The largest first."""
    alone: list[str]
    """Machines that are like no other."""
    untold: list[str]
    """Machines that have too few figures in common with any other to say anything of them."""
    likenesses: list[Likeness]
    """Of each two machines that can be compared."""
    alike: float = ALIKE
    fewest_figures: int = FEWEST_FIGURES
    fewest_algorithms: int = FEWEST_ALGORITHMS


def costs_of(figures: Figures, names: Mapping[Key, str]) -> Costs:
    """What the machines cost that have these names."""
    found = settled(figures)
    return {name: found.get(key, {}) for key, name in names.items()}


def likenesses(machine: str, others: Sequence[str], costs: Costs) -> list[Likeness]:
    """How alike a machine is with each of some others."""
    return _Table(costs, [machine, *others]).likenesses(0)


def seen_from(machine: str, pairs: Sequence[Likeness]) -> list[Likeness]:
    """Those of some pairs that a machine is in, which is then `a`, the most alike first."""
    mine = [it for it in pairs if it.a == machine]
    mine += [
        msgspec.structs.replace(it, a=it.b, b=it.a, largest=it.largest and 1 / it.largest)
        for it in pairs
        if it.b == machine
    ]
    return sorted(mine, key=lambda it: it.factor or 0.0)


class _Table:
    """The logarithms of all costs, machine by implementation: what one machine does not have is
    not a number. So are thousands of pairs compared without a loop over their figures."""

    def __init__(self, costs: Costs, names: Sequence[str]) -> None:
        self._names = names
        self._implementations = sorted({it for name in names for it in costs.get(name, {})})
        self._logs = np.log(
            [
                [its.get(it, np.nan) for it in self._implementations]
                for its in (costs.get(name, {}) for name in names)
            ]
        ).reshape(len(names), len(self._implementations))
        algorithms = np.array([it.algorithm for it in self._implementations], str)
        self._of_algorithm = algorithms[:, None] == np.unique(algorithms)

    def likenesses(self, number: int) -> list[Likeness]:
        """Of a machine, by its number, with each one after it."""
        logs = self._logs[number + 1 :] - self._logs[number]
        common = ~np.isnan(logs)
        figures = common.sum(axis=1)
        algorithms = np.count_nonzero(common.astype(int) @ self._of_algorithm, axis=1)
        told = (figures >= FEWEST_FIGURES) & (algorithms >= FEWEST_ALGORITHMS)
        sizes = np.where(common, np.abs(logs), 0.0)
        found = []
        for n, other in enumerate(self._names[number + 1 :]):
            pair = Likeness(
                a=self._names[number],
                b=other,
                figures=int(figures[n]),
                algorithms=int(algorithms[n]),
            )
            if told[n]:
                place = int(np.argmax(sizes[n]))
                pair.factor = float(np.exp(sizes[n].sum() / figures[n]))
                pair.largest = float(np.exp(logs[n, place]))
                pair.largest_of = _called(self._implementations[place])
            found.append(pair)
        return found


def groups(costs: Costs) -> Groups:
    """The machines in groups, by complete linkage: in each, all are alike, each with each.

    No group is claimed of machines of which too little is known in common.
    """
    names = sorted(costs)
    table = _Table(costs, names)
    pairs = [it for number in range(len(names)) for it in table.likenesses(number)]
    told = [it for it in pairs if it.factor is not None]
    compared = {name for it in told for name in (it.a, it.b)}
    found = [members for members in _clusters(names, pairs) if len(members) > 1]
    grouped = {name for members in found for name in members}
    return Groups(
        groups=sorted(
            (_group(members, told) for members in found), key=lambda it: -len(it.machines)
        ),
        alone=[name for name in names if name in compared and name not in grouped],
        untold=[name for name in names if name not in compared],
        likenesses=told,
    )


def _clusters(names: list[str], pairs: list[Likeness]) -> list[list[str]]:
    """By complete linkage: the two clusters whose farthest members are nearest become one, while
    these are alike. scipy has it too, but takes longer to import than all else here takes."""
    place = {name: number for number, name in enumerate(names)}
    far = np.full((len(names), len(names)), np.inf)
    for it in pairs:
        if it.factor is not None:
            a, b = place[it.a], place[it.b]
            far[a, b] = far[b, a] = it.factor
    members = [[name] for name in names]
    while far.size and far.min() <= ALIKE:
        a, b = sorted(divmod(int(far.argmin()), len(members)))
        far[a] = far[:, a] = np.maximum(far[a], far[b])
        far[a, a] = np.inf
        far = np.delete(np.delete(far, b, axis=0), b, axis=1)
        members[a] += members.pop(b)
    return [sorted(it) for it in members]


def _group(members: list[str], told: list[Likeness]) -> MachineGroup:
    within = [it for it in told if it.a in members and it.b in members]
    return MachineGroup(
        machines=members,
        factor=max(it.factor for it in within if it.factor is not None),
        fewest_figures=min(it.figures for it in within),
    )


def _called(it: Implementation) -> str:
    backend = "" if it.backend_asked == "default" else f"/{it.backend_asked}"
    return f"{it.algorithm} {it.operation} {it.message_bytes} B, {it.provider}{backend}"
