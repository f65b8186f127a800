"""The newest figure of each implementation on each machine, over all stored runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ciphermark.analyse.machines.machine import Key
from ciphermark.analyse.row import USUAL_CALL

if TYPE_CHECKING:
    from ciphermark.record.figures import Figures

USUAL = " AND ".join(
    [f"{field} = {value!r}" for field, value in USUAL_CALL.items()] + ["NOT switched"]
)
"""Of figures: how a function is usually called, with all that the processor has."""

MACHINE = ("machine_id", "machine_kind", "machine_name")
"""The columns of runs that say which machine one is of, in the order of `Key`."""

IMPLEMENTATION = ("algorithm", "operation", "provider", "backend_asked", "message_bytes")
"""What makes figures of different runs figures of the same thing."""

VALUES = (
    "backend",
    "cycles_per_byte",
    "ci_low",
    "ci_high",
    "mbytes_per_second",
    "converged",
)


class Point(msgspec.Struct, kw_only=True, frozen=True):
    """What an implementation costs by one run."""

    run: str
    started_unix_ns: int
    backend: str
    """The code path that ran, where that is known."""
    cycles_per_byte: float
    ci_low: float | None
    ci_high: float | None
    mbytes_per_second: float | None
    converged: bool


class Figure(Point, kw_only=True, frozen=True):
    """What one implementation costs on one machine, by the newest run that has a figure."""

    algorithm: str
    operation: str
    provider: str
    backend_asked: str
    message_bytes: int

    @property
    def implementation(self) -> Implementation:
        return Implementation(
            self.algorithm, self.operation, self.provider, self.backend_asked, self.message_bytes
        )


class Implementation(NamedTuple):
    """What figures of several machines are compared of."""

    algorithm: str
    operation: str
    provider: str
    backend_asked: str
    message_bytes: int


Newest = dict[Key, list[Figure]]


def newest(
    figures: Figures,
    sizes: Sequence[int] | None = None,
    operations: Sequence[str] | None = None,
) -> Newest:
    """By machine the newest figure of each implementation, of these sizes and operations or all."""
    of_group = ", ".join(f"r.{it}" for it in MACHINE) + ", "
    of_group += ", ".join(f"f.{it}" for it in IMPLEMENTATION)
    kept = ", ".join(f"{it}: f.{it}" for it in ("run", *VALUES))
    conditions = [USUAL, "f.message_bytes > 0", "f.cycles_per_byte IS NOT NULL"]
    parameters: list[object] = []
    for field, wanted in (("message_bytes", sizes), ("operation", operations)):
        if wanted is not None:
            conditions.append(f"f.{field} IN (SELECT unnest(?))")
            parameters.append(list(wanted))
    table = figures.ask(
        f"SELECT {of_group}, max(r.started_unix_ns) AS started_unix_ns, "
        f"arg_max({{{kept}}}, r.started_unix_ns) AS newest "
        f"FROM figures f JOIN runs r USING (run) WHERE {' AND '.join(conditions)} "
        "GROUP BY ALL ORDER BY ALL",
        parameters,
    )
    found: Newest = {}
    for row in table.to_pylist():
        values = row.pop("newest")
        key = tuple(row.pop(field) for field in MACHINE)
        found.setdefault(key, []).append(Figure(**row, **values))
    return found


def stored_sizes(figures: Figures) -> list[int]:
    """The message sizes that there are figures of."""
    table = figures.ask(
        "SELECT DISTINCT message_bytes FROM figures WHERE message_bytes > 0 "
        "AND cycles_per_byte IS NOT NULL ORDER BY message_bytes"
    )
    return table["message_bytes"].to_pylist()
