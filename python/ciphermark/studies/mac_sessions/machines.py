"""Several machines beside each other: how alike the orders of the functions are on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ciphermark.run.word_size import NARROW
from ciphermark.statistics.estimate import Estimate
from ciphermark.studies.evidence import Figure, at_all_ends, shown
from ciphermark.studies.mac_sessions.evidence import (
    FULL,
    PLAIN,
    Build,
    Measured,
    absolute,
    by_program,
)
from ciphermark.studies.mac_sessions.paper import FUNCTIONS, LARGEST, Function
from ciphermark.studies.mac_sessions.phone import PHONE, SIZES, TITLE, instructions
from ciphermark.view import figures
from ciphermark.workloads.loaded import of_one_execution

if TYPE_CHECKING:
    from ciphermark.studies.simulations import Simulations

FEWEST = 5
"""Functions of which an order is compared, or of which one is called the slowest."""


def by_machine(measured: Measured) -> list[tuple[str, Measured]]:
    """The machines by the names of their processors, with a number where two are alike."""
    every = [measured, *measured.elsewhere]
    names = [it.context.cpu_name for it in every]
    numbered = [
        name if names.count(name) == 1 else f"{name} ({names[: place + 1].count(name)})"
        for place, name in enumerate(names)
    ]
    return list(zip(numbered, every, strict=True))


DRAWS = 2000
"""Number of draws of all figures within their intervals; enough for two digits."""


class Orders(NamedTuple):
    """How alike the orders of the functions are on two machines."""

    one: str
    other: str
    by_size: dict[int, Figure]
    """Rank correlations."""


def across_machines(measured: Measured) -> Iterator[Orders]:
    """Each two machines in the build that may use everything, as figures 4 and 5; and each with the
    simulated phone in plain C, as figures 6 and 7."""
    every = by_machine(measured)
    for (one, here), (other, there) in combinations(every, 2):
        yield from _orders(one, other, here.sizes, _costs(here), _costs(there))
    phone = next((it.simulations for _, it in every if it.simulations.has(PHONE)), None)
    if phone is None:
        return
    counted = partial(_instructions, phone)
    for name, here in every:
        yield from _orders(f"{name}, {PLAIN.title}", TITLE, SIZES, _costs(here, PLAIN), counted)
    # The same C, for words of 32 bits on both.
    narrow = {
        name: of_one_execution(cost) for name, cost in by_program(measured.beside, NARROW).items()
    }

    def of_narrow(function: Function, message_bytes: int) -> Estimate | None:
        return narrow.get(function.algorithm) if message_bytes == LARGEST else None

    yield from _orders(f"{NARROW} of our kernels here", TITLE, (LARGEST,), of_narrow, counted)


Costs = Callable[[Function, int], Estimate | None]
"""What a byte costs at a size of messages; None where that is not known."""


def _costs(measured: Measured, build: Build = FULL) -> Costs:
    def cost(function: Function, message_bytes: int) -> Estimate | None:
        row = measured.row(function, message_bytes, build)
        return absolute(row) if row else None

    return cost


def _instructions(phone: Simulations, function: Function, message_bytes: int) -> Estimate | None:
    executed = instructions(phone, function, message_bytes)
    return None if executed is None else Estimate.exact(executed)


def _orders(
    one: str, other: str, sizes: Iterable[int], here: Costs, there: Costs
) -> Iterator[Orders]:
    """Of the sizes at which both have enough functions, if there are any."""
    by_size = {}
    for size in sizes:
        pairs = [
            (mine, theirs)
            for function in FUNCTIONS
            if (mine := here(function, size)) and (theirs := there(function, size))
        ]
        if len(pairs) >= FEWEST:
            by_size[size] = rank_correlation(pairs)
    if by_size:
        yield Orders(one, other, by_size)


def correlations(by_size: Mapping[int, Estimate]) -> str:
    """`16 B 0.976 (0.952 to 0.988), 64 KiB 0.988`."""
    return ", ".join(f"{figures.message_size(size)} {shown(it)}" for size, it in by_size.items())


def rank_correlation(pairs: Sequence[tuple[Estimate, Estimate]]) -> Figure:
    """Returns Spearman's coefficient, its interval by draws of all figures from their own.

    A sum over all figures, it has an interval of its own: that near ties of all functions turn
    round at once is too rare for it.
    """
    every = [it for pair in pairs for it in pair]
    inputs = at_all_ends(sum, every).inputs
    generator = np.random.default_rng(1)  # the same for the same figures
    ranks = []
    for side in zip(*pairs, strict=True):
        values = np.array([it.value for it in side])
        errors = np.array([(it.half or 0.0) / 1.96 for it in side])
        drawn = values + errors * generator.standard_normal((DRAWS, len(values)))
        drawn[0] = values
        ranks.append(drawn.argsort(axis=1).argsort(axis=1))
    apart = ((ranks[0] - ranks[1]) ** 2).sum(axis=1)
    count = len(pairs)
    found = 1 - 6 * apart / (count * (count**2 - 1))
    value = float(found[0])
    if not all(it.has_interval for it in every):
        return Figure(value, inputs=inputs)
    low, high = np.quantile(found, (0.025, 0.975))
    return Figure(value, min(float(low), value), float(high), inputs)
