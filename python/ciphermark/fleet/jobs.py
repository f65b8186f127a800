"""The jobs of a machine: what it measures in one go, planned for what is installed there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ciphermark.farm.messages import Job, Work
from ciphermark.fleet.request import FleetRequest
from ciphermark.plan.build import Built

if TYPE_CHECKING:
    from ciphermark.measure.engine import Engine
    from ciphermark.record.run import Run


def jobs_of(engine: Engine, request: FleetRequest) -> tuple[list[Job], list[str]]:
    """A study is one run of all its plans; other plans are cut where they are long."""
    from ciphermark.fleet.cutting import cut
    from ciphermark.studies import studying

    chosen = request.selection()
    built = studying.first(engine, request.plan, chosen)
    if request.study is None:
        parts = cut(built)
        names = [f"{request.plan_name}-{number}" for number, _ in enumerate(parts, 1)]
        names = names if len(parts) > 1 else [request.plan_name]
        jobs = [_job(name, name, it) for name, it in zip(names, parts, strict=True)]
        return jobs, built.notes
    later = studying.later(engine, request.study, request.plan, chosen)
    jobs = [_job(request.study, request.study, built)]
    for name, it in later.plans:
        planned = _job(name, request.study, it)
        jobs.append(msgspec.structs.replace(planned, built=None))
    return jobs, [*built.notes, *later.left_out]


def _job(name: str, makes: str, built: Built) -> Job:
    from ciphermark.plan.duration import expected_seconds

    return Job(
        name=name,
        makes=makes,
        first=name == makes,
        cases=len(built.plan.cases),
        budget_s=built.plan.budget_s,
        expected_s=expected_seconds(built.plan),
        built=built,
    )


def plan_of(engine: Engine, work: Work) -> tuple[Built | None, list[str]]:
    """The plan of a job, and what was left out of it. One that depends on what was measured
    before is made now."""
    from ciphermark.studies import studying

    if work.job.built is not None:
        return work.job.built, []
    assert work.request.study is not None
    chosen = work.request.selection()
    before: Run = work.before
    found = studying.later(engine, work.request.study, work.request.plan, chosen, before)
    plans = dict(found.plans)
    return plans.get(work.job.name), found.left_out
