"""What many cases of sessions tell together: how they scale, what is lost, and what holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from ciphermark.workloads.sessions.limits import Limit, fewest_cores, most_sessions
from ciphermark.workloads.sessions.losses import ClockLoss, SmtLoss, clock_losses, smt_losses
from ciphermark.workloads.sessions.rows import executions, shown
from ciphermark.workloads.sessions.scaling import Scaling, scalings
from ciphermark.workloads.sessions.scheduling import Scheduling, scheduling
from ciphermark.workloads.sessions.soak import Soak, soak

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.sessions.row import SessionRow


class Wishes(msgspec.Struct, frozen=True, kw_only=True):
    """What is wanted of a number of sessions or of CPUs, where the user says."""

    p99_ns: float | None = None
    """Longest latency that 99 % of the messages may have."""
    each_per_s: float | None = None
    """Messages per second of each session."""
    all_per_s: float | None = None
    """Messages per second of all sessions together."""


class SessionFindings(msgspec.Struct, frozen=True, kw_only=True):
    """Each list is empty where the cases do not tell."""

    scaling: list[Scaling]
    siblings: list[SmtLoss]
    clocks: list[ClockLoss]
    limits: list[Limit]
    conditions: Scheduling | None
    """What apparent cycles depend on; nothing where neither that can be fitted nor any condition
    was varied."""
    soaks: list[Soak]
    """Of the cases whose executions looked at the clock."""


NO_WISHES = Wishes()


def findings(run: Run, rows: list[SessionRow], wishes: Wishes = NO_WISHES) -> SessionFindings:
    """All of them."""
    core_cpus = run.context.hello.environment.state.core_cpus
    scaling = scalings(rows, core_cpus)
    return SessionFindings(
        scaling=scaling,
        siblings=smt_losses(rows, core_cpus),
        clocks=clock_losses(rows),
        limits=_limits(rows, core_cpus, wishes),
        conditions=_conditions(rows) if scaling else None,
        soaks=_soaks(run, rows),
    )


def _limits(rows: list[SessionRow], core_cpus: Sequence[list[int]], wishes: Wishes) -> list[Limit]:
    found: list[Limit] = []
    if wishes.p99_ns is not None:
        found += most_sessions(rows, core_cpus, "p99", wishes.p99_ns)
    if wishes.each_per_s is not None:
        found += most_sessions(rows, core_cpus, "rate-per-session", wishes.each_per_s)
    if wishes.all_per_s is not None:
        found += fewest_cores(rows, core_cpus, wishes.all_per_s)
    return found


def _conditions(rows: list[SessionRow]) -> Scheduling | None:
    varied = {
        (row.policy, row.nice, row.quota_cpus, row.neighbours, row.buffers)
        for row in rows
        if row.is_measured
    }
    found = scheduling(rows)
    return found if found.model is not None or len(varied) > 1 else None


def _soaks(run: Run, rows: list[SessionRow]) -> list[Soak]:
    """Those of the executions that the rows are of."""
    found = [shown(executions(run, row.case)) for row in rows if row.is_measured]
    return [it for execution in found if execution is not None and (it := soak(execution))]
