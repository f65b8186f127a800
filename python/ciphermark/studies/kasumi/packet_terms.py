"""Influences on the cost of a packet, each as a measured term in core cycles.

The influences are those of chapter 3 of the thesis: protocol and application, the software of the
interface, the bus, the size of the data, iterations and timer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import msgspec
import numpy as np

from ciphermark.record.case_row import IMPLEMENTATION, key
from ciphermark.statistics.line import fitted
from ciphermark.workloads.flows import together
from ciphermark.workloads.packets.row import PacketRow

_FUNCTION = (*IMPLEMENTATION, "offload")
_CONDITIONS = (
    *("packets", "cpus", "submit_cpu", "offload_cpus", "lanes", "keys", "batch", "flush_us"),
    *("queue_batches", "delivery", "architecture", "waiting", "priorities", "groups"),
    *("policy", "offered_per_s", "in_flight", "buffers"),
)
"""Passing of packets, without the setting of keys."""

_READINGS = 2
"""Readings of the clock for a pass: at its start and at its end."""


class Term(NamedTuple):
    """One influence on the cost of a packet."""

    influence: str
    """Name in chapter 3 of the paper."""
    term: str
    """Description of the measured quantity."""
    cycles: dict[int, float]
    """Per packet, by its bytes."""
    shares: dict[int, float]
    """Share of the whole cost of such a packet; terms need not add up to it, as some contain
    others."""
    note: str = ""


class PacketTerms(NamedTuple):
    """The terms of one function."""

    row: PacketRow
    """Cycles of the smallest packets."""
    cycles: dict[int, float]
    """Cost of a packet, transfer included, by its bytes, ascending."""
    terms: list[Term]
    lacking: list[str]
    """Terms that these rows do not tell, each with what it needs."""


class _Sized(NamedTuple):
    """A row with what all terms need of it."""

    row: PacketRow
    size: int
    """Bytes of a packet."""
    cycles: float
    """Cycles of a packet, transfer included."""


_Cycles = dict[int, float]
"""Cycles of a packet, by its bytes."""


def packet_terms(
    rows: Iterable[PacketRow], clock_read_ns: float | None = None
) -> list[PacketTerms]:
    """The terms of each function, of which the rows may have been measured in any conditions.

    `clock_read_ns` is the cost of a reading of the wall clock, as the run's context has it.
    """
    sized = [
        _Sized(row, row.packet_bytes, row.processing_cycles_per_packet)
        for row in rows
        if row.is_measured and row.packet_bytes and row.processing_cycles_per_packet is not None
    ]
    functions = together(sized, lambda it: key(it.row, _FUNCTION)).values()
    bases = [(_base(function), function) for function in functions]
    return [_terms(base, function, clock_read_ns) for base, function in bases if base]


def _base(rows: list[_Sized]) -> list[_Sized]:
    """The rows with cached keys that differ in size alone, by size: of the conditions with the most
    sizes the ones with the most packets."""
    cached = [it for it in rows if it.row.key_setup == "cached" and it.row.policy != ISOLATED]
    alike = [
        {it.size: it for it in group}
        for group in together(cached, lambda it: _conditions(it.row)).values()
    ]
    most = max(
        alike,
        key=lambda sizes: (len(sizes), next(iter(sizes.values())).row.packets),
        default={},
    )
    return [most[size] for size in sorted(most)]


def _conditions(row: PacketRow, without: str = "") -> bytes:
    told = [getattr(row, field) for field in _CONDITIONS if field != without]
    return msgspec.json.encode(told)


def _terms(base: list[_Sized], rows: list[_Sized], clock_read_ns: float | None) -> PacketTerms:
    whole = {it.size: it.cycles for it in base}
    terms, lacking = [], []
    for influence, name, cycles, need in _measured(base, rows, clock_read_ns):
        if cycles:
            shares = {size: value / whole[size] for size, value in cycles.items()}
            note = ""
            if influence == _BUS:
                note = _bandwidth(base[-1])
            elif influence == _SYSTEM:
                note = _disturbances(base, rows)
            terms.append(Term(influence, name, cycles, shares, note))
        elif need:
            lacking.append(f"{name}: {need}")
    return PacketTerms(base[0].row, whole, terms, lacking)


_BUS = "bus bandwidth"
_SYSTEM = "operating system"

ISOLATED = "round-robin"
"""The policy by which one core is isolated as far as a caller's rights go: its thread goes before
all others."""
NO_ISOLATION = (
    "nothing here has a core to itself: its cases were not reached, or the user may not let "
    "threads go before all others"
)


def _measured(
    base: list[_Sized],
    rows: list[_Sized],
    clock_read_ns: float | None,
) -> Iterator[tuple[str, str, _Cycles, str]]:
    """Influences, each with its term, its cycles, and what it needs where there are none."""
    needs = "its cases were not reached: ciphermark study kasumi with a longer --budget"
    protocol, interface = "protocol and application", "interface software"
    yield protocol, "key set for each packet", _key_setup(base, rows), needs
    transfer = _each(base, lambda it: it.row.transfer_cycles_per_packet)
    yield interface, "passage through the queue", transfer, ""
    yield interface, "a call, whatever its bytes", _call(base), "it needs two sizes"
    yield _SYSTEM, "other threads and interrupts", _shared_core(base, rows), NO_ISOLATION
    if base[0].row.offload != "none":
        yield interface, "submission to the device, on the CPU", _each(base, _submission), ""
    yield _BUS, "packets from memory, not from the cache", _each(base, _memory), ""
    yield "data size", "bytes, beyond the fixed cost", _in_bytes(base), "it needs two sizes"
    yield "iterations", "spread over numbers of packets", _spread(base, rows), needs
    if clock_read_ns is not None:
        timer = _each(base, lambda it: _readings(it.row, clock_read_ns))
        yield "timer", "readings of the clock", timer, ""


def _each(base: list[_Sized], cycles: Callable[[_Sized], float | None]) -> _Cycles:
    values = ((it.size, cycles(it)) for it in base)
    return {size: value for size, value in values if value is not None}


def _key_setup(base: list[_Sized], rows: list[_Sized]) -> _Cycles:
    """Returns the extra cost of a packet whose key is set for it."""
    same = _conditions(base[0].row)
    per_packet = {
        it.size: it.cycles
        for it in rows
        if it.row.key_setup == "per-packet" and _conditions(it.row) == same
    }
    return {it.size: per_packet[it.size] - it.cycles for it in base if it.size in per_packet}


def _isolated(base: list[_Sized], rows: list[_Sized]) -> dict[int, _Sized]:
    """Returns the costs on a core that no other thread may take, by bytes."""
    same = _conditions(base[0].row, without="policy")
    return {
        it.size: it
        for it in rows
        if it.row.policy == ISOLATED
        and it.row.key_setup == "cached"
        and _conditions(it.row, without="policy") == same
    }


def _shared_core(base: list[_Sized], rows: list[_Sized]) -> _Cycles:
    """Returns the extra cost of a packet on a core shared with others, in undisturbed passes."""
    isolated = _isolated(base, rows)
    return {it.size: it.cycles - isolated[it.size].cycles for it in base if it.size in isolated}


def _disturbances(base: list[_Sized], rows: list[_Sized]) -> str:
    """Counts the pairs of passes that others spoilt in either case."""
    alone = _isolated(base, rows)
    both = [(it.row, alone[it.size].row) for it in base if it.size in alone]
    shared, isolated = (
        f"{sum(row.disturbed for row in side)} of {sum(row.pairs for row in side)}"
        for side in zip(*both, strict=True)
    )
    return f"pairs disturbed: {shared} plain, {isolated} isolated"


def _call(base: list[_Sized]) -> _Cycles:
    """Returns the cost of a hot call at no bytes, by a straight line over its sizes.

    It has the way into the library, the gathering of lanes, and the work once for a message.
    """
    hot = [(it.size, hot) for it in base if (hot := it.row.hot_cycles_per_byte)]
    if len(hot) < 2:
        return {}
    sizes, per_byte = np.array(hot, dtype=float).T
    cycles = sizes * per_byte
    line = fitted(sizes, cycles, units=cycles, errors=np.zeros(len(hot)))
    return {it.size: line.a for it in base}


def _submission(it: _Sized) -> float | None:
    row = it.row
    if row.cpu_cycles is None or row.transfer_cpu_cycles is None:
        return None
    return (row.cpu_cycles - row.transfer_cpu_cycles) / row.packets


def _memory(it: _Sized) -> float | None:
    further = _memory_per_byte(it.row)
    return None if further is None else further * it.size


def _memory_per_byte(row: PacketRow) -> float | None:
    if row.cold_cycles_per_byte is None or row.hot_cycles_per_byte is None:
        return None
    return row.cold_cycles_per_byte - row.hot_cycles_per_byte


def _spread(base: list[_Sized], rows: list[_Sized]) -> _Cycles:
    """Between the dearest and the cheapest number of packets."""
    same = _conditions(base[0].row, without="packets")
    alike = [
        it
        for it in rows
        if it.row.key_setup == "cached" and _conditions(it.row, without="packets") == same
    ]
    costs = together(alike, lambda it: it.size)
    spreads = {
        size: max(it.cycles for it in group) - min(it.cycles for it in group)
        for size, group in costs.items()
        if len(group) > 1
    }
    return {it.size: spreads[it.size] for it in base if it.size in spreads}


def _readings(row: PacketRow, clock_read_ns: float) -> float | None:
    hz = row.core_hz
    return None if hz is None else _READINGS * clock_read_ns * 1e-9 * hz / row.packets


def _bandwidth(longest: _Sized) -> str:
    """Returns the bandwidth of memory by the longest packets."""
    further, hz = _memory_per_byte(longest.row), longest.row.core_hz
    if further is None or hz is None:
        return ""
    told = f"{hz / further / 1e9:.1f} GB/s" if further > 0 else "no limit is seen"
    return f"{told} at {longest.size} B"


def _in_bytes(base: list[_Sized]) -> _Cycles:
    """Returns the cycles that grow with the bytes, by a straight line over all sizes."""
    if len(base) < 2:
        return {}
    cycles = np.array([it.cycles for it in base])
    errors = np.array([_half_width(it.row) or 0.0 for it in base]) / cycles
    line = fitted(np.array([float(it.size) for it in base]), cycles, units=cycles, errors=errors)
    return {it.size: line.b * it.size for it in base}


def _half_width(row: PacketRow) -> float | None:
    """Returns its cycles per packet; none where too few pairs were undisturbed."""
    cycles = row.cycles("processing")
    return None if cycles is None or cycles.half is None else cycles.half / row.packets
