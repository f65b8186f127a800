"""Statements of a paper, as data, and their verdicts.

`statements.toml` in the folder of a study has each statement with its place and its figures. A
statement may contradict the paper's own tables, so it is judged twice where that can be: by these
tables and by a run, mostly by the same rule. No run changes the verdict of the tables, so it stands
in the file as well; `tests/test_study.py` judges them again and holds the file equal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from ciphermark.files import toml_file
from ciphermark.view.findings import Claim, Statement, Verdict, judge

FILE = "statements.toml"
VERDICTS = {True: "holds", False: "does not hold", None: "cannot be told"}

E = TypeVar("E")
"""Evidence of a run."""
P = TypeVar("P")
"""The paper's tables in the form that judges take."""


class ByTables(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Verdict of the paper's own tables on a statement."""

    here: str
    """The figures that decide."""
    holds: bool | None = None
    """Verdict; None where they do not decide."""


class Said(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One statement of the file."""

    claim: str
    text: str
    place: str
    published: str
    """The paper's figures; of a statement that its tables are asked about, which tables."""
    printed: ByTables | None = None
    asked_here: bool = True
    """True if a run can decide it."""

    def of_tables(self, document: str) -> Claim:
        """Returns the claim about the paper's own tables, of a statement that has one."""
        assert self.printed is not None
        return Claim(
            claim=f"{self.claim}-printed",
            text=f"By the {document}'s own tables: {self.text}",
            place=self.place,
            published=self.published,
            holds=self.printed.holds,
            here=self.printed.here,
            recomputed=True,
        )

    def of_machine(self) -> Statement:
        """Returns the statement for a run, beside the verdict of the tables."""
        published, tables = self.published, self.printed
        if tables is not None:
            published += f": {VERDICTS[tables.holds]}; {tables.here}"
        return Statement(claim=self.claim, text=self.text, place=self.place, published=published)


class Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file of a study."""

    statement: list[Said]
    document: str = "paper"
    """Kind of the source: `thesis`."""


class Questions(Generic[E, P]):
    """Statements of a study with their judges, by their identifiers."""

    def __init__(
        self,
        module: str,
        judges: Mapping[str, Callable[[E], Verdict]],
        by_tables: Mapping[str, Callable[[P], Verdict]] = {},
        printed: Callable[[], P] | None = None,
        quoted: Mapping[str, Callable[[], str]] = {},
    ) -> None:
        """`module` is a file in the folder of the study, `printed` makes what `by_tables` judge.
        `quoted` works out published figures that the file has in words."""
        self.path = Path(module).parent / FILE
        self.file = toml_file.read_as(self.path, "the statements", Document)
        self._judges, self._by_tables, self._printed = judges, by_tables, printed
        self._quoted = quoted
        said = self.file.statement
        self._of_tables = [it.of_tables(self.file.document) for it in said if it.printed]
        self._of_machine = [it.of_machine() for it in said if it.asked_here]

    @property
    def judges(self) -> set[str]:
        """Returns the identifiers that a run can decide."""
        return set(self._judges)

    @property
    def statements(self) -> tuple[Statement, ...]:
        """Returns statements about the tables, already judged, then those for a run."""
        return (*self._of_tables, *self._of_machine)

    def claims(self, evidence: E) -> list[Claim]:
        """Returns all statements judged: by the paper's tables, then by measurements."""
        return [*self._of_tables, *(self._judged(it, evidence) for it in self._of_machine)]

    def claim(self, name: str, evidence: E) -> Claim:
        """Returns one claim, judged."""
        [statement] = [it for it in self.statements if it.claim == name]
        return statement if isinstance(statement, Claim) else self._judged(statement, evidence)

    def _judged(self, statement: Statement, evidence: E) -> Claim:
        return judge(statement, self._judges[statement.claim], evidence)

    def worked_out(self) -> Document:
        """Returns the file with today's verdicts and published figures."""
        return msgspec.structs.replace(
            self.file, statement=[self._worked_out(it) for it in self.file.statement]
        )

    def _worked_out(self, said: Said) -> Said:
        changes: dict[str, Any] = {"printed": None}
        if said.claim in self._by_tables and self._printed is not None:
            verdict = judge(said.of_machine(), self._by_tables[said.claim], self._printed())
            changes["printed"] = ByTables(verdict.here, verdict.holds)
        if said.claim in self._quoted:
            changes["published"] = self._quoted[said.claim]()
        return msgspec.structs.replace(said, **changes)
