"""What of a processor decides its cycles."""

from __future__ import annotations

import msgspec

from ciphermark.measure.targets.processor import Processor


def core_of(processor: Processor) -> Processor:
    """The processor without its clock, its memories, and where its description is from: equal for
    processors that take the same cycles."""
    return msgspec.structs.replace(processor, clock_mhz=0.0, flash_kb=None, ram_kb=None, sources={})
