"""Statements that a paper's own tables can be asked about too.

What a paper says may contradict what it printed, so it is judged twice by the same rule: by the
paper's tables, which no run changes, and by this machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol, TypeVar

import msgspec

from ciphermark.show.findings import Claim, Statement, Verdict, judge

VERDICTS = {True: "holds", False: "does not hold", None: "not to be told"}

Printed = TypeVar("Printed")
"""Figures in the form that judges take."""


class Said(msgspec.Struct, frozen=True):
    """A statement that can be asked of a paper's own tables."""

    claim: str
    text: str
    """What it says, and how that is read as a question about figures."""
    place: str
    tables: str
    """Where it printed the figures."""


class Pair(NamedTuple):
    """How a statement is judged by a paper's tables, and how by a run."""

    by_tables: Callable[..., Verdict]
    by_run: Callable[..., Verdict]


class HasEvidence(Protocol):
    """What was found in a run."""

    def evidence(self) -> Any:  # noqa: ANN401
        """The figures in the form in which the paper's tables are read."""


def same(decide: Callable[[Any], Verdict]) -> Pair:
    """The same question of both."""

    def by_run(measured: HasEvidence) -> Verdict:
        return decide(measured.evidence())

    return Pair(decide, by_run)


class Questions(NamedTuple):
    """All statements of a study, of which the paper's tables have answered theirs."""

    printed: dict[Said, Claim]
    """The claims that no run changes."""
    judges: dict[Statement, Callable[..., Verdict]]
    """What a run is asked."""

    @property
    def statements(self) -> tuple[Statement, ...]:
        """Those about the tables are judged already."""
        return (*self.printed.values(), *self.judges)

    def claims(self, measured: object) -> list[Claim]:
        """All statements judged: by the paper's tables, then by what was measured."""
        return [
            *self.printed.values(),
            *(judge(statement, decide, measured) for statement, decide in self.judges.items()),
        ]


def questions(
    twice: Mapping[Said, Pair],
    here: Mapping[Statement, Callable[..., Verdict]],
    printed: object,
    document: str,
) -> Questions:
    """What is asked of the paper's own tables and of runs, and what of runs alone.

    `printed` are the tables in the form that judges take, `document` is what the paper is called.
    """
    claims = {it: of_tables(it, pair.by_tables, printed, document) for it, pair in twice.items()}
    judges = {of_machine(it, claims[it]): pair.by_run for it, pair in twice.items()}
    return Questions(claims, judges | dict(here))


def of_tables(
    statement: Said, decide: Callable[[Printed], Verdict], printed: Printed, document: str
) -> Claim:
    """What the paper's own tables say of a statement; `document` is what the paper is called."""
    asked = Statement(
        claim=f"{statement.claim}-printed",
        text=f"By the {document}'s own tables: {statement.text}",
        place=statement.place,
        published=statement.tables,
    )
    return judge(asked, decide, printed)


def of_machine(statement: Said, by_tables: Claim) -> Statement:
    """The same statement about a machine, beside what the tables say."""
    return Statement(
        claim=statement.claim,
        text=statement.text,
        place=statement.place,
        published=f"{statement.tables}: {VERDICTS[by_tables.holds]}; {by_tables.here}",
    )
