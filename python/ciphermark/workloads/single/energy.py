"""Energy of single messages: each case again for a while, as one session, when the survey is over.

Slices of 12 µs are far too short for any meter, and nothing is read within them. So the function
of each case works for a window of its own, in the workload `sessions` with one session on the CPU
of the survey; that run is kept with the survey (`Run.also`), and the rows of both are joined here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from ciphermark import contract
from ciphermark.workloads.single.row import USUAL_CALL, Row

if TYPE_CHECKING:
    from ciphermark.plan.build import Built
    from ciphermark.record.run import Run
    from ciphermark.workloads.sessions.row import SessionRow

PLAN = "energy"
"""Name of these plans."""

OPENS_MS, WINDOW_MS, TAIL_MS = 200.0, 1000.0, 50.0
"""The window of a case: a thousand updates of a processor's counters."""

AROUND_S = 1.0
"""For the process, its library and the idle machine before it."""

LOOKS_APART_MS = 100.0

MOST_S = 3600.0
"""Longest time of all windows together."""


def then(built: Built, run: Run) -> list[tuple[str, Built]]:
    """Returns the plan that measures the energy of a survey's cases after it.

    Without a readable meter there is none, and a note has the reason.
    """
    from ciphermark.command.output import say
    from ciphermark.run import meters

    environment = run.context.engine_hello.environment
    if not meters.readable(environment.meters):
        say("--energy: no meter of energy can be read here; ciphermark doctor says why")
        return []
    cases = list(_cases(run, environment.state.cpu))
    if not cases:
        return []
    needed_s = len(cases) * ((OPENS_MS + WINDOW_MS + TAIL_MS) / 1e3 + AROUND_S)
    plan = msgspec.structs.replace(
        built.plan, workload="sessions", cases=cases, budget_s=min(needed_s, MOST_S), code_paths=[]
    )
    return [(PLAN, msgspec.structs.replace(built, plan=plan, notes=[]))]


def _cases(run: Run, cpu: int) -> Iterator[contract.Case]:
    """Yields the cases that one session can have: one message at a time from the caches."""
    for record in run.cases:
        case = record.case
        usual = all(
            getattr(case, name) == value
            for name, value in USUAL_CALL.items()
            if name not in ("pattern", "keys")
        )
        alone = case.after is None and case.keys <= 1
        if record.error is None and usual and alone and case.pattern in PATTERNS:
            load = contract.SessionLoad(
                sessions=1,
                cpus=[cpu],
                placement="fixed",
                execution_ms=OPENS_MS + WINDOW_MS + TAIL_MS,
                opens_ms=OPENS_MS,
                closes_ms=OPENS_MS + WINDOW_MS,
                look_ms=LOOKS_APART_MS,
                most_attempts=1,
            )
            yield msgspec.structs.replace(case, sessions=load)


PATTERNS = ("reused-key", "rekeyed")
"""Patterns that sessions have too."""


def join(found: list[Row], run: Run) -> None:
    """Adds the measured energy to the rows of a survey."""
    from ciphermark.workload import rows

    for also in run.also:
        if also.context.plan_name == PLAN:
            by_case: dict[int, SessionRow] = {row.case: row for row in rows(also)}
            for row in found:
                session = by_case.get(row.case)
                if session is not None and session.objections:
                    why = "; ".join(it.message for it in session.objections)
                    row.no_energy = f"its window does not count: {why}"
                elif session is not None:
                    row.energy, row.no_energy = session.energy, session.no_energy
