"""Long plans cut into jobs, so that a machine that is lost takes little with it.

Cases are compared by figures that were taken in turn, round by round; so all cases of an algorithm,
by whichever library, stay in one job.
"""

from __future__ import annotations

import math

import msgspec

from ciphermark import contract
from ciphermark.plan.build import Built

LONGEST_S = 300.0
"""Longest budget of a job. What a lost machine costs is half of that on average; and ten times the
start and the verification of a run, which each job has of its own."""


def cut(built: Built, longest_s: float = LONGEST_S) -> list[Built]:
    """The plan as several, in its order, none longer than that where it has several algorithms.
    Each gets the share of the budget that its cases have."""
    wanted = math.ceil(built.plan.budget_s / longest_s)
    if wanted < 2:
        return [built]
    return [_part(built, cases) for cases in _dealt(built.plan.cases, wanted)]


def _dealt(cases: list[contract.Case], wanted: int) -> list[list[contract.Case]]:
    """Whole algorithms, in their order, in so many groups of about as many cases."""
    by_algorithm: dict[str, list[contract.Case]] = {}
    for case in cases:
        by_algorithm.setdefault(case.algorithm, []).append(case)
    groups: list[list[contract.Case]] = [[]]
    for own in by_algorithm.values():
        full = len(groups[-1]) + len(own) / 2 > len(cases) / wanted
        if groups[-1] and full and len(groups) < wanted:
            groups.append([])
        groups[-1] += own
    return groups


def _part(built: Built, cases: list[contract.Case]) -> Built:
    plan, used = built.plan, {case.algorithm for case in cases}
    numbered = [msgspec.structs.replace(case, case=number) for number, case in enumerate(cases)]
    share = len(cases) / len(plan.cases)
    own = msgspec.structs.replace(
        plan,
        cases=numbered,
        budget_s=plan.budget_s * share,
        code_paths=[it for it in plan.code_paths if it.algorithm in used],
    )
    return Built(own, [it for it in built.algorithms if it.name in used], built.notes)
