"""What a further core brings less than the first: by siblings on one core, and by shared clocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import TYPE_CHECKING

import msgspec

from ciphermark.show import figures
from ciphermark.workloads.flows import together
from ciphermark.workloads.sessions.scaling import alike_key, measured, shares_cores

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
    fast = (row for row in measured(rows) if row.offered_per_s is None)
    groups = together(
        (row for row in fast if row.sessions >= row.cores),
        lambda row: (*alike_key(row), row.sessions),
    )
    whole = [sorted(core) for core in core_cpus if len(core) > 1]
    return [
        _smt_loss(row, group, core_cpus)
        for group in groups.values()
        for row in group
        if sorted(row.cpus) in whole
    ]


def clock_losses(rows: Iterable[SessionRow]) -> list[ClockLoss]:
    """One for each number of CPUs that had a session each or more."""
    busy = (row for row in measured(rows) if row.sessions >= row.cores)
    droops = together(
        ((row.cores, row.clock_droop) for row in busy if row.clock_droop is not None),
        lambda droop: droop[0],
    )
    return [
        _clock_loss(cores, [droop for _, droop in alike]) for cores, alike in sorted(droops.items())
    ]


def _clock_loss(cores: int, droops: Sequence[float]) -> ClockLoss:
    return ClockLoss(
        cores=cores,
        cases=len(droops),
        droop=median(droops),
        least=min(droops),
        most=max(droops),
    )


def _smt_loss(
    row: SessionRow, group: Iterable[SessionRow], core_cpus: Sequence[list[int]]
) -> SmtLoss:
    apart = [other for other in group if not shares_cores(other.cpus, core_cpus)]
    per_second = row.messages_per_second or 0.0
    one = _throughput(other for other in apart if other.cores == 1)
    cores = _throughput(other for other in apart if other.cores == row.cores)
    facts = ("algorithm", "operation", "provider", "message_bytes", "profile", "sessions")
    return SmtLoss(
        **{field: getattr(row, field) for field in facts},
        cpus=sorted(row.cpus),
        per_second=per_second,
        gain=None if one is None else per_second / one - 1,
        loss=None if cores is None else 1 - per_second / cores,
    )


def _throughput(rows: Iterable[SessionRow]) -> float | None:
    """The median of some rows; None of no row."""
    rates = [row.messages_per_second for row in rows if row.messages_per_second is not None]
    return median(rates) if rates else None


def smt_sentence(loss: SmtLoss) -> str:
    """`CPUs 0 and 4 share a core: together they do 1.20 times one of them and 25 % less …`."""
    cpus = " and ".join(map(str, loss.cpus))
    held = []
    if loss.gain is not None:
        held.append(f"{figures.significant(1 + loss.gain)} times one of them")
    if loss.loss is not None:
        held.append(f"{_less(loss.loss)} than {len(loss.cpus)} cores")
    if not held:
        return (
            f"CPUs {cpus} share a core: neither one of them nor the same number of cores was "
            "measured"
        )
    sessions = figures.counted(loss.sessions, "session")
    return (
        f"CPUs {cpus} share a core: together they do {' and '.join(held)} "
        f"({loss.algorithm} {loss.operation}, {loss.provider}, {sessions})"
    )


def clock_sentences(clocks: Sequence[ClockLoss]) -> Iterator[str]:
    """One sentence, with a part for each number of CPUs; none without figures."""
    if clocks:
        parts = (f"{figures.counted(it.cores, 'CPU')} {_droop(it)}" for it in clocks)
        yield f"Core clock with sessions, against alone: {', '.join(parts)}"


def _less(loss: float) -> str:
    return f"{figures.percent(abs(loss))} {'less' if loss >= 0 else 'more'}"


def _droop(loss: ClockLoss) -> str:
    most, least = _change(loss.most), _change(loss.least)
    return _change(loss.droop) + ("" if most == least else f" ({most} to {least})")


def _change(droop: float) -> str:
    return f"{'−' if droop > 0 else '+'}{100 * abs(droop):.1f} %"
