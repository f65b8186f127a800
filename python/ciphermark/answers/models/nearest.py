"""Which known processors are most like another."""

from __future__ import annotations

import math
from collections.abc import Iterable

from ciphermark.answers.models.observation import KnownProcessor
from ciphermark.measure.targets.processor import Processor


def nearest(processor: Processor, known: Iterable[KnownProcessor], most: int = 3) -> list[str]:
    """Names of at most so many, the nearest first.

    Width counts before instructions, and these before the clock, which changes no cycles.
    """
    ordered = sorted(known, key=lambda it: (_distance(processor, it.processor), it.name))
    return [it.name for it in ordered[:most]]


def _distance(one: Processor, other: Processor) -> tuple[float, int, float]:
    differing = sum(
        (
            one.isa != other.isa,
            (one.multiply_bits > 0) != (other.multiply_bits > 0),
            one.has_divide != other.has_divide,
            one.has_rotate != other.has_rotate,
            one.has_variable_shift != other.has_variable_shift,
            one.out_of_order != other.out_of_order,
        )
    )
    return (
        abs(math.log2(one.bus_width_bits / other.bus_width_bits)),
        differing,
        abs(math.log2(one.clock_mhz / other.clock_mhz)),
    )
