"""Pairing of the rows of two runs that are figures of the same case."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from typing import NamedTuple

from ciphermark.errors import UsageError
from ciphermark.record.case_row import CASE, key
from ciphermark.workloads.loaded import BATCHES, LOADED_CASE, LoadedRow
from ciphermark.workloads.single.row import Row


class Selection(NamedTuple):
    """The part of a run that is compared; all of it where nothing is named.

    A backend is one that the plan asked for, or else the code path that ran.
    """

    provider: str | None = None
    backend: str | None = None

    def __str__(self) -> str:
        return "/".join(filter(None, self))


class Side(NamedTuple):
    """One side of a comparison."""

    run: str
    selection: Selection
    rows: list[Row]

    def __str__(self) -> str:
        """As the user writes it: `20261121-091500-7f3a:openssl`."""
        return ":".join(filter(None, (self.run, str(self.selection))))


class Matched(NamedTuple):
    """Rows of the same case on both sides, and those that only one side has."""

    pairs: list[tuple[Row, Row]]
    only_a: list[Row]
    only_b: list[Row]


def selected(run: str, rows: list[Row], selection: Selection) -> Side:
    """Returns the side of a selection of a run's rows; raises `UsageError` when empty."""
    of_provider = [row for row in rows if selection.provider in (None, row.provider)]
    chosen = _of_backend(of_provider, selection.backend)
    if not chosen:
        backends = {f"{row.provider}/{name}" for row in rows for name in _backends(row)}
        there = ", ".join(sorted(backends)) or "none"
        raise UsageError(f"run {run} has no case of {selection or 'any kind'}; it has {there}")
    return Side(run, selection, chosen)


def match(a: Side, b: Side) -> Matched:
    """Pairs the rows of two sides by the requested case, in the first's order.

    The code path that then ran does not matter: another path is often why the cost of a library has
    changed. Two providers, or two backends of one, are compared when both sides name them, so they
    need not agree; nor do the switches of such a backend, where no case has the same. Batches of
    packets are as large as the code path that ran takes them: where no case has the same, they need
    not agree either.
    """
    differing = _compared_fields(a.selection, b.selection)
    is_loaded = any(isinstance(row, LoadedRow) for row in (*a.rows, *b.rows))
    case = LOADED_CASE if is_loaded else CASE
    fields = [field for field in case if field not in differing]
    if differing:
        for side in (a, b):
            _check_one_backend(side, fields)
    matched = _match(a.rows, b.rows, fields)
    lenient = [*(BATCHES if is_loaded else ()), *(("switches",) if differing else ())]
    if not lenient:
        return matched
    others = _match(matched.only_a, matched.only_b, [it for it in fields if it not in lenient])
    pairs = sorted(matched.pairs + others.pairs, key=lambda pair: pair[0].case)
    return Matched(pairs, others.only_a, others.only_b)


def _backends(row: Row) -> set[str]:
    return {row.backend_asked, row.backend}


def _of_backend(rows: list[Row], backend: str | None) -> list[Row]:
    """Returns rows that asked for a backend; if there are none, those in which it ran."""
    if backend is None:
        return rows
    asked = [row for row in rows if row.backend_asked == backend]
    return asked or [row for row in rows if row.backend == backend]


def _compared_fields(a: Selection, b: Selection) -> set[str]:
    """Returns the fields in which the sides are meant to differ."""
    if a.provider and b.provider and a.provider != b.provider:
        return {"provider", "backend_asked"}
    if a.backend and b.backend and a.backend != b.backend:
        return {"backend_asked"}
    return set()


def _match(rows_a: list[Row], rows_b: list[Row], fields: Iterable[str]) -> Matched:
    """Pairs rows that agree in these fields and are alone on each side."""
    of_a, of_b = _by_key(rows_a, fields), _by_key(rows_b, fields)
    shared = {name for name in of_a if len(of_a[name]) == len(of_b.get(name, ())) == 1}
    return Matched(
        pairs=[(of_a[name][0], of_b[name][0]) for name in of_a if name in shared],
        only_a=[row for name, rows in of_a.items() if name not in shared for row in rows],
        only_b=[row for name, rows in of_b.items() if name not in shared for row in rows],
    )


def _by_key(rows: list[Row], fields: Iterable[str]) -> dict[Hashable, list[Row]]:
    alike: dict[Hashable, list[Row]] = defaultdict(list)
    for row in rows:
        alike[key(row, fields)].append(row)
    return alike


def _check_one_backend(side: Side, fields: Iterable[str]) -> None:
    """Raises `UsageError` where a case with several backends has no unique pair."""
    for alike in _by_key(side.rows, fields).values():
        if len(alike) > 1:
            backends = sorted({row.backend_asked for row in alike})
            provider = alike[0].provider
            raise UsageError(
                f"run {side.run} has {alike[0].algorithm} by several backends of {provider}"
                f" ({', '.join(backends)}); name one, for example"
                f" {side.run}:{provider}/{backends[0]}"
            )
