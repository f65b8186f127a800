"""What it costs that packets differ in length: the processor no longer foretells branches.

At one size the same branches are taken for every packet. In a mix they depend on its length, and
of what a length tells (its entropy, in bits) about one branch a bit is foretold wrongly. That is a
number of cycles, and so matters most where packets are short and the cipher is fast.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from ciphermark.plan.profile import FEW_MESSAGES
from ciphermark.statistics.estimate import Estimate

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


def mixing(ns: Estimate, lengths: Iterable[tuple[int, float]], hz: float | None) -> Estimate:
    """The cost of one operation in a mix, from its mean over the lengths."""
    bits = _bits(lengths)
    if bits == 0:
        return ns
    if hz is None:
        return ns.wider(UNKNOWN_CLOCK_SHARE)
    wrong = Estimate.of_cost(CYCLES_PER_BIT * bits, HALF_CYCLES * math.sqrt(bits)).times(1e9 / hz)
    return ns.plus(wrong).wider(MIXED_SHARE)


def mean_ns(lengths: Iterable[tuple[int, float]], hz: float | None) -> float:
    """What branches add to one operation on average; 0 without a clock."""
    return CYCLES_PER_BIT * _bits(lengths) * 1e9 / hz if hz is not None else 0.0


def _bits(lengths: Iterable[tuple[int, float]]) -> float:
    """What lengths tell, as far as a measured mix can."""
    return min(MOST_BITS, entropy_bits(share for _, share in lengths))


def entropy_bits(shares: Iterable[float]) -> float:
    """Of lengths with these shares."""
    return -sum(it * math.log2(it) for it in shares if it > 0) + 0.0
