"""Rows of many sessions and of packets as costs of a message, which comparisons and machines take
beside those of one thread."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

from ciphermark.record.case_row import CASE, CaseRow, key
from ciphermark.show import figures
from ciphermark.statistics.estimate import Estimate
from ciphermark.workloads.single.row import Row

if TYPE_CHECKING:
    from ciphermark.workloads.packets.row import PacketRow
    from ciphermark.workloads.sessions.row import SessionRow

ONE_EXECUTION = 0.03
"""Share by which figures of two executions differ that are not called the same: twice the spread of
the absolute figure that is allowed from run to run."""


def of_one_execution(value: float) -> Estimate:
    """A figure of sessions, of which one execution is one look: as sure as another would have been
    like it, so that ratios of two have an interval of `ONE_EXECUTION`."""
    return Estimate.around(value, ONE_EXECUTION / math.sqrt(2) * value)


class LoadedRow(Row, kw_only=True):
    """What a message costs while others are at work."""

    load: str
    """How many are at work, and how: `100 sessions on 2 CPUs`."""
    batch: int | None = None
    """Packets of a batch; None of sessions."""


LOADED_CASE = (*CASE, "load", "batch")
"""Two rows of different runs that agree in these were measured on the same case."""

BATCHES = ("lanes", "batch")
"""What the code path decides that runs, where nobody else has."""


def of_sessions(rows: Iterable[SessionRow]) -> list[LoadedRow]:
    """Absolute cycles of a message; of several looks at a case the longest, a valid one first. An
    attempt that does not count has a figure without an interval."""
    from ciphermark.workloads.sessions.remarks import load_conditions

    looks: dict[Hashable, list[tuple[SessionRow, LoadedRow]]] = {}
    for row in rows:
        asked = row.attempts[0].sessions if row.attempts else row.sessions
        loads = [_on_cpus(figures.counted(asked, "session"), row.cores), *load_conditions(row)]
        value, cost = row.absolute_cycles_per_message, None
        if value is not None:
            cost = of_one_execution(value) if row.valid else Estimate(value)
        made = _loaded(
            row,
            ", ".join(loads),
            cost,
            message_bytes=_mean_bytes(row.absolute_cycles_per_byte, value),
        )
        looks.setdefault(key(made, LOADED_CASE), []).append((row, made))
    return [max(of_case, key=_rank)[1] for of_case in looks.values()]


def of_packets(rows: Iterable[PacketRow]) -> list[LoadedRow]:
    """Cycles from the first submission to the last delivery, a packet."""
    from ciphermark.workloads.packets.remarks import load_conditions
    from ciphermark.workloads.packets.row import per_packet

    made = []
    for row in rows:
        load = _on_cpus(f"{figures.grouped(row.packets)} packets", row.cores)
        loads = [load, *load_conditions(row)]
        made.append(
            _loaded(
                row,
                ", ".join(loads),
                per_packet(row, "processing"),
                message_bytes=_mean_bytes(
                    row.processing_cycles_per_byte, row.processing_cycles_per_packet
                ),
                batch=row.batch,
                groups=row.pairs - row.disturbed,
            )
        )
    return made


def _rank(look: tuple[SessionRow, LoadedRow]) -> tuple[bool, float]:
    return look[0].valid, look[0].window_ms or 0.0


def _on_cpus(what: str, cores: int) -> str:
    return f"{what} on {figures.counted(cores, 'CPU')}"


def _mean_bytes(per_byte: float | None, per_message: float | None) -> float | None:
    """Of a message."""
    return per_message / per_byte if per_byte and per_message else None


def _loaded(
    row: SessionRow | PacketRow,
    load: str,
    cost: Estimate | None,
    *,
    message_bytes: float | None,
    groups: int = 0,
    batch: int | None = None,
) -> LoadedRow:
    case: dict[str, Any] = {name: getattr(row, name) for name in CaseRow.__struct_fields__}
    if cost is not None:
        case |= {
            "cycles_per_message": cost.value,
            "cycles_per_message_low": cost.low,
            "cycles_per_message_high": cost.high,
            "ns_per_message": cost.value / row.core_hz * 1e9 if row.core_hz else None,
        }
    if cost is not None and message_bytes:
        a_byte = cost.mapped(lambda end: end / message_bytes)
        case |= {"cycles_per_byte": a_byte.value, "ci_low": a_byte.low, "ci_high": a_byte.high}
    return LoadedRow(
        load=load,
        batch=batch,
        mbytes_per_second=row.mbytes_per_second,
        core_hz=row.core_hz,
        groups=groups,
        converged=row.has_settled,
        not_converged_reason=row.why_unsettled,
        cycle_source=row.cycle_source,
        backend_evidence=row.backend_evidence,
        features=row.features,
        constant_time=row.constant_time,
        vectors_passed=row.vectors_passed,
        agrees_with=row.agrees_with,
        error=row.error,
        **case,
    )
