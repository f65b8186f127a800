"""The rows of a run, computed from its raw samples, and their form as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pyarrow as pa

from ciphermark.analyse.case_row import CaseRow, identity
from ciphermark.analyse.groups import CaseGroups, groups_by_case
from ciphermark.analyse.row import Row
from ciphermark.analyse.statistics import Estimate, Rule, estimate_median, median, reason

if TYPE_CHECKING:
    from ciphermark.record import contract
    from ciphermark.record.run import CaseRecord, Context, Run

_TEXTS = pa.list_(pa.string())
_FAILURE = pa.struct({"kind": pa.string(), "message": pa.string(), "signal": pa.string()})

ROW_SCHEMA = pa.schema(
    {
        "case": pa.int64(),
        "algorithm": pa.string(),
        "operation": pa.string(),
        "provider": pa.string(),
        "backend": pa.string(),
        "backend_asked": pa.string(),
        "workload": pa.string(),
        "pattern": pa.string(),
        "chunk_bytes": pa.int64(),
        "offload": pa.string(),
        "lanes": pa.int64(),
        "keys": pa.int64(),
        "buffers": pa.string(),
        "switches": pa.map_(pa.string(), pa.string()),
        "message_bytes": pa.int64(),
        "profile": pa.string(),
        "cycles_per_message": pa.float64(),
        "cycles_per_message_low": pa.float64(),
        "cycles_per_message_high": pa.float64(),
        "cycles_per_byte": pa.float64(),
        "ci_low": pa.float64(),
        "ci_high": pa.float64(),
        "ns_per_message": pa.float64(),
        "mbytes_per_second": pa.float64(),
        "loop_cycles": pa.float64(),
        "core_hz": pa.float64(),
        "samples": pa.int64(),
        "disturbed": pa.int64(),
        "groups": pa.int64(),
        "processes": pa.int64(),
        "converged": pa.bool_(),
        "not_converged_reason": pa.string(),
        "cycle_source": pa.string(),
        "backend_evidence": pa.string(),
        "features": _TEXTS,
        "constant_time": pa.bool_(),
        "vectors_passed": pa.int64(),
        "agrees_with": _TEXTS,
        "error": _FAILURE,
    }
)
"""One column for each field of `Row`, in its order."""


def rows(run: Run) -> list[Row]:
    """One row for each case of the run, in the order of the plan."""
    groups = groups_by_case(run.samples)
    return [
        _row(record, groups.get(record.case.case, _no_groups()), run.context)
        for record in run.cases
    ]


def rows_table(rows: list[Row]) -> pa.Table:
    """The rows as a table of `ROW_SCHEMA`."""
    return table_of(rows, ROW_SCHEMA)


def table_of(rows: Sequence[CaseRow], schema: pa.Schema) -> pa.Table:
    """Rows of any workload as a table with a column for each of their fields."""
    records = [msgspec.to_builtins(row) for row in rows]
    for record in records:
        record["switches"] = list(record["switches"].items())
    return pa.Table.from_pylist(records, schema=schema)


def rows_from_table(table: pa.Table) -> list[Row]:
    """The rows that `rows_table` made a table of, now or in an older format."""
    return msgspec.convert(table.to_pylist(maps_as_pydicts="strict"), list[Row])


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
    """What ran; all that is known of a case that failed before it was ready is what was asked."""
    asked = {"backend_asked": record.case.backend}
    if record.implementation is None:
        return asked | {"backend_evidence": "unknown"}
    ran = record.implementation
    names = ("backend_evidence", "features", "constant_time")
    known = {name: getattr(ran, name) for name in names}
    return asked | {"backend": ran.path or ran.backend} | known


def _mean_bytes(case: contract.Case) -> float | None:
    """Bytes of a message; every slice of a profile has all of its lengths equally often."""
    return sum(case.lengths) / len(case.lengths) if case.lengths else case.message_bytes


def _measured(groups: CaseGroups, mean_bytes: float | None, plan: contract.Plan) -> dict[str, Any]:
    rule = Rule.of(plan)
    observations = groups.observations(rule)
    missing = observations.missing(rule)
    estimate = estimate_median(observations.values, rule.tail)
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
    """The figures of a case that has a group; those per byte only where there are bytes."""
    ns_per_message = median(groups.observed(groups.ns, rule))
    figures = {
        "cycles_per_message": estimate.value,
        "cycles_per_message_low": estimate.low,
        "cycles_per_message_high": estimate.high,
        "ns_per_message": ns_per_message,
        "loop_cycles": median(groups.observed(groups.loop_cycles, rule)),
        "core_hz": median(groups.observed(groups.core_hz, rule)),
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
    """Absent where noise left no time: an empty function's time can come out below zero."""
    return mean_bytes / ns_per_message * 1000 if ns_per_message > 0 else None
