"""Evidence of right answers by algorithm and provider, from the cases of a run, and its matrix in
the report.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from ciphermark import contract
from ciphermark.record.case_row import CALLING, key, way
from ciphermark.view import figures
from ciphermark.view.column import Cell
from ciphermark.view.problems import FAILED, TIE, UNSETTLED, sentence
from ciphermark.workloads.single.columns import bound
from ciphermark.workloads.single.ratio import Paired, fastest, is_tie, ratio_of_rows
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.sections import KINDS

if TYPE_CHECKING:
    from ciphermark.record.run import Context


Outcome = Literal["right", "wrong", "no answer", "unsupported", "not asked"]

WRONG: set[contract.FailureKind] = {
    "wrong-answer",
    "disagreement",
    "wrong-while-timed",
    "out-of-bounds",
}
"""Failures that show that the function is not the one named. The others, but for `unsupported`,
leave its answer open.
"""


class Answers(NamedTuple):
    """Joint result of the cases of one algorithm and provider."""

    outcome: Outcome
    """The worst of its cases'."""
    vectors_passed: int
    """The most of any operation: each has all vectors of its algorithm that it can use."""
    agreeing: list[str]
    """Other providers that gave the same answers to random inputs; none where it is alone."""
    error: contract.Failure | None
    """The first of the outcome's kind."""


def answers(rows: Iterable[Row]) -> dict[str, dict[str, Answers]]:
    """Returns answers by algorithm, then by provider, in the order of the plan."""
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
    """Table of answers and its totals."""

    providers: list[str]
    kinds: dict[str, list[Line]]
    totals: str


def answers_view(context: Context, rows: list[Row]) -> AnswersView:
    """Returns the table of a run."""
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
        return Cell("")
    if known.outcome != "right":
        failing = known.outcome in ("wrong", "no answer")
        note = (
            sentence(known.error)
            if known.error
            else ("neither a vector nor another provider was available")
        )
        mark = "failed" if failing else "soft"
        return Cell(f"✗ {known.outcome}" if failing else known.outcome, mark=mark, hint=note)
    others = f"+{len(known.agreeing)}" if known.agreeing else "alone"
    agree = f"agrees with {', '.join(known.agreeing)}" if known.agreeing else "no other has it"
    vectors = figures.grouped(known.vectors_passed, separator=figures.NARROW_SPACE)
    passed = figures.counted(known.vectors_passed, "vector")
    return Cell(vectors, note=others, hint=f"{passed} passed, {agree}")


def _totals(every: list[Answers]) -> str:
    """`250 pairs of algorithm and provider: 247 right, 12 of them alone; 3 wrong.`"""
    counts = {outcome: sum(it.outcome == outcome for it in every) for outcome in get_args(Outcome)}
    alone = sum(it.outcome == "right" and not it.agreeing for it in every)
    said = [f"{figures.grouped(count)} {outcome}" for outcome, count in counts.items() if count]
    if alone:
        said.insert(1, f"{figures.grouped(alone)} of these that no other provider has")
    return f"{figures.counted(len(every), 'pair')} of algorithm and provider: {', '.join(said)}."


Line = tuple[contract.Algorithm, list[Cell]]
"""An algorithm with a cell for each provider."""


def by_kind(lines: Iterable[Line]) -> dict[str, list[Line]]:
    """Groups the lines by the name of their kind, otherwise in their order."""
    order = list(KINDS)
    kinds: dict[str, list[Line]] = {}
    for line in sorted(lines, key=lambda line: order.index(line[0].kind)):
        kinds.setdefault(KINDS[line[0].kind], []).append(line)
    return kinds


Standing = Literal["fastest", "tie", ""]


class Entry(NamedTuple):
    """Cost of one algorithm of one provider."""

    row: Row
    """Row of the backend that the library chooses by itself; it may be the row of an error."""
    standing: Standing
    """`tie` where the ratio to the fastest has 1 in its 95 % interval; nothing where a provider is
    the only one with a figure."""


class Matrix(NamedTuple):
    """All algorithms of one operation at one message size."""

    operation: str
    size: int | str | None
    """Bytes, or the name of a profile."""
    cells: dict[str, dict[str, Entry]]
    """Entries by algorithm, then by provider, in the order of the plan."""


def matrices(rows: Iterable[Row], ratio: Paired = ratio_of_rows) -> list[Matrix]:
    """Returns a matrix for each operation and size, of rows that are called alike.

    `ratio` is for rows whose groups are known.
    """
    grouped: dict[tuple[str, int | str | None], dict[str, dict[str, list[Row]]]] = {}
    for row in rows:
        algorithms = grouped.setdefault((row.operation, row.size), {})
        providers = algorithms.setdefault(row.algorithm, defaultdict(list))
        providers[row.provider].append(row)
    return [
        Matrix(
            operation, size, {name: _entries(alike, ratio) for name, alike in algorithms.items()}
        )
        for (operation, size), algorithms in grouped.items()
    ]


def called_alike(rows: list[Row]) -> list[Row]:
    """Returns the rows of the commonest manner of calling; of equals the first.

    Only such rows may stand beside each other: a message of eight lanes is no rival of a single
    one.
    """
    ways = Counter(key(row, CALLING) for row in rows)
    if not ways:
        return []
    [(commonest, _)] = ways.most_common(1)
    return [row for row in rows if key(row, CALLING) == commonest]


