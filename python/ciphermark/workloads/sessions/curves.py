"""Rows of sessions that differ in one number only: of cores, or of sessions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from ciphermark.record.case_row import IMPLEMENTATION, PARAMETERS, key

if TYPE_CHECKING:
    from ciphermark.workloads.sessions.row import SessionRow

Over = Literal["cores", "sessions"]

FUNCTION = (*IMPLEMENTATION, *PARAMETERS, "message_bytes", "profile")
"""What is computed, by what, and on which messages."""

CIRCUMSTANCES = (
    *("placement", "threads", "contexts", "policy", "nice", "quota_cpus"),
    *("neighbours", "offered_per_s"),
)
"""How it runs, but for the number of sessions and the CPUs."""


class Found(msgspec.Struct, kw_only=True):
    """What a curve is of, for whatever is found by it."""

    over: Over
    """What is counted."""
    algorithm: str
    operation: str
    provider: str
    backend: str
    pattern: str
    message_bytes: int | None
    profile: str | None
    cases: list[int]
    """Of the points; what else they share stands in their rows."""
    sessions: int | None
    """Nothing where they are counted."""
    cores: int | None
    """Nothing where they are counted."""
    siblings: bool
    """Whether CPUs of some set share a core."""


class Curve(NamedTuple):
    """Rows that differ in the one number; those of one number are repeated."""

    over: Over
    rows: list[SessionRow]
    """By that number, ascending."""
    siblings: bool
    """Whether CPUs of some set share a core."""

    def number(self, row: SessionRow) -> int:
        return row.cores if self.over == "cores" else row.sessions

    def numbers(self) -> list[int]:
        """The different numbers, ascending."""
        return sorted({self.number(row) for row in self.rows})


def measured(rows: Iterable[SessionRow]) -> list[SessionRow]:
    """The rows with a figure that counts, of sessions that live as long as the execution."""
    return [
        row
        for row in rows
        if row.error is None and row.valid and row.messages_per_second and row.life is None
    ]


def curves(rows: Iterable[SessionRow], over: Over, core_cpus: Sequence[list[int]]) -> list[Curve]:
    """The curves of two numbers or more.

    Over cores, each row has a session at least for every CPU: one that nobody uses adds nothing.
    """
    alike: dict[Hashable, list[SessionRow]] = defaultdict(list)
    for row in measured(rows):
        if over == "sessions":
            alike[*alike_key(row), tuple(row.cpus)].append(row)
        elif row.sessions >= row.cores:
            alike[*alike_key(row), row.sessions].append(row)
    found = [
        Curve(over, sorted(part, key=lambda row: (row.cores, row.sessions)), siblings)
        for group in alike.values()
        for siblings, part in _parts(over, group, core_cpus)
    ]
    return [curve for curve in found if len(curve.numbers()) > 1]


def alike_key(row: SessionRow) -> tuple[Hashable, ...]:
    """What rows have in common that differ in their sessions and CPUs only."""
    return key(row, (*FUNCTION, *CIRCUMSTANCES))


def shares_cores(cpus: Iterable[int], core_cpus: Sequence[list[int]]) -> bool:
    """Whether any two of the CPUs share a core, as far as the kernel tells of cores."""
    chosen = set(cpus)
    return any(len(chosen.intersection(core)) > 1 for core in core_cpus)


def _parts(
    over: Over, group: list[SessionRow], core_cpus: Sequence[list[int]]
) -> Iterator[tuple[bool, list[SessionRow]]]:
    """The rows of one curve, or of two where some sets have CPUs that share a core.

    Such CPUs do not add what a core adds. So one curve is over sets without them; the other has the
    sets with them, and between those the numbers of CPUs that were measured without them only.
    """
    apart = [row for row in group if not shares_cores(row.cpus, core_cpus)]
    sharing = [row for row in group if shares_cores(row.cpus, core_cpus)]
    if over == "sessions":
        yield bool(sharing), group
        return
    yield False, apart
    if sharing:
        numbers = {row.cores for row in sharing}
        yield True, [row for row in apart if row.cores not in numbers] + sharing
