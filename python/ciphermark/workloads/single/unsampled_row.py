"""Rows of cycles that nothing was sampled for: simulated, or predicted by a model."""

from __future__ import annotations

from typing import Any

from ciphermark.statistics.estimate import Estimate
from ciphermark.workloads.single.row import USUAL_CALL, Row


def unsampled_row(
    number: int,
    cycles: Estimate,
    clock_hz: float,
    *,
    algorithm: str,
    operation: str,
    message_bytes: int | None,
    backend: str = "reference",
    **fields: Any,  # noqa: ANN401
) -> Row:
    """A call of one of our kernels that takes so many cycles, at this clock.

    Further fields are those of `Row`; `workload` has to be among them.
    """
    usual = {"provider": "kernels", "backend_evidence": "unknown", "agrees_with": []}
    return Row(
        case=number,
        algorithm=algorithm,
        operation=operation,
        backend=backend,
        backend_asked=backend,
        **USUAL_CALL,
        switches={},
        message_bytes=message_bytes,
        cycles_per_message=cycles.value,
        cycles_per_message_low=cycles.low,
        cycles_per_message_high=cycles.high,
        ns_per_message=cycles.value / clock_hz * 1e9,
        core_hz=clock_hz,
        cycle_source="nominal",
        **usual | fields,
    )
