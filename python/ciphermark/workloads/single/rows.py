"""The rows of a run, computed from its raw samples, and their form as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ciphermark.record.case_row import identity
from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.quantiles import median
from ciphermark.statistics.stopping import Rule, reason
from ciphermark.workloads.single import energy
from ciphermark.workloads.single.groups import FIGURES, CaseGroups, groups_by_case, upper_bounds
from ciphermark.workloads.single.row import Row, run_clock, withhold

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.record.run import CaseRecord, Context, Run


def rows(run: Run) -> list[Row]:
    """Returns one row for each case of the run, in the order of the plan."""
    groups = groups_by_case(run.samples)
    made = [
        _row(record, groups.get(record.case.case, _no_groups()), run.context)
        for record in run.cases
    ]
    for row in made:
        withhold(row)
    _use_one_clock(made)
    _bound(made, run)
    energy.join(made, run)
    return made


LEAST_BUSY = 0.9
"""Share of its time in which a core counts cycles unless it waits for a device."""


def _use_one_clock(found: list[Row]) -> None:
    """Sets all throughputs to the run's clock, so that fewer cycles are always more MB/s."""
    clock = run_clock(found)
    for row in found:
        if clock is None or not row.cycles_per_message or not row.mbytes_per_second:
            continue
        assert row.cycles_per_byte and row.core_hz and row.ns_per_message
        mean_bytes = row.cycles_per_message / row.cycles_per_byte
        elapsed = row.ns_per_message * row.core_hz / 1e9
        waited = row.cycles_per_message < LEAST_BUSY * elapsed
        cycles = elapsed if waited else row.cycles_per_message
        row.mbytes_per_second = mean_bytes * clock.value / cycles / 1e6


def _bound(found: list[Row], run: Run) -> None:
    """Sets the upper bounds of rows without a figure."""
    without = {row.case for row in found if row.samples and row.cycles_per_message is None}
    if not without:
        return
    bounds = upper_bounds(run.samples, without)
    for row, record in zip(found, run.cases, strict=True):
        if (bound := bounds.get(row.case)) is not None:
            mean_bytes = _mean_bytes(record.case)
            row.cycles_upper_bound = bound
            row.cycles_per_byte_upper_bound = bound / mean_bytes if mean_bytes else None


def _no_groups() -> CaseGroups:
    none = np.empty(0)
    return CaseGroups(
        rounds=none.astype(np.int64),
        process=none.astype(np.int64),
        starts_ns=none.astype(np.int64),
        cycles=none,
        ns=none,
        loop_cycles=none,
        core_hz=none,
        by_process=dict.fromkeys(FIGURES, none),
        samples=0,
        disturbed=0,
        processes=0,
    )


def _row(record: CaseRecord, groups: CaseGroups, context: Context) -> Row:
    measured = {} if record.error else _measured(groups, _mean_bytes(record.case), context.plan)
    return Row(
        **identity(record.case) | what_ran(record),
        **measured,
        workload=context.workload,
        cycle_source=context.cycle_source,
        vectors_passed=record.vectors_passed,
        agrees_with=record.agrees_with,
        error=record.error,
    )


def what_ran(record: CaseRecord) -> dict[str, Any]:
    """Returns what ran; of a case that failed early, only the request."""
    asked = {"backend_asked": record.case.backend}
    if record.implementation is None:
        return asked | {"backend_evidence": "unknown"}
    ran = record.implementation
    names = ("backend_evidence", "features", "constant_time")
    known = {name: getattr(ran, name) for name in names}
    return asked | {"backend": ran.path or ran.backend} | known


def _mean_bytes(case: contract.Case) -> float | None:
    """Returns the bytes of a message; a profile's lengths occur equally often."""
    return sum(case.lengths) / len(case.lengths) if case.lengths else case.message_bytes


def _measured(groups: CaseGroups, mean_bytes: float | None, plan: contract.Plan) -> dict[str, Any]:
    rule = Rule.of(plan)
    observations = groups.observations(rule)
    missing = observations.missing(rule)
    estimate = observations.estimate(rule)
    return {
        "samples": groups.samples,
        "disturbed": groups.disturbed,
        "groups": len(groups.cycles),
        "processes": groups.processes,
        "converged": missing is None,
        "not_converged_reason": missing and reason(missing, observations, rule),
        **({} if estimate is None else _figures(estimate, groups, rule, mean_bytes)),
    }


def _figures(
    estimate: Estimate, groups: CaseGroups, rule: Rule, mean_bytes: float | None
) -> dict[str, float | None]:
    """Returns the figures of a case that has a group; per byte only if there are bytes."""
    ns_per_message = median(groups.observed("ns", rule))
    figures = {
        "cycles_per_message": estimate.value,
        "cycles_per_message_low": estimate.low,
        "cycles_per_message_high": estimate.high,
        "ns_per_message": ns_per_message,
        "loop_cycles": median(groups.observed("loop_cycles", rule)),
        "core_hz": median(groups.observed("core_hz", rule)),
    }
    if not mean_bytes:
        return figures
    return figures | {
        "cycles_per_byte": estimate.value / mean_bytes,
        "ci_low": None if estimate.low is None else estimate.low / mean_bytes,
        "ci_high": None if estimate.high is None else estimate.high / mean_bytes,
        "mbytes_per_second": _mbytes_per_second(mean_bytes, ns_per_message),
    }


def _mbytes_per_second(mean_bytes: float, ns_per_message: float) -> float | None:
    """Returns the throughput; None where noise left no time.

    The time of an empty function can come out below zero.
    """
    return mean_bytes / ns_per_message * 1000 if ns_per_message > 0 else None