def _entries(providers: dict[str, list[Row]], ratio: Paired) -> dict[str, Entry]:
    chosen = {provider: _of_provider(rows) for provider, rows in providers.items()}
    rivals = [row for row in chosen.values() if row.cycles_per_message is not None]
    best = fastest(rivals) if len(rivals) > 1 else None
    return {
        provider: Entry(row, "" if best is None else _standing(row, best, ratio))
        for provider, row in chosen.items()
    }


def _of_provider(rows: list[Row]) -> Row:
    """Returns the library's default row; the fastest where only others were measured."""
    by_itself = [row for row in rows if row.backend_asked == "default" and not row.switches]
    candidates = by_itself or rows
    return fastest(candidates) or candidates[0]


def _standing(row: Row, best: Row, ratio: Paired) -> Standing:
    if row is best:
        return "fastest"
    return "tie" if is_tie(row, best, ratio) else ""


SIDES = {
    "sending": ("seal", "encrypt", "keystream", "mac", "digest"),
    "receiving": ("open", "decrypt", "verify"),
    "key setup": ("setup",),
}
"""Operations of each side that can be chosen: those that each kind has for one purpose."""

FIRST_BYTES = 1024
"""The size that is shown before another is chosen, or the nearest to it: not a packet of 1500
bytes, at which modes of whole blocks would be missing."""


@dataclass(frozen=True)
class View:
    """One table: all kinds at one size."""

    side: str
    measured: int | str | None
    """Bytes of a message, or the name of a profile."""
    caption: str
    kinds: dict[str, list[Line]]

    @property
    def size(self) -> str:
        return "" if self.measured is None else figures.message_size(self.measured)

    @property
    def distance(self) -> float:
        """Returns the distance of its size from the initial one; profiles come last."""
        if isinstance(self.measured, str):
            return math.inf
        return abs(math.log(max(self.measured or 0, 1) / FIRST_BYTES))


@dataclass(frozen=True)
class Views:
    """All tables, of which one is seen at a time."""

    providers: list[str]
    views: list[View]
    way: str
    """Unusual manner in which all of them were called, or empty."""

    @property
    def first(self) -> View:
        """Returns the initial view: of the first side at the size nearest to 1 KiB."""
        side = self.views[0].side
        return min(
            (view for view in self.views if view.side == side),
            key=lambda view: view.distance,
        )

    @property
    def sides(self) -> list[str]:
        return list(dict.fromkeys(view.side for view in self.views))

    @property
    def sizes(self) -> list[str]:
        sizes = {view.measured for view in self.views if view.measured is not None}
        return [figures.message_size(size) for size in sorted(sizes, key=figures.size_order)]


def views(context: Context, rows: list[Row], ratio: Paired = ratio_of_rows) -> Views | None:
    """Returns the tables of a run; None where no provider has a figure."""
    alike = called_alike(rows)
    providers = list(
        dict.fromkeys(row.provider for row in alike if row.cycles_per_message is not None)
    )
    if not providers:
        return None
    facts = {algorithm.name: algorithm for algorithm in context.algorithms}
    every = matrices(alike, ratio)
    tables = []
    for side, operations in SIDES.items():
        of_side = [matrix for matrix in every if matrix.operation in operations]
        sizes = {matrix.size for matrix in of_side}
        for size in sorted(sizes, key=lambda size: figures.size_order(size or 0)):
            of_size = [matrix for matrix in of_side if matrix.size == size]
            tables.append(_view(side, size, of_size, providers, facts))
    return Views(providers, tables, way(alike[0]))


def _view(
    side: str,
    size: int | str | None,
    found: list[Matrix],
    providers: list[str],
    facts: dict[str, contract.Algorithm],
) -> View:
    """Returns one table of the matrices of a size, of operations that belong together."""
    lines = [
        (facts[name], [_cost_cell(entries.get(provider)) for provider in providers])
        for matrix in found
        for name, entries in matrix.cells.items()
    ]
    return View(side, size, _caption(side, size, found), by_kind(lines))


def _caption(side: str, size: int | str | None, found: list[Matrix]) -> str:
    measured = {matrix.operation for matrix in found}
    operations = ", ".join(operation for operation in SIDES[side] if operation in measured)
    if size is None:
        return f"Cycles per key: {operations}"
    unit = "byte" if size else "message"
    return f"Cycles per {unit} at {figures.message_size(size)}: {operations}"


def _cost_cell(entry: Entry | None) -> Cell:
    if entry is None:
        return Cell("")
    row = entry.row
    if row.error is not None:
        return Cell(FAILED, mark="failed", hint=sentence(row.error))
    value, low, high = _figure(row)
    if value is None:
        text = bound(row, figures.NARROW_SPACE) or FAILED
        return Cell(text, mark="soft", hint=f"no figure: {row.not_converged_reason}")
    text = (TIE if entry.standing == "tie" else "") + ("" if row.converged else UNSETTLED)
    return Cell(text + _number(value), mark=entry.standing, hint=_note(row, low, high))


def _figure(row: Row) -> tuple[float | None, float | None, float | None]:
    """Returns cycles per byte, or per message if there are no bytes, with the interval."""
    if row.size:
        return row.cycles_per_byte, row.ci_low, row.ci_high
    return row.cycles_per_message, row.cycles_per_message_low, row.cycles_per_message_high


def _note(row: Row, low: float | None, high: float | None) -> str:
    interval = "" if low is None or high is None else f"{_number(low)} to {_number(high)}"
    unsettled = "" if row.converged else f"did not settle: {row.not_converged_reason}"
    return ", ".join(filter(None, (row.backend, interval, unsettled)))


def _number(value: float) -> str:
    return figures.significant(value, separator=figures.NARROW_SPACE)
