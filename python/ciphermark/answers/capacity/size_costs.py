"""What a packet of any size costs, from the sizes that were measured; and what a mix costs more.

Between two measured sizes the cost is taken to lie on the line through both. Blocks and lanes make
steps, so how wrong that is is asked of the measured sizes themselves: each but the first and last
is predicted from its neighbours, and the mean square of these errors, which are of gaps twice as
wide as those that are used, counts for every size that was not measured. People measure powers of
two, which are whole blocks and lie on one line where sizes between them do not; so a block more or
less counts as well.

At one size the same branches are taken for every packet. In a mix they depend on its length, and
of what a length tells (its entropy, in bits) about one branch a bit is foretold wrongly. That is a
number of cycles, and so matters most where packets are short and the cipher is fast.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from ciphermark.plan.profile import FEW_MESSAGES
from ciphermark.statistics.estimate import ASSUMED_SHARE, Estimate, complete

UNKNOWN_SHARE = ASSUMED_SHARE
"""Error of sizes between too few measured ones to show how straight the line between them is."""

BLOCK_BYTES = 64
"""Of most hashes and of ChaCha20, and four of AES: what code does at once or not at all."""

NORMAL = 1.96
"""From a standard deviation to half of a 95 % interval."""


def fixed_share(fixed_ns: Iterable[float | None], whole_ns: float) -> float | None:
    """Of a cost, what empty messages cost too; None where one of its parts does not tell."""
    known = complete(fixed_ns)
    return None if known is None else min(1.0, sum(known) / whole_ns)


class SizeCost(NamedTuple):
    """Nanoseconds of one packet of a size that was measured."""

    message_bytes: int
    ns: Estimate


class SizeCosts:
    """Costs at the measured sizes, and between them."""

    def __init__(
        self, measured: Iterable[SizeCost], seen: Callable[[int], int] | None = None
    ) -> None:
        """Takes the measured sizes, and the bytes that the function sees of a packet."""
        self.measured = sorted(measured)
        self._seen = seen
        self._sizes = [it.message_bytes for it in self.measured]
        self.bend = self._bending()
        """Half-width of what a line between two sizes misses, as a share."""

    def mean(self, lengths: Iterable[tuple[int, float]]) -> Estimate:
        """Mean nanoseconds of packets of these lengths with these shares.

        Errors of sizes are independent; those of the line between two sizes are shared by all
        lengths between the two. Where a size has no interval, neither has the mean.
        """
        value = 0.0
        of_sizes: dict[int, float] = defaultdict(float)
        of_gaps: dict[int, float] = defaultdict(float)
        for length, share in lengths:
            weights, gap, bend = self._line(self._seen(length) if self._seen else length)
            for place, weight in weights:
                value += share * weight * self.measured[place].ns.value
                of_sizes[place] += share * weight
            of_gaps[gap] += share * bend
        halves = [(weight, self.measured[place].ns.half) for place, weight in of_sizes.items()]
        known = [weight * half for weight, half in halves if half is not None]
        if len(known) < len(halves):
            return Estimate(value)
        return Estimate.of_cost(value, math.hypot(*known, *of_gaps.values()))

    def at(self, message_bytes: int) -> Estimate:
        """Nanoseconds of one packet."""
        return self.mean([(message_bytes, 1.0)])

    def covers(self, lengths: Iterable[tuple[int, float]]) -> bool:
        """Whether all lengths lie between the measured sizes."""
        seen = (self._seen(it) if self._seen else it for it, _ in lengths)
        return all(self._sizes[0] <= it <= self._sizes[-1] for it in seen)

    def fixed(self) -> float | None:
        """Nanoseconds of an empty packet, by the line of least relative errors; one size does not
        tell."""
        if len(self.measured) == 1:
            return None
        weights = [it.ns.value**-2 for it in self.measured]
        total = sum(weights)
        mean_size = _weighted(weights, self._sizes) / total
        mean_cost = _weighted(weights, [it.ns.value for it in self.measured]) / total
        spread = sum(w * (n - mean_size) ** 2 for w, n in zip(weights, self._sizes, strict=True))
        slope = (
            sum(
                w * (it.message_bytes - mean_size) * it.ns.value
                for w, it in zip(weights, self.measured, strict=True)
            )
            / spread
        )
        return max(0.0, mean_cost - slope * mean_size)

    def _line(self, length: int) -> tuple[list[tuple[int, float]], int, float]:
        """The measured sizes that a length is computed from, each with its weight; the number of
        the gap; and the half-width of what the line misses, ns."""
        gap = bisect_left(self._sizes, length)
        if gap < len(self._sizes) and self._sizes[gap] == length:
            return [(gap, 1.0)], -1, 0.0
        if len(self._sizes) == 1:
            return self._by_one_size(length, gap)
        last = min(max(gap, 1), len(self._sizes) - 1)
        low, high = self._sizes[last - 1], self._sizes[last]
        # Shorter ones cost as much as the shortest: calls, keys and blocks are whole.
        share = max(0.0, (length - low) / (high - low))
        missed = self._outside(length) * self._missed(last - 1, last, share)
        return [(last - 1, 1 - share), (last, share)], gap, missed

    def _by_one_size(self, length: int, gap: int) -> tuple[list[tuple[int, float]], int, float]:
        """Takes the middle, and reaches to both ends: all of the cost may be fixed, or all go with
        the bytes."""
        share = length / self._sizes[0]
        apart = abs(share - 1) / 2 * self.measured[0].ns.value
        return [(0, (1 + share) / 2)], gap, apart + share * self._missed(0, 0, 1.0)

    def _missed(self, first: int, last: int, share: float) -> float:
        """Half-width of what the line through two measured sizes misses, ns."""
        low, high = self.measured[first], self.measured[last]
        bend = self.bend * ((1 - share) * low.ns.value + share * high.ns.value)
        if first == last:
            return bend
        steep = (high.ns.value - low.ns.value) / (high.message_bytes - low.message_bytes)
        return math.hypot(bend, max(0.0, steep) * BLOCK_BYTES)

    def _outside(self, length: int) -> float:
        """By what the error grows beyond the largest size: with the distance in its own size."""
        return max(1.0, length / self._sizes[-1])

    def _bending(self) -> float:
        """Each size but the first and last is predicted from its neighbours."""
        errors = [
            _between(before, after, it.message_bytes) / it.ns.value - 1
            for (before, it), (_, after) in pairwise(pairwise(self.measured))
        ]
        if not errors:
            return UNKNOWN_SHARE
        return NORMAL * math.sqrt(sum(it**2 for it in errors) / len(errors))


def _between(before: SizeCost, after: SizeCost, message_bytes: int) -> float:
    share = (message_bytes - before.message_bytes) / (after.message_bytes - before.message_bytes)
    return (1 - share) * before.ns.value + share * after.ns.value


def _weighted(weights: Sequence[float], values: Sequence[float]) -> float:
    return sum(weight * value for weight, value in zip(weights, values, strict=True))


CYCLES_PER_BIT = 16.0
"""Mean over suites and mixes of benchmarks/capacity.py on one server (AES-GCM, and CTR and CBC with
HMAC; two mixes of three sizes and one of all lengths). A branch that is foretold wrongly costs such
processors 15 to 20 cycles (A. Fog, The microarchitecture of Intel, AMD and VIA CPUs)."""

HALF_CYCLES = 20.0
"""Half of the 95 % interval for one bit, of the same cells; branches err independently, so that it
grows with the root of the bits."""

MOST_BITS = math.log2(FEW_MESSAGES)
"""That the lengths of a measured mix can tell: it has so many messages before it repeats."""

MIXED_SHARE = 0.02
"""Half of the interval in addition, as a share: tables and caches, and rows of one run that differ
by more than their intervals say (root mean square 1 % in the same cells)."""

UNKNOWN_CLOCK_SHARE = 0.03
"""Half of the interval where no clock is known that cycles could be told by. An assumption."""

OTHER_CLOCK_ERROR = 0.1
"""Half-width, as a share, of figures that are scaled to another clock: what stays in the caches
takes the same cycles, memory does not. An assumption."""


def mixing(ns: Estimate, lengths: Iterable[tuple[int, float]], hz: float | None) -> Estimate:
    """The cost of one operation in a mix, from its mean over the lengths."""
    bits = _bits(lengths)
    if bits == 0:
        return ns
    if hz is None:
        return ns.wider(UNKNOWN_CLOCK_SHARE)
    wrong = Estimate.of_cost(CYCLES_PER_BIT * bits, HALF_CYCLES * math.sqrt(bits)).times(1e9 / hz)
    return ns.plus(wrong).wider(MIXED_SHARE)


def _bits(lengths: Iterable[tuple[int, float]]) -> float:
    """What lengths tell, as far as a measured mix can."""
    return min(MOST_BITS, entropy_bits(share for _, share in lengths))


def entropy_bits(shares: Iterable[float]) -> float:
    """Of lengths with these shares."""
    return -sum(it * math.log2(it) for it in shares if it > 0) + 0.0
