"""How the figures of a machine moved from its first run to its newest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from ciphermark.answers.machines.machine import Key
from ciphermark.answers.machines.newest import IMPLEMENTATION, MACHINE, USUAL, VALUES, Point
from ciphermark.statistics.ratio import is_above, unpaired_ratio
from ciphermark.workloads.single.row_ratio import cycles_per_byte

if TYPE_CHECKING:
    from ciphermark.record.figures import Figures

MATTERS = 1.02
"""A figure that moved by less has not moved, for whoever plans with it."""


class History(msgspec.Struct, kw_only=True):
    """One implementation on one machine over its runs."""

    algorithm: str
    operation: str
    provider: str
    backend_asked: str
    message_bytes: int
    points: list[Point]
    """The oldest first."""
    ratio: float
    """Of the newest figure by the first."""
    moved: bool
    """Whether they differ beyond the ratio's interval, and by over 2 %."""
    path_changed: bool
    """Whether the newest took another code path than the first."""


def histories(
    figures: Figures, machine: Key, size: int, operations: Sequence[str]
) -> list[History]:
    """The implementations of a machine that have figures of one size, by name."""
    wanted = ", ".join(f"f.{it}" for it in ("run", *IMPLEMENTATION, *VALUES))
    of_machine = " AND ".join(f"r.{it} = ?" for it in MACHINE)
    table = figures.ask(
        f"SELECT {wanted}, r.started_unix_ns FROM figures f JOIN runs r USING (run) "
        f"WHERE {of_machine} AND f.message_bytes = ? AND f.operation IN (SELECT unnest(?)) "
        f"AND {USUAL} AND f.cycles_per_byte > 0 ORDER BY r.started_unix_ns",
        [*machine, size, list(operations)],
    )
    found: dict[tuple, list[Point]] = {}
    for row in table.to_pylist():
        what = tuple(row.pop(field) for field in IMPLEMENTATION)
        found.setdefault(what, []).append(Point(**row))
    return [_history(what, points) for what, points in sorted(found.items())]


def _history(what: tuple, points: list[Point]) -> History:
    first, last = points[0], points[-1]
    found = unpaired_ratio(cycles_per_byte(last), None, cycles_per_byte(first), None)
    return History(
        **dict(zip(IMPLEMENTATION, what, strict=True)),
        points=points,
        ratio=found.value,
        moved=max(found.value, 1 / found.value) > MATTERS and is_above(found, 1.0) is not None,
        path_changed=first.backend != last.backend,
    )
