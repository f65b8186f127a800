"""Algorithm × provider: what each costs, which provider is fastest, and which tie with it; in the
report a table for each size."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from ciphermark import contract
from ciphermark.record.case_row import CALLING, key, way
from ciphermark.show import figures
from ciphermark.show.problems import FAILED, TIE, UNSETTLED, sentence
from ciphermark.workloads.single.columns import bound
from ciphermark.workloads.single.ratio import Paired, fastest, is_tie, ratio_of_rows
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.sections import KINDS

if TYPE_CHECKING:
    from ciphermark.record.run import Context


@dataclass(frozen=True)
class Cell:
    """One algorithm of one provider."""

    text: str = ""
    beside: str = ""
    """Smaller, after the text."""
    mark: str = ""
    """Class that says how it is drawn: `fastest`, `tie`, `failed`, `soft`."""
    note: str = ""
    """What is said when one points at it."""


Line = tuple[contract.Algorithm, list[Cell]]
"""An algorithm with a cell for each provider."""


def by_kind(lines: Iterable[Line]) -> dict[str, list[Line]]:
    """The lines under the name of each kind, otherwise in their order."""
    order = list(KINDS)
    kinds: dict[str, list[Line]] = {}
    for line in sorted(lines, key=lambda line: order.index(line[0].kind)):
        kinds.setdefault(KINDS[line[0].kind], []).append(line)
    return kinds


Standing = Literal["fastest", "tie", ""]


class Entry(NamedTuple):
    """What one algorithm of one provider costs."""

    row: Row
    """Of the backend that the library chooses by itself; it may be the row of an error."""
    standing: Standing
    """`tie` where the ratio to the fastest has 1 in its 95 % interval; nothing where a provider is
    the only one with a figure."""


class Matrix(NamedTuple):
    """All algorithms of one operation at one message size."""

    operation: str
    size: int | str | None
    """Bytes, or the name of a profile."""
    cells: dict[str, dict[str, Entry]]
    """By algorithm, then by provider, in the order of the plan."""


def matrices(rows: Iterable[Row], ratio: Paired = ratio_of_rows) -> list[Matrix]:
    """A matrix for each operation and size, of rows that are called alike; `ratio` where the groups
    of their run are known."""
    found: dict[tuple[str, int | str | None], dict[str, dict[str, list[Row]]]] = {}
    for row in rows:
        algorithms = found.setdefault((row.operation, row.size), {})
        providers = algorithms.setdefault(row.algorithm, defaultdict(list))
        providers[row.provider].append(row)
    return [
        Matrix(
            operation, size, {name: _entries(alike, ratio) for name, alike in algorithms.items()}
        )
        for (operation, size), algorithms in found.items()
    ]


def called_alike(rows: list[Row]) -> list[Row]:
    """The rows of the way of calling that most are of; of the first one where several have as many.

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
    """What the library does by itself; the fastest where only others were measured."""
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
"""What can be chosen: the operations that each kind has for one purpose."""

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
        """How far its size is from the one that is shown first; profiles come last."""
        if isinstance(self.measured, str):
            return math.inf
        return abs(math.log(max(self.measured or 0, 1) / FIRST_BYTES))


@dataclass(frozen=True)
class Views:
    """All tables, of which one is seen at a time."""

    providers: list[str]
    views: list[View]
    way: str
    """How all of them were called, where that is not the usual way."""

    @property
    def first(self) -> View:
        """The one that is seen first: of the first side at the size nearest to 1 KiB."""
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
    """The tables of a run; None where no provider has a figure."""
    alike = called_alike(rows)
    providers = list(
        dict.fromkeys(row.provider for row in alike if row.cycles_per_message is not None)
    )
    if not providers:
        return None
    facts = {algorithm.name: algorithm for algorithm in context.algorithms}
    found = matrices(alike, ratio)
    tables = []
    for side, operations in SIDES.items():
        of_side = [matrix for matrix in found if matrix.operation in operations]
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
    """The matrices of one size, of operations that belong together, in one table."""
    lines = [
        (facts[name], [_cell(entries.get(provider)) for provider in providers])
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


def _cell(entry: Entry | None) -> Cell:
    if entry is None:
        return Cell()
    row = entry.row
    if row.error is not None:
        return Cell(FAILED, mark="failed", note=sentence(row.error))
    value, low, high = _figure(row)
    if value is None:
        text = bound(row, figures.NARROW_SPACE) or FAILED
        return Cell(text, mark="soft", note=f"no figure: {row.not_converged_reason}")
    text = (TIE if entry.standing == "tie" else "") + ("" if row.converged else UNSETTLED)
    return Cell(text + _number(value), mark=entry.standing, note=_note(row, low, high))


def _figure(row: Row) -> tuple[float | None, float | None, float | None]:
    """Per byte where there are bytes, else per message, with its interval."""
    if row.size:
        return row.cycles_per_byte, row.ci_low, row.ci_high
    return row.cycles_per_message, row.cycles_per_message_low, row.cycles_per_message_high


def _note(row: Row, low: float | None, high: float | None) -> str:
    interval = "" if low is None or high is None else f"{_number(low)} to {_number(high)}"
    unsettled = "" if row.converged else f"did not settle: {row.not_converged_reason}"
    return ", ".join(filter(None, (row.backend, interval, unsettled)))


def _number(value: float) -> str:
    return figures.significant(value, separator=figures.NARROW_SPACE)
