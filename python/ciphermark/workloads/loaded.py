"""Rows of many sessions and of packets as costs of a message, which comparisons and machines take
beside those of one thread."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from ciphermark.record.case_row import CASE, CaseRow, key
from ciphermark.statistics.estimate import Estimate, no_gain
from ciphermark.view import figures
from ciphermark.workloads.single.row import Row

if TYPE_CHECKING:
    from ciphermark.workloads.packets.row import PacketRow
    from ciphermark.workloads.sessions.row import SessionRow


ONE_EXECUTION = 0.03
"""Share by which figures of two executions differ that are not called the same: twice the spread of
the absolute figure that is allowed from run to run."""


def of_one_execution(value: float) -> Estimate:
    """Returns a figure of one execution, with the spread between executions.

    It is so wide that ratios of two have an interval of `ONE_EXECUTION`.
    """
    return Estimate.around(value, ONE_EXECUTION / math.sqrt(2) * value)


class LoadedRow(Row, kw_only=True):
    """Cost of a message while other sessions or packets are at work."""

    load: str
    """Number and place of those at work: `100 sessions on 2 CPUs`."""
    batch: int | None = None
    """Packets of a batch; None of sessions."""


LOADED_CASE = (*CASE, "load", "batch")
"""Two rows of different runs that agree in these were measured on the same case."""

BATCHES = ("lanes", "batch")
"""Manners that the running code path decides, unless they are set."""


def of_sessions(rows: Iterable[SessionRow]) -> list[LoadedRow]:
    """Returns absolute cycles of a message, one row for each case.

    Of several looks at a case the longest counts, a valid one first. An attempt that does not count
    has a figure without an interval.
    """
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
    """Returns the mean bytes of a message."""
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


FURTHER_CORE_LEAST = 0.75
"""Least work of a further core, as a share of the first core's. An assumption: shared caches,
memory and power take the rest.
"""

SIBLING = (0.25, 0.0, 0.6)
"""Work that the second thread of a core adds, as a share of the core's: value, least and most. A
wide assumption.
"""

LEAST_SHARE = 0.02
"""Half-width of a measured speed-up at least: rows of sessions have no interval of their own."""


class SpeedUp(msgspec.Struct, kw_only=True):
    """Work of several cores as a multiple of one core's."""

    cores: int
    factor: Estimate
    basis: Literal["one core", "measured", "extrapolated", "assumed"]
    largest_measured: int | None = None


class CoreRate(msgspec.Struct, frozen=True, kw_only=True):
    """Messages per second of something on so many cores."""

    what: tuple[str, str, str, int | str | None]
    """Algorithm, operation, provider and size."""
    cores: int
    per_second: float


def session_rates(rows: Iterable[SessionRow]) -> list[CoreRate]:
    """Returns rates of unlimited sessions, at least one for each core."""
    return [
        _rate(row, row.messages_per_second)
        for row in rows
        if row.valid
        and row.messages_per_second
        and _is_free(row)
        and row.sessions >= row.cores
        and row.quota_cpus is None
    ]


def packet_rates(rows: Iterable[PacketRow]) -> list[CoreRate]:
    """Rates of a queue of packets."""
    return [
        _rate(row, row.packets_per_second)
        for row in rows
        if row.packets_per_second and _is_free(row)
    ]


def _is_free(row: SessionRow | PacketRow) -> bool:
    """Returns whether only the cores limit the row's rate."""
    return row.offered_per_s is None and row.offload == "none"


def _rate(row: SessionRow | PacketRow, per_second: float) -> CoreRate:
    what = (row.algorithm, row.operation, row.provider, row.size)
    return CoreRate(what=what, cores=row.cores, per_second=per_second)


def speed_up(
    cores: int, rates: Sequence[CoreRate], algorithms: Sequence[str], physical: int | None
) -> SpeedUp:
    """Returns the factor for a suite; `algorithms` are its own name and those of its parts."""
    if cores == 1:
        return SpeedUp(cores=1, factor=Estimate.exact(1), basis="one core")
    if measured := measured_factors(rates, algorithms):
        return _by_measured(cores, measured)
    return SpeedUp(cores=cores, factor=_assumed(cores, physical or cores), basis="assumed")


def measured_factors(rates: Sequence[CoreRate], algorithms: Iterable[str]) -> dict[int, Estimate]:
    """Returns speed-ups by number of cores; empty where none was measured.

    They are of the first of the algorithms that was measured on several cores.
    """
    each = (_measured([it for it in rates if it.what[0] == name]) for name in algorithms)
    return next(filter(None, each), {})


def _measured(rates: Iterable[CoreRate]) -> dict[int, Estimate]:
    """Returns the median and range of the speed-up at each number of cores."""
    best: dict[tuple[str, str, str, int | str | None], dict[int, float]] = defaultdict(dict)
    for it in rates:
        known = best[it.what].get(it.cores, 0.0)
        best[it.what][it.cores] = max(known, it.per_second)
    factors: dict[int, list[float]] = defaultdict(list)
    for alike in best.values():
        for cores, per_second in alike.items():
            if 1 in alike and cores > 1 and no_gain(per_second / alike[1], cores) is None:
                factors[cores].append(per_second / alike[1])
    return {cores: _range(values) for cores, values in sorted(factors.items())}


def _range(values: Sequence[float]) -> Estimate:
    middle = median(values)
    half = LEAST_SHARE * middle
    return Estimate(middle, min(min(values), middle - half), max(max(values), middle + half))


def _by_measured(cores: int, measured: dict[int, Estimate]) -> SpeedUp:
    """Returns the measured factor, or one from the nearest smaller number of cores.

    Further cores are taken to add the share of that number; the interval lets this fall to half of
    it and rise to a whole core.
    """
    largest = max(measured)
    if cores in measured:
        return SpeedUp(
            cores=cores, factor=measured[cores], basis="measured", largest_measured=largest
        )
    near = max((it for it in measured if it < cores), default=min(measured))
    least, _ = measured[near].interval or (1.0, near)
    share = (measured[near].value - 1) / (near - 1)
    factor = Estimate(
        1 + share * (cores - 1),
        1 + min(share, (least - 1) / (near - 1)) / 2 * (cores - 1),
        1 + max(1.0, share) * (cores - 1),
    )
    return SpeedUp(cores=cores, factor=factor, basis="extrapolated", largest_measured=largest)


def _assumed(cores: int, physical: int) -> Estimate:
    whole = min(cores, physical)
    siblings = max(0, cores - physical)
    usual, least, most = SIBLING
    return Estimate(
        whole + siblings * usual,
        1 + (whole - 1) * FURTHER_CORE_LEAST + siblings * least,
        whole + siblings * most,
    )


def whole_tunnels(each: float, wanted: float) -> int:
    """Returns how many tunnels of a rate one core holds.

    Rounding must not lose one that fits exactly.
    """
    return math.floor(round(each / wanted, 9))
