"""Algorithm × provider: what is known of the answers, from the cases of a run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from ciphermark import contract
from ciphermark.workloads.single.row import Row

Outcome = Literal["right", "wrong", "no answer", "unsupported", "not asked"]

WRONG: set[contract.FailureKind] = {
    "wrong-answer",
    "disagreement",
    "wrong-while-timed",
    "out-of-bounds",
}
"""Failures that say that the function is not what it claims to be. The others, but for
`unsupported`, leave open what it would have answered."""


class Answers(NamedTuple):
    """What the cases of one algorithm and provider say together."""

    outcome: Outcome
    """The worst of its cases'."""
    vectors_passed: int
    """The most of any operation: each has all vectors of its algorithm that it can use."""
    agreeing: list[str]
    """Other providers that gave the same answers to random inputs; none where it is alone."""
    error: contract.Failure | None
    """The first of the outcome's kind."""


def answers(rows: Iterable[Row]) -> dict[str, dict[str, Answers]]:
    """By algorithm, then by provider, in the order of the plan."""
    found: dict[str, dict[str, list[Row]]] = {}
    for row in rows:
        found.setdefault(row.algorithm, {}).setdefault(row.provider, []).append(row)
    return {
        algorithm: {provider: _answers(alike) for provider, alike in providers.items()}
        for algorithm, providers in found.items()
    }


def _answers(rows: list[Row]) -> Answers:
    outcomes = [_outcome(row) for row in rows]
    worst: Outcome = next(it for it in _WORST_FIRST if it in outcomes)
    return Answers(
        outcome=worst,
        vectors_passed=max(row.vectors_passed for row in rows),
        agreeing=sorted({name for row in rows for name in row.agrees_with}),
        error=rows[outcomes.index(worst)].error,
    )


_WORST_FIRST: tuple[Outcome, ...] = ("wrong", "no answer", "right", "unsupported", "not asked")
"""An operation that is not supported, or was not reached, says nothing against the others."""


def _outcome(row: Row) -> Outcome:
    if row.error is not None:
        if row.error.kind == "unsupported":
            return "unsupported"
        return "wrong" if row.error.kind in WRONG else "no answer"
    return "right" if row.vectors_passed or row.agrees_with else "not asked"
