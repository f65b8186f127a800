"""The rows of a run of many sessions, computed from its executions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ciphermark.record.case_row import identity
from ciphermark.workloads.sessions.figures import Execution
from ciphermark.workloads.sessions.row import Attempt, SessionRow
from ciphermark.workloads.single.rows import what_ran

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.record.run import CaseRecord, Context, Run


def session_rows(run: Run) -> list[SessionRow]:
    """One row for each case of the run, in the order of the plan."""
    return [
        _row(record, executions(run, record.case.case), run.context)
        for record in run.cases
        if record.case.sessions is not None
    ]


def executions(run: Run, case: int) -> list[contract.SessionsRun]:
    """All attempts at a case, in their order."""
    of_case = [it for it in run.sessions if it.case == case]
    return sorted(of_case, key=lambda it: it.attempt)


def shown(attempts: list[contract.SessionsRun]) -> contract.SessionsRun | None:
    """The attempt that the figures of a case are of: the last valid one, else the last."""
    valid = [it for it in attempts if not it.objections]
    return (valid or attempts or [None])[-1]


def _row(record: CaseRecord, attempts: list[contract.SessionsRun], context: Context) -> SessionRow:
    execution = None if record.error else shown(attempts)
    load = execution.load if execution else record.case.sessions
    return SessionRow(
        **identity(record.case) | what_ran(record) | _conditions(load),
        **Execution(execution).figures() if execution else {},
        offload_cpus=record.case.offload_cpus,
        workload=context.workload,
        cycle_source=context.cycle_source,
        vectors_passed=record.vectors_passed,
        agrees_with=record.agrees_with,
        attempts=[_attempt(it) for it in attempts],
        valid=execution is not None and not execution.objections,
        error=record.error,
    )


def _conditions(load: contract.SessionLoad) -> dict[str, Any]:
    """How the sessions ran."""
    fields = SessionRow.__struct_fields__
    of_load = msgspec.structs.asdict(load)
    named = {name: value for name, value in of_load.items() if name in fields}
    return named | {"cores": len(load.cpus)}


def _attempt(execution: contract.SessionsRun) -> Attempt:
    load = execution.load
    return Attempt(
        sessions=load.sessions,
        execution_ms=load.execution_ms,
        opens_ms=load.opens_ms,
        closes_ms=load.closes_ms,
        objections=execution.objections,
    )
