"""Which machines are alike: by the logarithms of the ratios of what the same implementations cost.

Two machines differ by x % when the mean size of these logarithms, over the figures that both have,
is that of a ratio of 1 + x. Cycles per byte and not time, so that machines of one design with other
clocks are alike.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np

from ciphermark.analyse.machines.newest import Figure, Implementation, Newest

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
    factor: float | None
    """Mean of the ratios, whichever way they go: 1.03 is alike to 3 %. None on too few figures."""
    largest: float | None
    """The largest ratio, of b by a."""
    largest_of: str | None
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


def settled(found: Newest, names: Mapping[tuple[str, str, str], str]) -> Costs:
    """By the name of a machine what each implementation costs there, where it has settled."""
    return {
        name: {it.implementation: it.cycles_per_byte for it in found.get(key, []) if _counts(it)}
        for key, name in names.items()
    }


def likeness(a: str, b: str, costs: Costs) -> Likeness:
    """How alike two machines are."""
    of_a, of_b = costs.get(a, {}), costs.get(b, {})
    common = sorted(of_a.keys() & of_b.keys())
    algorithms = len({it.algorithm for it in common})
    logs = np.log([of_b[it] / of_a[it] for it in common])
    told = len(common) >= FEWEST_FIGURES and algorithms >= FEWEST_ALGORITHMS
    place = int(np.argmax(np.abs(logs))) if told else 0
    return Likeness(
        a=a,
        b=b,
        figures=len(common),
        algorithms=algorithms,
        factor=float(np.exp(np.mean(np.abs(logs)))) if told else None,
        largest=float(np.exp(logs[place])) if told else None,
        largest_of=_called(common[place]) if told else None,
    )


def groups(costs: Costs) -> Groups:
    """The machines in groups, by complete linkage: in each, all are alike, each with each.

    No group is claimed of machines of which too little is known in common.
    """
    names = sorted(costs)
    pairs = [likeness(a, b, costs) for n, a in enumerate(names) for b in names[n + 1 :]]
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
    if len(names) < 2:
        return [names] if names else []
    from scipy.cluster.hierarchy import fcluster, linkage

    limit = np.log(ALIKE)
    # Of whom nothing is known together, they are as far apart as none that are alike.
    distances = [np.log(it.factor) if it.factor is not None else 100 * limit for it in pairs]
    labels = fcluster(linkage(distances, method="complete"), limit, criterion="distance")
    members: dict[int, list[str]] = {}
    for name, label in zip(names, labels, strict=True):
        members.setdefault(int(label), []).append(name)
    return list(members.values())


def _group(members: list[str], told: list[Likeness]) -> MachineGroup:
    within = [it for it in told if it.a in members and it.b in members]
    return MachineGroup(
        machines=members,
        factor=max(it.factor for it in within if it.factor is not None),
        fewest_figures=min(it.figures for it in within),
    )


def _counts(figure: Figure) -> bool:
    return figure.converged and figure.cycles_per_byte > 0


def _called(it: Implementation) -> str:
    backend = "" if it.backend_asked == "default" else f"/{it.backend_asked}"
    return f"{it.algorithm} {it.operation} {it.message_bytes} B, {it.provider}{backend}"
