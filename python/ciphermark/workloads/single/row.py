"""The row: what users see of a case."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median
from typing import Any

from ciphermark import contract
from ciphermark.record.case_row import NOT_REACHED, CaseRow
from ciphermark.statistics.estimate import Estimate, is_cost
from ciphermark.view import figures
from ciphermark.workloads.energy import Energy

USUAL_CALL = {"pattern": "reused-key", "offload": "none", "lanes": 1, "keys": 1, "buffers": "hot"}
"""Fields of a row of one message at a time on the calling core, its key ready and all in cache."""


class Row(CaseRow, kw_only=True):
    """Figures of one case. Every key is always present, null where it is not defined.

    MB is 10^6 bytes. Intervals are 95 % intervals of the median.
    """

    cycles_per_message: float | None = None
    cycles_per_message_low: float | None = None
    cycles_per_message_high: float | None = None
    cycles_per_byte: float | None = None
    ci_low: float | None = None
    """Interval of `cycles_per_byte`."""
    ci_high: float | None = None
    cycles_upper_bound: float | None = None
    """Cycles per message that it costs at most; only where every sample was disturbed, so that it
    has no figure."""
    cycles_per_byte_upper_bound: float | None = None
    """Upper bound per byte."""
    ns_per_message: float | None = None
    """Wall time at the clock `core_hz`."""
    mbytes_per_second: float | None = None
    """Throughput at the clock of the run, which all rows share."""
    loop_cycles: float | None = None
    """Cost of the loop that was subtracted, core cycles per message."""
    core_hz: float | None = None
    energy: Energy | None = None
    """Energy of a window of its own, with `--energy`; null where no meter can be read."""
    no_energy: str | None = None
    """Why not, where one can."""
    samples: int = 0
    disturbed: int = 0
    """Samples that were disturbed, and are not in the figures."""
    groups: int = 0
    processes: int = 0
    converged: bool = False
    not_converged_reason: str | None = None
    """Why not: `interval ±1.8 %`, `groups disagree by 2.4 %`, `61 % of samples disturbed`."""
    cycle_source: str | None
    """Source of cycles; None where there are none, of imported rows."""
    backend_evidence: str
    features: list[str] = []
    """Extensions of the processor whose instructions it was seen to execute."""
    constant_time: bool | None = None
    vectors_passed: int = 0
    agrees_with: list[str]
    error: contract.Failure | None = None

    @property
    def why_unsettled(self) -> str | None:
        return None if self.converged else self.not_converged_reason or NOT_REACHED

    @property
    def is_measured(self) -> bool:
        """Returns whether it was timed, by ciphermark or by the program it is imported from."""
        return self.samples > 0 or self.mbytes_per_second is not None

    @property
    def has_figure(self) -> bool:
        """Returns whether it has the cost of its case: all samples may be disturbed."""
        figures = (self.cycles_per_message, self.ns_per_message, self.mbytes_per_second)
        return any(figure is not None for figure in figures)

    @property
    def size(self) -> int | str | None:
        """Returns the size of its messages in bytes, or their profile."""
        return self.profile or self.message_bytes


def cycles(row: Row) -> Estimate:
    """Returns cycles per message of a row with a figure, with any interval."""
    assert row.cycles_per_message is not None
    return Estimate(row.cycles_per_message, row.cycles_per_message_low, row.cycles_per_message_high)


def run_clock(rows: Iterable[Row]) -> Estimate | None:
    """Returns the median core clock of the rows with the lowest and the highest, Hz."""
    clocks = [row.core_hz for row in rows if row.core_hz]
    return Estimate(median(clocks), min(clocks), max(clocks)) if clocks else None


def clock_of_rates(rows: Iterable[Row]) -> str:
    """Says at which clock all throughputs of a table are; empty without one.

    Runs of older versions have the throughput of each row at the clock of the row.
    """
    shown = [row for row in rows if row.core_hz and row.mbytes_per_second and row.cycles_per_byte]
    clocks = run_clock(shown)
    if clocks is None or clocks.interval is None:
        return ""
    lowest, highest = clocks.interval
    used = [(row.cycles_per_byte or 0.0) * (row.mbytes_per_second or 0.0) * 1e6 for row in shown]
    clock = median(used)
    if 2 * sum(abs(it / clock - 1) > SAME_CLOCK for it in used) > len(used):
        extremes = dict.fromkeys(figures.significant(it / 1e9) for it in (lowest, highest))
        return f"MB/s at the core clock of each row, {' to '.join(extremes)} GHz"
    drift = figures.percent(max(highest / clock - 1, 1 - lowest / clock))
    return f"MB/s at {figures.clock(clock)}, from which the core clock moved by ±{drift}"


SAME_CLOCK = 1e-3
"""Share by which two clocks differ at most that are one."""


def withhold(row: Row) -> None:
    """Takes the figures that cannot be true off a row: a cost below nothing."""
    if row.cycles_per_message is None:
        return
    if not is_cost(cycles(row)):
        for name in _FIGURES:
            setattr(row, name, None)
        row.converged, row.not_converged_reason = False, BELOW_NOTHING
        return
    for name in _FIGURES:
        if (value := getattr(row, name)) is not None:
            setattr(row, name, max(0.0, value))


BELOW_NOTHING = "its cost without the loop around it is below zero, which no cost can be"
"""Reason why a row has no figure."""

_FIGURES = (
    *("cycles_per_message", "cycles_per_message_low", "cycles_per_message_high"),
    *("cycles_per_byte", "ci_low", "ci_high", "ns_per_message", "mbytes_per_second"),
)


def throughput(row: Row) -> Estimate | None:
    """MB/s (10^6 bytes) of a row with the 95 % interval; None where the row has no throughput.

    A row's interval is that of its cycles. It is carried over at the mean clock of the samples, so
    that it says how well the function's cost is known and not how much the clock moved.
    """
    value = row.mbytes_per_second
    if value is None or row.cycles_per_message is None:
        return None
    cost = cycles(row)
    if cost.low is None or cost.high is None or cost.low <= 0:
        return Estimate(value)
    return Estimate(value, value * cost.value / cost.high, value * cost.value / cost.low)


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
    """Returns a row of one of our kernels with these cycles that were not sampled.

    They are simulated or predicted by a model, at this clock. Further fields are those of `Row`;
    `workload` has to be among them.
    """
    usual: dict[str, Any] = {
        "provider": "kernels",
        "backend_evidence": "unknown",
        "agrees_with": [],
        **USUAL_CALL,
    }
    return Row(
        case=number,
        algorithm=algorithm,
        operation=operation,
        backend=backend,
        backend_asked=backend,
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
