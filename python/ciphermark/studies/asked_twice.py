"""Statements that a paper's own tables can be asked about too.

What a paper says may contradict what it printed, so it is judged twice by the same rule: by the
paper's tables, which no run changes, and by this machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import msgspec

from ciphermark.studies.study import Claim, Statement, Verdict, judge

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
