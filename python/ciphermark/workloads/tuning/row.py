"""The row of one kernel in one variant: what users see of it."""

from __future__ import annotations

from typing import Literal

import msgspec

from ciphermark import contract

Metric = Literal["cycles-measured", "cycles-simulated", "cycles-model", "instructions"]
"""Those of simulated processors, and core cycles that the engine has measured on a machine."""

Verdict = Literal["default", "faster", "slower", "same", "unknown"]
"""Beside the default: `same` where the interval of the ratio has 1 in it."""


class TuningRow(msgspec.Struct, kw_only=True):
    """One call of a kernel, compiled in one way; None where something is not known or not defined.

    A *group* is the same call on the same target in all variants; fronts and ratios are of a group.
    """

    target: str
    """`host` of a machine that was measured."""
    machine: str
    """Its name; empty of a simulated target."""
    algorithm: str
    backend: str
    operation: str
    message_bytes: int | None
    variant: str
    compiler: str
    compiler_line: str
    flags: str
    reason: str
    """Why these flags may be worth it."""
    is_default: bool
    shippable: bool
    """Whether what comes out runs on other processors of its kind."""
    metric: Metric | None
    """What `value` is; figures of different metrics are not compared."""
    value: float | None
    """Of one call."""
    value_low: float | None
    """The 95 % interval of what was measured; what was simulated is exact."""
    value_high: float | None
    cycles_per_byte: float | None
    """None where the metric counts instructions."""
    code_bytes: int | None
    stack_bytes: int | None
    ratio: float | None
    """`value` by that of the default flags, from the same run."""
    ratio_low: float | None
    ratio_high: float | None
    verdict: Verdict
    code_ratio: float | None
    stack_ratio: float | None
    on_front: bool
    """Whether it is shippable, and no other shippable variant of the group is at least as good in
    value, code and stack and better in one."""
    dominated_by: str | None
    """A variant of the front that is, where there is one."""
    within_error_of: str | None
    """Of a member of the front: another that is no larger in code and stack, smaller in one, and
    whose speed cannot be told from this one's."""
    vectors_passed: int
    error: contract.Failure | None

    @property
    def is_measured(self) -> bool:
        """Whether there is a figure."""
        return self.error is None and self.value is not None

    @property
    def group(self) -> tuple[str, str, str, str, str, int | None]:
        """What rows have in common that are held against each other."""
        return (
            *(self.target, self.machine, self.algorithm, self.backend, self.operation),
            self.message_bytes,
        )
