"""The matrix of answers in the report: what was verified of each algorithm of each provider."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ciphermark.show import figures
from ciphermark.show.problems import sentence
from ciphermark.workloads.single.answers import Answers, answers
from ciphermark.workloads.single.grid import Cell, Line, by_kind
from ciphermark.workloads.single.row import Row

if TYPE_CHECKING:
    from ciphermark.record.run import Context

FAILING = ("wrong", "no answer")


@dataclass(frozen=True)
class AnswersView:
    """The table and what stands above it."""

    providers: list[str]
    kinds: dict[str, list[Line]]
    totals: str


def view(context: Context, rows: list[Row]) -> AnswersView:
    """The table of a run."""
    found = answers(rows)
    facts = {algorithm.name: algorithm for algorithm in context.algorithms}
    providers = list(dict.fromkeys(row.provider for row in rows))
    lines = [
        (facts[name], [_cell(of_provider.get(provider)) for provider in providers])
        for name, of_provider in found.items()
    ]
    every = [it for by_provider in found.values() for it in by_provider.values()]
    return AnswersView(providers, by_kind(lines), _totals(every))


def _cell(found: Answers | None) -> Cell:
    if found is None:
        return Cell()
    if found.outcome in FAILING:
        return Cell(f"✗ {found.outcome}", mark="failed", note=sentence(found.error))
    if found.outcome != "right":
        note = sentence(found.error) if found.error else "no vector and no other provider was asked"
        return Cell(found.outcome, mark="soft", note=note)
    others = f"+{len(found.agreeing)}" if found.agreeing else "alone"
    agree = f"agrees with {', '.join(found.agreeing)}" if found.agreeing else "no other has it"
    vectors = figures.grouped(found.vectors_passed, separator=figures.NARROW_SPACE)
    passed = figures.counted(found.vectors_passed, "vector")
    return Cell(vectors, others, note=f"{passed} passed, {agree}")


def _totals(every: list[Answers]) -> str:
    """`250 pairs of algorithm and provider: 247 right, 12 of them alone; 3 wrong.`"""
    counts = {
        outcome: sum(it.outcome == outcome for it in every)
        for outcome in ("right", "wrong", "no answer", "unsupported", "not asked")
    }
    alone = sum(it.outcome == "right" and not it.agreeing for it in every)
    said = [f"{figures.grouped(count)} {outcome}" for outcome, count in counts.items() if count]
    if alone:
        said.insert(1, f"{figures.grouped(alone)} of these with nobody to agree with")
    return f"{figures.counted(len(every), 'pair')} of algorithm and provider: {', '.join(said)}."
