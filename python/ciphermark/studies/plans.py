"""The plans of a study: the first, and those of other workloads that are measured after it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import msgspec

from ciphermark.errors import UsageError
from ciphermark.plan.loads import MOST_SESSIONS
from ciphermark.plan.planfile import Part
from ciphermark.workload import workload_of

if TYPE_CHECKING:
    from ciphermark.plan.build import Built
    from ciphermark.plan.cpu_sets import Cpus, Here
    from ciphermark.plan.planfile import PlanFile
    from ciphermark.plan.selection import Selection
    from ciphermark.record.run import Run
    from ciphermark.run.engine import Engine
    from ciphermark.workloads.single.row import Row

ROOM = 1.5
"""Times the expected seconds that a budget for them should have."""

SESSIONS = "sessions"
"""What has such a load."""

ONE = (1,)
"""Sessions of what is measured beside other programs."""

SomePart = TypeVar("SomePart", bound=Part)

LATER = "each function by the library that will have been the fastest"
"""What is said of cases that are not decided yet."""


def first(engine: Engine, plan: PlanFile, chosen: Selection) -> Built:
    """The plan that is measured first."""
    return _built(engine, plan, msgspec.structs.replace(chosen, budget_s=_budget(plan, chosen)))


def with_sessions(study: str, plan: PlanFile, typed: str) -> PlanFile:
    """The plan with other numbers of sessions; what it measures of one session alone, beside other
    programs, stays. Raises UsageError for a study without sessions and for what are no numbers."""
    from ciphermark.plan import names

    if workload_of(plan.workload).load != SESSIONS:
        raise UsageError(f"the study {study} has no sessions to choose: leave out --sessions")
    numbers = []
    for part in names.split(typed):
        if not part.isdecimal() or not 1 <= int(part) <= MOST_SESSIONS:
            raise UsageError(f"--sessions {typed!r} names {part!r}: write numbers such as 10,100")
        numbers.append(int(part))
    if not numbers:
        raise UsageError(f"--sessions {typed!r} names nothing: write numbers such as 10,100")

    def changed(part: SomePart) -> SomePart:
        if part.sessions.sessions == ONE:
            return part
        loads = msgspec.structs.replace(part.sessions, sessions=tuple(numbers))
        return msgspec.structs.replace(part, sessions=loads)

    return msgspec.structs.replace(changed(plan), also=[changed(part) for part in plan.also])


class Later(NamedTuple):
    """What is measured after the first plan, and what of that is left out, one sentence each."""

    plans: list[tuple[str, Built]]
    """With the names of their runs."""
    left_out: list[str]


def later(
    engine: Engine, study: str, plan: PlanFile, chosen: Selection, run: Run | None = None
) -> Later:
    """The plans that are measured after the first: each function by the library that was the
    fastest in the run of the first; before that, by one that has it. One whose share of the user's
    budget is too short is left out. Raises UsageError for what cannot be here at all."""
    found = Later([], [])
    for it in plan.in_turn[1:]:
        name, selected = f"{study}-{it.name}", _selected(it, plan, chosen, run)
        try:
            found.plans.append((name, _built(engine, it, selected)))
        except UsageError:
            if selected.budget_s is None:
                raise
            found.left_out.append(_too_short(engine, name, it, plan, selected))
    return found


def _too_short(
    engine: Engine, name: str, plan: PlanFile, whole: PlanFile, selected: Selection
) -> str:
    from ciphermark.plan.sampling import expected_seconds

    built = _built(engine, plan, msgspec.structs.replace(selected, budget_s=None))
    share = plan.budget_s / sum(it.budget_s for it in whole.in_turn)
    enough_s = math.ceil(ROOM * expected_seconds(built.plan) / share)
    return (
        f"{name} is left out: its share of --budget is {selected.budget_s:.1f} s, and too short; "
        f"write --budget {enough_s}s for it"
    )


def choose_cpus(engine: Engine, chosen: Selection, typed: str) -> None:
    """Leaves these CPUs to the study; the first of them to what runs on one. Raises UsageError for
    a set that is not here."""
    from ciphermark.plan import cpu_sets
    from ciphermark.run.here import here

    every = here(engine).cpus
    resolved = cpu_sets.resolve(typed, every)
    chosen.cpu, chosen.cpus = resolved[0], cpu_sets.within(every, resolved)


def _here(engine: Engine, chosen: Selection) -> Here:
    """This machine with the CPUs that the study may have."""
    from ciphermark.run.here import here

    machine = here(engine)
    if chosen.cpus is None:
        return machine
    return msgspec.structs.replace(machine, cpus=chosen.cpus)


def _built(engine: Engine, plan: PlanFile, chosen: Selection) -> Built:
    from ciphermark.plan import build

    facts = engine.describe(chosen.libraries)
    if any(part.ablate or chosen.needs_code_paths(part.backends) for part in plan.parts):
        wanted = build.wanted_names(plan, chosen, facts)
        engine.look_at_code_paths(facts, *wanted, chosen.libraries)
    if workload_of(plan.workload).load is not None:
        return build.build(plan, chosen, facts, _here(engine, chosen))
    built = build.build(plan, chosen, facts)
    return _split(built, _here(engine, chosen).cpus) if plan.split else built


def _split(built: Built, cpus: Cpus) -> Built:
    """Each case on the calling core and over all, where there are several."""
    from ciphermark.plan import splitting

    if len(cpus.allowed) < 2:
        return built
    sharing = splitting.sharing_cpus(None, cpus, built.plan.cpu)
    return splitting.spread(built, ("none", "split"), sharing)


def _selected(plan: PlanFile, whole: PlanFile, chosen: Selection, run: Run | None) -> Selection:
    """Which libraries take part was decided when the first plan was measured, or by who opens one
    of their own."""
    from ciphermark.plan.selection import Selection

    return Selection(
        providers=(chosen.providers if run is None else None) or [*chosen.libraries] or None,
        sizes=chosen.sizes,
        libraries=chosen.libraries,
        cpu=chosen.cpu,
        cpus=chosen.cpus,
        budget_s=_budget(plan, chosen, whole),
        fastest=_fastest(run) if run is not None else {},
    )


def _budget(plan: PlanFile, chosen: Selection, whole: PlanFile | None = None) -> float | None:
    """The share of one plan in the budget that the user gave for all."""
    if chosen.budget_s is None:
        return None
    return chosen.budget_s * plan.budget_s / sum(it.budget_s for it in (whole or plan).in_turn)


def _fastest(run: Run) -> dict[tuple[str, str], str]:
    from ciphermark.workload import rows
    from ciphermark.workloads.single.ratio import fastest_providers

    return fastest_providers(row for row in rows(run) if _is_usual(row))


def _is_usual(row: Row) -> bool:
    """Whether a library did as it does by itself, at the size that studies of packets have."""
    from ciphermark.workloads.choosing import USUAL_BYTES

    usual = ("hot", "reused-key", 1, USUAL_BYTES)
    called = (row.buffers, row.pattern, row.lanes, row.message_bytes)
    return not row.switches and called == usual
