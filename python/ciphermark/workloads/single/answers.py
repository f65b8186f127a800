"""Algorithm × provider: what is known of the answers, from the cases of a run, and its matrix in
the report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from ciphermark import contract
from ciphermark.show import figures
from ciphermark.show.problems import sentence
from ciphermark.workloads.single.matrix import Cell, Line, by_kind
from ciphermark.workloads.single.row import Row

if TYPE_CHECKING:
    from ciphermark.record.run import Context


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
    alike: dict[str, dict[str, list[Row]]] = {}
    for row in rows:
        alike.setdefault(row.algorithm, {}).setdefault(row.provider, []).append(row)
    return {
        algorithm: {provider: _answers(cases) for provider, cases in providers.items()}
        for algorithm, providers in alike.items()
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


@dataclass(frozen=True)
class AnswersView:
    """The table and what stands above it."""

    providers: list[str]
    kinds: dict[str, list[Line]]
    totals: str


def view(context: Context, rows: list[Row]) -> AnswersView:
    """The table of a run."""
    known = answers(rows)
    facts = {algorithm.name: algorithm for algorithm in context.algorithms}
    providers = list(dict.fromkeys(row.provider for row in rows))
    lines = [
        (facts[name], [_cell(of_provider.get(provider)) for provider in providers])
        for name, of_provider in known.items()
    ]
    every = [it for by_provider in known.values() for it in by_provider.values()]
    return AnswersView(providers, by_kind(lines), _totals(every))


def _cell(known: Answers | None) -> Cell:
    if known is None:
        return Cell()
    if known.outcome != "right":
        failing = known.outcome in ("wrong", "no answer")
        note = (
            sentence(known.error)
            if known.error
            else ("neither a vector nor another provider was available")
        )
        mark = "failed" if failing else "soft"
        return Cell(f"✗ {known.outcome}" if failing else known.outcome, mark=mark, note=note)
    others = f"+{len(known.agreeing)}" if known.agreeing else "alone"
    agree = f"agrees with {', '.join(known.agreeing)}" if known.agreeing else "no other has it"
    vectors = figures.grouped(known.vectors_passed, separator=figures.NARROW_SPACE)
    passed = figures.counted(known.vectors_passed, "vector")
    return Cell(vectors, others, note=f"{passed} passed, {agree}")


def _totals(every: list[Answers]) -> str:
    """`250 pairs of algorithm and provider: 247 right, 12 of them alone; 3 wrong.`"""
    counts = {outcome: sum(it.outcome == outcome for it in every) for outcome in get_args(Outcome)}
    alone = sum(it.outcome == "right" and not it.agreeing for it in every)
    said = [f"{figures.grouped(count)} {outcome}" for outcome, count in counts.items() if count]
    if alone:
        said.insert(1, f"{figures.grouped(alone)} of these that no other provider has")
    return f"{figures.counted(len(every), 'pair')} of algorithm and provider: {', '.join(said)}."
