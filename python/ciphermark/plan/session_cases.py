"""Cases of many sessions: each with its load, within a budget and the limits of a machine."""

from __future__ import annotations

import math

import msgspec

from ciphermark import contract
from ciphermark.plan import session_limits, session_times
from ciphermark.plan.here import Here
from ciphermark.plan.selection import Selection
from ciphermark.plan.sessions import Wanted

Found = list[tuple[contract.Case, Wanted | None]]
"""Numbered cases, and how their sessions are to run where they have any."""


class Placed(msgspec.Struct):
    """Cases with their loads."""

    cases: list[contract.Case]
    budget_s: float
    notes: list[str]


def placed(found: Found, budget_s: float, selection: Selection, here: Here) -> Placed:
    """Gives each case its load; raises UsageError where they do not fit.

    Who says how long a case runs and nothing of a budget gets the budget that it takes.
    """
    wanted = [it for _, it in found if it is not None]
    takes_its_time = selection.budget_s is None and not all(it.times.is_free for it in wanted)
    timed = session_times.timed(wanted, math.inf if takes_its_time else budget_s)
    cases = [
        msgspec.structs.replace(
            case, sessions=load, offload=how.offload, offload_cpus=how.offload_cpus
        )
        for (case, _), how, load in zip(found, wanted, timed.loads, strict=True)
    ]
    session_limits.check(cases, here.limits)
    if takes_its_time:
        budget_s = max(budget_s, session_times.budget_for(timed.needed_s))
    return Placed(cases, budget_s, timed.notes)
