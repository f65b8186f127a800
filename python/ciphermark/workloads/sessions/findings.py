"""What many cases of sessions tell together: how they scale, what is lost, and what holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import msgspec
from rich.console import Console
from rich.text import Text

from ciphermark.workloads.sessions import limits, losses
from ciphermark.workloads.sessions import soak as soaks
from ciphermark.workloads.sessions.figures import executions, shown
from ciphermark.workloads.sessions.limits import Limit
from ciphermark.workloads.sessions.losses import ClockLoss, SmtLoss
from ciphermark.workloads.sessions.scaling import Scaling, print_scaling, scalings, with_room
from ciphermark.workloads.sessions.scheduling import Scheduling, print_scheduling, scheduling
from ciphermark.workloads.sessions.soak import Soak
from ciphermark.workloads.sessions.wishes import NO_WISHES, Wishes

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.sessions.row import SessionRow

NOTED_DROOP = 0.01
"""A clock that falls or rises by less is the noise of a guest's clock."""


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


def findings(run: Run, rows: list[SessionRow], wishes: Wishes = NO_WISHES) -> SessionFindings:
    """All of them."""
    core_cpus = run.context.engine_hello.environment.state.core_cpus
    scaling = scalings(rows, core_cpus)
    return SessionFindings(
        scaling=scaling,
        siblings=losses.smt_losses(rows, core_cpus),
        clocks=losses.clock_losses(rows),
        limits=_limits(rows, core_cpus, wishes),
        conditions=_conditions(rows) if scaling else None,
        soaks=_soaks(run, rows),
    )


def _limits(rows: list[SessionRow], core_cpus: Sequence[list[int]], wishes: Wishes) -> list[Limit]:
    answers: list[Limit] = []
    if wishes.p99_ns is not None:
        answers += limits.most_sessions(rows, core_cpus, "p99", wishes.p99_ns)
    if wishes.each_per_s is not None:
        answers += limits.most_sessions(rows, core_cpus, "rate-per-session", wishes.each_per_s)
    if wishes.all_per_s is not None:
        answers += limits.fewest_cores(rows, core_cpus, wishes.all_per_s)
    return answers


def _conditions(rows: list[SessionRow]) -> Scheduling | None:
    varied = {
        (row.policy, row.nice, row.quota_cpus, row.neighbours, row.buffers)
        for row in rows
        if row.is_measured
    }
    conditions = scheduling(rows)
    return conditions if conditions.model is not None or len(varied) > 1 else None


def _soaks(run: Run, rows: list[SessionRow]) -> list[Soak]:
    """Those of the executions that the rows are of."""
    shown_ones = [shown(executions(run, row.case)) for row in rows if row.is_measured]
    return [it for run in shown_ones if run is not None and (it := soaks.soak(run))]


def print_findings(console: Console, rows: list[SessionRow], findings: SessionFindings) -> None:
    """Prints them after the table; nothing where there are none."""
    print_scaling(console, rows, with_room(findings.scaling))
    if findings.conditions is not None:
        print_scheduling(console, findings.conditions)
    for paragraph in _paragraphs(rows, findings):
        if paragraph:
            console.print()
        for sentence in paragraph:
            console.print(Text(sentence))


def sentences(rows: list[SessionRow], findings: SessionFindings) -> Iterator[str]:
    """What of them a sentence says."""
    return chain.from_iterable(_paragraphs(rows, findings))


def _paragraphs(rows: list[SessionRow], findings: SessionFindings) -> Iterator[list[str]]:
    by_case = {row.case: row for row in rows}
    noted = any(abs(loss.droop) >= NOTED_DROOP for loss in findings.clocks)
    clocks = losses.clock_sentences(findings.clocks) if noted else ()
    yield [*map(losses.smt_sentence, findings.siblings), *clocks]
    yield [limits.sentence(limit, by_case) for limit in findings.limits]
    for soak in findings.soaks:
        yield [soaks.sentence(soak, by_case[soak.case])]
