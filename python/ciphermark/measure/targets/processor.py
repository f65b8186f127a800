"""What models know of a processor."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from ciphermark.contract.simulation import Metric

Kilobytes = Annotated[float, msgspec.Meta(ge=0, le=1e9)]

UNVERIFIED = "unverified"
"""The source of a parameter that nobody has looked up."""


class Processor(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A processor's description: the table `[processor]` of a target's file."""

    clock_mhz: Annotated[float, msgspec.Meta(gt=0, le=100_000)]
    bus_width_bits: Literal[8, 16, 32, 64]
    """Of data, as the processor computes: the word size that its published figures are normalised
    by."""
    isa: Literal["risc", "cisc"]
    multiply_bits: Literal[0, 8, 16, 32, 64]
    """Widest factors of a multiply instruction; 0 without one."""
    has_divide: bool
    has_rotate: bool
    """Of a whole word by a constant, in one instruction."""
    has_variable_shift: bool
    """By a register, in a time that does not grow with the distance."""
    registers: Annotated[int, msgspec.Meta(ge=1, le=1024)]
    """For general use."""
    issue: Annotated[int, msgspec.Meta(ge=1, le=64)]
    """Most instructions that are begun in a cycle."""
    out_of_order: bool = False
    icache_kb: Kilobytes
    dcache_kb: Kilobytes
    flash_kb: Kilobytes | None = None
    """Of a microcontroller."""
    ram_kb: Kilobytes | None = None
    metric: Metric
    """What its simulation gives."""
    pipeline: str | None = None
    """The model of its cycles, by name; None unless `metric` is `cycles-model`."""
    cycles: dict[str, int] = {}
    """The parameters of that model; see `measure/targets/pipelines/`."""
    sources: dict[str, str]
    """Of every fact above, and of every parameter of the model (`cycles.load_result`): document and
    place, or `unverified`."""
