"""Which targets can be simulated here."""

from __future__ import annotations

import tempfile
from pathlib import Path

import msgspec

from ciphermark.contract.simulation import Metric
from ciphermark.measure.targets.target import Target, simulated
from ciphermark.measure.targets.toolchain import Toolchain, kernel_sources


class TargetSummary(msgspec.Struct, kw_only=True):
    """A target in a list."""

    target: str
    """Its name, as `ciphermark simulate` takes it."""
    title: str
    word_bits: int | None
    clock_mhz: float
    multiply_bits: int
    metric: Metric
    """What its figures are."""
    usable: bool
    reason: str
    """What to type for the tools that it lacks; empty when usable."""


def summaries() -> list[TargetSummary]:
    """All targets that describe a processor and have a simulator, by name."""
    with tempfile.TemporaryDirectory(prefix="ciphermark-") as folder:
        return [_summary(target, Path(folder) / target.name) for target in simulated()]


def _summary(target: Target, folder: Path) -> TargetSummary:
    processor = target.processor
    assert processor is not None
    missing = Toolchain(target, kernel_sources(), folder).missing()
    return TargetSummary(
        target=target.name,
        title=target.title,
        word_bits=target.word_bits,
        clock_mhz=processor.clock_mhz,
        multiply_bits=processor.multiply_bits,
        metric=processor.metric,
        usable=missing is None,
        reason=missing or "",
    )
