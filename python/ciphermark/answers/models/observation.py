"""Costs on processors, wherever they come from: what models of processors are fitted to."""

from __future__ import annotations

from typing import Literal

import msgspec

from ciphermark.contract.simulation import Metric
from ciphermark.measure.targets.processor import Processor
from ciphermark.measure.targets.target import targets


class KnownProcessor(msgspec.Struct, kw_only=True):
    """A processor with its name."""

    name: str
    title: str
    processor: Processor


class Observation(msgspec.Struct, kw_only=True, frozen=True):
    """What one call of a function costs on one processor."""

    processor: str
    """Name of a `KnownProcessor`."""
    algorithm: str
    operation: str
    """As everywhere, and of published tables also `init`, `init-encrypt` and `init-decrypt`."""
    message_bytes: int | None
    """None for `setup`. Of a published row for several lengths, the longest."""
    cycles: float
    """Cycles, or instructions where `metric` says so."""
    metric: Metric | Literal["cycles-measured", "cycles-published"]
    """`cycles-published`: a printed time, multiplied by the clock."""
    operations: dict[str, int] | None = None
    """Of the reference instruction stream, for the same call: see
    `measure/targets/operation_counts.py`."""


def described() -> list[KnownProcessor]:
    """The processors that the targets of this package describe, by name."""
    return [
        KnownProcessor(name=target.name, title=target.title, processor=target.processor)
        for target in targets()
        if target.processor is not None and target.variant_of is None
    ]
