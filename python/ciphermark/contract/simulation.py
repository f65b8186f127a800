"""What was found of kernels on simulated processors."""

from __future__ import annotations

from typing import Literal

import msgspec

from ciphermark import contract

Metric = Literal["cycles-simulated", "cycles-model", "instructions"]
"""What a figure of a simulated processor is; figures of different metrics are never compared.

- `cycles-simulated`: a simulator of the processor counted its cycles.
- `cycles-model`: a stated model of the pipeline, over the exact instructions that were executed.
- `instructions`: how many were executed, where no model of the pipeline is known to be right.
"""


class SimulatedCase(msgspec.Struct, kw_only=True, frozen=True):
    """One call of a kernel on one target."""

    target: str
    """Name of its file."""
    algorithm: str
    operation: str
    """`setup`, `seal`, `open`, `encrypt`, `decrypt`, `mac`, `verify`, `digest` or `keystream`."""
    backend: str = "reference"
    message_bytes: int | None = None
    """None for `setup`."""
    keyed_for: Literal["decrypt", "open"] | None = None
    """Of `setup`: the operation that the key is prepared for, where it is not the sending one."""
    seed: int = 1
    """Of key, nonce and message, not 0; the same one gives the same bytes on all targets."""


class Simulation(msgspec.Struct, kw_only=True):
    """What became of a case. Beyond a call of a function that does nothing, which is subtracted."""

    case: SimulatedCase
    metric: Metric | None = None
    value: int | None = None
    """In the metric's unit; None where there is an error."""
    instructions: int | None = None
    """Executed, in every metric."""
    loads: int | None = None
    """Of data memory, where the runner sees them."""
    stores: int | None = None
    stack_bytes: int | None = None
    """The most below the caller's, by what was written there or by the stack pointer."""
    code_bytes: int | None = None
    """Instructions and constant tables that the algorithm needs, without scaffolding and libraries.
    """
    context_bytes: int | None = None
    """Of memory for a key."""
    operations: dict[str, int] | None = None
    """How often the processor did what, by kinds of instruction, where the target's instructions
    are counted so."""
    vectors_passed: int = 0
    """On the target, of this row."""
    error: contract.Failure | None = None


class SimulatedTarget(msgspec.Struct, kw_only=True):
    """A target as it was used."""

    target: str
    title: str
    compiler: str
    """Its own first line about itself; empty where it is missing."""
    flags: str
    runner: str
    """The simulator, as it names itself."""
    description: str = ""
    """The file of the target, as it was then."""
    reason: str = ""
    """Why nothing was simulated, and what to type; else empty."""
