"""Costs on a processor from its own figures: exact at the sizes that it has, by blocks at others.

Of a kernel the cost of a call is taken as a + b·blocks, with as many b as it makes passes with
blocks of their own, and none of them below 0. Where the known sizes do not determine a and b, all
values that reproduce the known costs are possible, and the interval has the least and the most that
they give; these are found where as many of a and b as can be are 0.

Costs within a block differ by copying and padding. Each known cost may be off by that, so that the
interval is wider the more the answer depends on few of them. Where known costs are further from
such a form, the answer is off by as large a share.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ciphermark.answers.models.block_model import Blocks, passes_of
from ciphermark.answers.models.observations import MODELLED_BACKEND, Observed
from ciphermark.answers.models.processors import KnownProcessor, Prediction, core_of

INSTRUCTIONS_ONLY = "instructions were counted, not cycles: one cycle per instruction is assumed"


class Bounds(NamedTuple):
    """Cycles of a call with the interval that holds them."""

    cycles: float
    low: float
    high: float


def by_blocks(
    known: Mapping[int, float], passes: Sequence[Blocks], message_bytes: int
) -> Bounds | None:
    """Returns the cost of a message from known costs by size; None if these say nothing of it."""
    blocks = np.array([_blocks(passes, size) for size in known], float)
    wanted = np.array(_blocks(passes, message_bytes), float)
    if ((wanted > 0) & ~blocks.any(axis=0)).any():
        return None
    found = list(_possible(blocks, wanted, np.array([*known.values()], float), passes))
    values = [it.cycles for it in found]
    return Bounds(
        (min(values) + max(values)) / 2,
        max(0.0, min(it.low for it in found)),
        max(it.high for it in found),
    )


def _blocks(passes: Sequence[Blocks], message_bytes: int) -> list[int]:
    """The call itself counts as one block of a pass of its own."""
    return [1, *(it.number(message_bytes, "padded") for it in passes)]


def _possible(
    blocks: np.ndarray, wanted: np.ndarray, costs: np.ndarray, passes: Sequence[Blocks]
) -> Iterator[Bounds]:
    """Yields the answer of each choice of a and b that reproduces the costs best, relatively, and
    has as few of them as that takes."""
    relative = blocks / costs[:, None]
    rank = int(np.linalg.matrix_rank(relative))
    tails = np.array([0.0, *map(_reach, passes)])
    for chosen in map(list, combinations(range(len(wanted)), rank)):
        if np.linalg.matrix_rank(relative[:, chosen]) < rank:
            continue
        inverse = np.linalg.pinv(relative[:, chosen])
        each = inverse.sum(axis=1)
        if rank < len(wanted) and (each < -1e-9 * costs.max()).any():
            continue
        cycles = float(wanted[chosen] @ each)
        # Where no block has a price, the whole call may be one.
        tail = float(tails[chosen] @ np.maximum(each, 0)) / 2 or tails.max() * costs.min() / 2
        leverage = 1 + float(np.abs(wanted[chosen] @ inverse / costs).sum())
        off = (np.abs(blocks[:, chosen] @ each - costs) - tail) / costs
        half = leverage * (tail + max(0.0, float(off.max())) * cycles)
        yield Bounds(cycles, cycles - half, cycles + half)


def _reach(blocks: Blocks) -> float:
    """Returns the tail as a share of the price that is found, which its own tails may lower."""
    return blocks.tail / (1 - blocks.tail) if blocks.tail < 0.5 else blocks.tail


class OwnCosts:
    """Answers for processors that are in the data; see `ProcessorModel`."""

    def __init__(self, observed: Observed) -> None:
        self._observed = observed
        self._cycles: dict[tuple[str, str, str, str], dict[int | None, float]] = {}
        for it in observed.observations:
            calls = self._cycles.setdefault((it.processor, it.backend, *it.function), {})
            calls[it.message_bytes] = it.cycles
        self._uncounted = {
            it.processor for it in observed.observations if it.metric == "instructions"
        }

    def kernels(self, processor: KnownProcessor, algorithm: str, operation: str) -> list[str]:
        """Returns the backends of a function with figures of the processor."""
        if not self._is_known(processor):
            return []
        wanted = (processor.name, algorithm, operation)
        return [key[1] for key in self._cycles if (key[0], *key[2:]) == wanted]

    def predict(
        self,
        processor: KnownProcessor,
        algorithm: str,
        operation: str,
        message_bytes: int | None,
        backend: str = MODELLED_BACKEND,
    ) -> Prediction:
        """Returns the figure of this call; at sizes that are not in the data, one by blocks."""
        calls = self._cycles.get((processor.name, backend, algorithm, operation), {})
        if not calls or not self._is_known(processor):
            nothing = f"no figure of {algorithm} {operation} ({backend}) on {processor.name}"
            return self._prediction(processor, backend, None, nothing)
        if (cycles := calls.get(message_bytes)) is not None:
            return self._prediction(processor, backend, Bounds(cycles, cycles, cycles))
        known = {size: cycles for size, cycles in calls.items() if size is not None}
        bounds = None
        if message_bytes is not None and known:
            bounds = by_blocks(known, passes_of(algorithm, backend), message_bytes)
        undetermined = "the figures do not determine the cost of such a message"
        return self._prediction(processor, backend, bounds, undetermined)

    def _is_known(self, it: KnownProcessor) -> bool:
        """Returns whether it is one of the data, if at another clock or with other memory."""
        known = self._observed.processors.get(it.name)
        return known is not None and core_of(known.processor) == core_of(it.processor)

    def _prediction(
        self, processor: KnownProcessor, backend: str, bounds: Bounds | None, reason: str = ""
    ) -> Prediction:
        cycles, low, high = bounds or (None, None, None)
        outside = INSTRUCTIONS_ONLY if processor.name in self._uncounted else None
        return Prediction(
            cycles=cycles,
            low=low,
            high=high,
            basis="measured",
            nearest=[processor.name],
            outside=reason if bounds is None else outside,
            backend=backend,
        )
