"""What a further core brings less than the first: by siblings on one core, and by shared clocks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from statistics import median
from typing import TYPE_CHECKING

import msgspec

from ciphermark.workloads.sessions.curves import alike_key, measured, shares_cores

if TYPE_CHECKING:
    from ciphermark.workloads.sessions.row import SessionRow


class SmtLoss(msgspec.Struct, kw_only=True):
    """What the CPUs of one core do together."""

    algorithm: str
    operation: str
    provider: str
    message_bytes: int | None
    profile: str | None
    sessions: int
    cpus: list[int]
    """All those of the core."""
    per_second: float
    """Messages per second of all of them."""
    gain: float | None
    """Throughput over that of one CPU alone, less 1; nothing where that was not measured."""
    loss: float | None
    """What is missing to the throughput of as many cores, as a share of it; nothing where that was
    not measured."""


class ClockLoss(msgspec.Struct, kw_only=True):
    """How much the clock falls as cores fill."""

    cores: int
    """CPUs that sessions ran on."""
    cases: int
    droop: float
    """1 − clock under load / clock alone: the median of the cases; below 0 where it rose."""
    least: float
    most: float


def smt_losses(rows: Iterable[SessionRow], core_cpus: Sequence[list[int]]) -> list[SmtLoss]:
    """One for each row on exactly all CPUs of one core; none on a machine without siblings."""
    alike: dict[Hashable, list[SessionRow]] = defaultdict(list)
    for row in measured(rows):
        if row.offered_per_s is None and row.sessions >= row.cores:
            alike[*alike_key(row), row.sessions].append(row)
    whole = [sorted(core) for core in core_cpus if len(core) > 1]
    return [
        _smt_loss(row, group, core_cpus)
        for group in alike.values()
        for row in group
        if sorted(row.cpus) in whole
    ]


def clock_losses(rows: Iterable[SessionRow]) -> list[ClockLoss]:
    """One for each number of CPUs that had a session each or more."""
    droops: dict[int, list[float]] = defaultdict(list)
    for row in measured(rows):
        if row.clock_droop is not None and row.sessions >= row.cores:
            droops[row.cores].append(row.clock_droop)
    return [
        ClockLoss(
            cores=cores,
            cases=len(found),
            droop=median(found),
            least=min(found),
            most=max(found),
        )
        for cores, found in sorted(droops.items())
    ]


def _smt_loss(
    row: SessionRow, group: Iterable[SessionRow], core_cpus: Sequence[list[int]]
) -> SmtLoss:
    apart = [it for it in group if not shares_cores(it.cpus, core_cpus)]
    one = _throughput(it for it in apart if it.cores == 1)
    cores = _throughput(it for it in apart if it.cores == row.cores)
    facts = ("algorithm", "operation", "provider", "message_bytes", "profile", "sessions")
    return SmtLoss(
        **{field: getattr(row, field) for field in facts},
        cpus=sorted(row.cpus),
        per_second=row.messages_per_second,
        gain=None if one is None else row.messages_per_second / one - 1,
        loss=None if cores is None else 1 - row.messages_per_second / cores,
    )


def _throughput(rows: Iterable[SessionRow]) -> float | None:
    """The median of some rows; None of no row."""
    found = [row.messages_per_second for row in rows]
    return median(found) if found else None
