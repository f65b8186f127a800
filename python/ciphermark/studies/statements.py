"""What a paper says, as data, and whether it is so.

`statements.toml` in the folder of a study has each statement with its place and its figures. What a
paper says may contradict what it printed, so a statement is judged twice where that can be: by the
paper's own tables and by a run, most of them by the same rule. What the tables say no run changes,
so it stands in the file as well; `tests/test_study.py` judges them again and holds the
file equal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from ciphermark.files import toml_file
from ciphermark.show.findings import Claim, Statement, Verdict, judge

FILE = "statements.toml"
VERDICTS = {True: "holds", False: "does not hold", None: "cannot be told"}

E = TypeVar("E")
"""What a run is asked by."""
P = TypeVar("P")
"""The paper's tables in the form that judges take."""


class ByTables(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the paper's own tables say of a statement."""

    here: str
    """The figures that decide."""
    holds: bool | None = None
    """None where they do not tell."""


class Said(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One statement of the file."""

    claim: str
    text: str
    place: str
    published: str
    """The paper's figures; of a statement that its tables are asked about, which tables."""
    printed: ByTables | None = None
    asked_here: bool = True
    """Whether a run can tell anything of it."""

    def of_tables(self, document: str) -> Claim:
        """The claim about the paper's own tables, of a statement that has one."""
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
        """What a run is asked, beside what the tables say."""
        published, tables = self.published, self.printed
        if tables is not None:
            published += f": {VERDICTS[tables.holds]}; {tables.here}"
        return Statement(claim=self.claim, text=self.text, place=self.place, published=published)


class Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file of a study."""

    statement: list[Said]
    document: str = "paper"
    """What the source is called: `thesis`."""


class Questions(Generic[E, P]):
    """The statements of a study with what judges them, by their identifiers."""

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
        """What can be judged by a run."""
        return set(self._judges)

    @property
    def statements(self) -> tuple[Statement, ...]:
        """Those about the tables, which are judged already, then those that a run is asked."""
        return (*self._of_tables, *self._of_machine)

    def claims(self, evidence: E) -> list[Claim]:
        """All statements judged: by the paper's tables, then by what was measured."""
        return [*self._of_tables, *(self._judged(it, evidence) for it in self._of_machine)]

    def claim(self, name: str, evidence: E) -> Claim:
        """One of them."""
        [statement] = [it for it in self.statements if it.claim == name]
        return statement if isinstance(statement, Claim) else self._judged(statement, evidence)

    def _judged(self, statement: Statement, evidence: E) -> Claim:
        return judge(statement, self._judges[statement.claim], evidence)

    def worked_out(self) -> Document:
        """The file as judges and published figures have it now."""
        return msgspec.structs.replace(
            self.file, statement=[self._worked_out(it) for it in self.file.statement]
        )

    def _worked_out(self, said: Said) -> Said:
        changes: dict[str, Any] = {"printed": None}
        if said.claim in self._by_tables and self._printed is not None:
            found = judge(said.of_machine(), self._by_tables[said.claim], self._printed())
            changes["printed"] = ByTables(found.here, found.holds)
        if said.claim in self._quoted:
            changes["published"] = self._quoted[said.claim]()
        return msgspec.structs.replace(said, **changes)
