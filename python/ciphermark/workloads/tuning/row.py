"""The row of one kernel in one build, as runs of `ciphermark tune` have stored it."""

from __future__ import annotations

from typing import Literal

import msgspec

from ciphermark import contract
from ciphermark.record.run import Run


class TuningRow(msgspec.Struct, kw_only=True):
    """One call of a kernel, compiled in one way; None where something is unknown or undefined."""

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
    """True if the code runs on other processors of its kind."""
    metric: (
        Literal["cycles-measured", "cycles-simulated", "cycles-model", "instructions"] | None
    ) = None
    value: float | None = None
    """Cost of one call in the unit of the metric."""
    value_low: float | None = None
    """95 % interval of a measured figure; a simulated one is exact."""
    value_high: float | None = None
    cycles_per_byte: float | None = None
    code_bytes: int | None
    stack_bytes: int | None
    ratio: float | None = None
    """`value` by that of the default flags, from the same run."""
    ratio_low: float | None = None
    ratio_high: float | None = None
    verdict: Literal["default", "faster", "slower", "same", "unknown"] = "unknown"
    code_ratio: float | None = None
    stack_ratio: float | None = None
    on_front: bool = False
    """True if no other shippable build is at least as good in value, code and stack, and better in
    one."""
    dominated_by: str | None = None
    within_error_of: str | None = None
    """Smaller build of the front whose speed does not differ significantly."""
    vectors_passed: int = 0
    error: contract.Failure | None = None

    @property
    def is_measured(self) -> bool:
        """Returns whether there is a figure."""
        return self.error is None and self.value is not None


def tuning_rows(run: Run) -> list[TuningRow]:
    """Returns a row for each case, for a copy of a run without names.

    Ratios, fronts and figures of machines are left out: machines have runs of their own in it.
    """
    variants = {variant.label: variant for variant in run.variants}
    return [
        TuningRow(
            target=variants[it.case.target].target,
            machine="",
            algorithm=it.case.algorithm,
            backend=it.case.backend,
            operation=it.case.operation,
            message_bytes=it.case.message_bytes,
            variant=variants[it.case.target].name,
            compiler=variants[it.case.target].compiler_name,
            compiler_line=variants[it.case.target].compiler_line,
            flags=variants[it.case.target].flags,
            reason=variants[it.case.target].reason,
            is_default=variants[it.case.target].is_default,
            shippable=variants[it.case.target].shippable,
            metric=it.metric,
            value=it.value,
            code_bytes=it.code_bytes,
            stack_bytes=it.stack_bytes,
            vectors_passed=it.vectors_passed,
            error=it.error,
        )
        for it in run.simulations
    ]
