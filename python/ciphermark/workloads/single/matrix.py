"""Algorithm × provider: what each costs, which provider is the fastest, and which tie with it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Literal, NamedTuple

from ciphermark.record.case_row import CALLING, key
from ciphermark.workloads.single.fastest import fastest, is_tie
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.row_ratio import Paired, ratio_of_rows

Standing = Literal["fastest", "tie", ""]


class Cell(NamedTuple):
    """One algorithm of one provider."""

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
    cells: dict[str, dict[str, Cell]]
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
        Matrix(operation, size, {name: _cells(alike, ratio) for name, alike in algorithms.items()})
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


def _cells(providers: dict[str, list[Row]], ratio: Paired) -> dict[str, Cell]:
    chosen = {provider: _of_provider(rows) for provider, rows in providers.items()}
    best = fastest(chosen.values())
    rivals = sum(row.cycles_per_message is not None for row in chosen.values())
    return {
        provider: Cell(row, _standing(row, best, ratio) if rivals > 1 else "")
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
