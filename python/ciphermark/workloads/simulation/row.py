"""The row of a case on a simulated processor: what users see of it."""

from __future__ import annotations

import msgspec

from ciphermark import contract
from ciphermark.contract.simulation import Metric


class SimulationRow(msgspec.Struct, kw_only=True):
    """One call of a kernel on one target; None where something is not known or not defined.

    All counts are beyond a call of a function that does nothing.
    """

    target: str
    algorithm: str
    operation: str
    backend: str
    keyed_for: str | None
    """Of `setup`: the operation that the key is for, where it is not the sending one."""
    message_bytes: int | None
    seed: int
    metric: Metric | None
    """What `value` is; figures of different metrics are not compared."""
    value: int | None
    value_per_byte: float | None
    microseconds: float | None
    """At the clock of the target; None where `value` is not cycles."""
    instructions: int | None
    loads: int | None
    stores: int | None
    stack_bytes: int | None
    code_bytes: int | None
    context_bytes: int | None
    vectors_passed: int
    error: contract.Failure | None

    @property
    def is_measured(self) -> bool:
        """Whether there is a figure."""
        return self.error is None and self.value is not None
