"""What a packet's cost is made of: each influence on it as a measured term, in core cycles.

The influences are those of the published KASUMI study (chapter 3): protocol and application, the
software of the interface, the bus, the size of the data, iterations and timer. Its hypothesis is
that overheads dominate small packets and raw speed large ones; here: over sizes n, cycles per
packet are fitted by a + b·n, and a is more than b·n at the smallest size and less at the largest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec
import numpy as np
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ciphermark.record.case_row import IMPLEMENTATION, key
from ciphermark.show import figures
from ciphermark.show.fitting import Column, print_groups
from ciphermark.statistics.line import Line, fitted
from ciphermark.workloads.packets.row import Interval, PacketRow, interval

_FUNCTION = (*IMPLEMENTATION, "offload")
_CONDITIONS = (
    *("packets", "cpus", "submit_cpu", "offload_cpus", "lanes", "keys", "batch", "flush_us"),
    *("queue_batches", "delivery", "architecture", "waiting", "priorities", "groups"),
    *("offered_per_s", "in_flight", "buffers"),
)
"""How packets pass, without the setting of keys."""

_READINGS = 2
"""Of the clock for a pass: at its start and at its end."""


class Term(msgspec.Struct, kw_only=True):
    """One influence on the cost of a packet."""

    influence: str
    """As chapter 3 of the paper names it."""
    term: str
    """What was measured of it."""
    cycles: dict[int, float]
    """Per packet, by its bytes."""
    shares: dict[int, float]
    """Of the whole cost of such a packet, which the terms need not sum up to: some of them are
    contained in others."""
    note: str = ""


class Hypothesis(msgspec.Struct, kw_only=True):
    """Whether overheads dominate small packets, and raw speed large ones."""

    a: float
    """Fixed cost, cycles per packet."""
    a_interval: Interval | None
    b: float
    """Cost of a further byte, cycles."""
    b_interval: Interval | None
    crossing_bytes: float | None
    """The size at which a = b·n; null where packets cost no more the longer they are."""
    crossing_low: float | None = None
    crossing_high: float | None = None
    """Null where the size may be any above `crossing_low`."""
    holds: bool | None
    """Null where the intervals leave it open."""


class PacketTerms(msgspec.Struct, kw_only=True):
    """The terms of one function."""

    algorithm: str
    operation: str
    provider: str
    backend: str
    offload: str
    sizes: list[int]
    """Bytes of packets, ascending."""
    packets: int
    cycles: dict[int, float]
    """Cost of a packet, transfer included, by its bytes."""
    terms: list[Term]
    hypothesis: Hypothesis | None
    """Null with one size."""
    lacking: list[str]
    """Terms that these rows do not tell, each with what it needs."""


def packet_terms(
    rows: Iterable[PacketRow], clock_read_ns: float | None = None
) -> list[PacketTerms]:
    """The terms of each function, of which the rows may have been measured in any conditions.

    `clock_read_ns` is the cost of a reading of the wall clock, as the run's context has it.
    """
    functions = defaultdict(list)
    for row in rows:
        if row.is_measured and row.packet_bytes and row.processing_cycles_per_packet is not None:
            functions[key(row, _FUNCTION)].append(row)
    return [found for rows in functions.values() if (found := _terms(rows, clock_read_ns))]


def _terms(rows: list[PacketRow], clock_read_ns: float | None) -> PacketTerms | None:
    base = _base(rows)
    if not base:
        return None
    first, whole = base[0], {row.packet_bytes: row.processing_cycles_per_packet for row in base}
    hypothesis = _hypothesis(base)
    terms, lacking = [], []
    for influence, name, cycles, need in _measured(base, rows, hypothesis, clock_read_ns):
        if cycles:
            shares = {size: value / whole[size] for size, value in cycles.items()}
            found = Term(influence=influence, term=name, cycles=cycles, shares=shares)
            terms.append(found)
        elif need:
            lacking.append(f"{name}: {need}")
    _say_bandwidth(terms, base)
    return PacketTerms(
        **{field: getattr(first, field) for field in _shown_fields()},
        sizes=list(whole),
        packets=first.packets,
        cycles=whole,
        terms=terms,
        hypothesis=hypothesis,
        lacking=lacking,
    )


def _shown_fields() -> tuple[str, ...]:
    return ("algorithm", "operation", "provider", "backend", "offload")


def _base(rows: list[PacketRow]) -> list[PacketRow]:
    """The rows with cached keys that differ in size alone, by size: of the conditions with the most
    sizes the ones with the most packets."""
    alike: dict[Any, dict[int, PacketRow]] = defaultdict(dict)
    for row in rows:
        if row.key_setup == "cached":
            alike[_conditions(row)][row.packet_bytes] = row
    most = max(
        alike.values(),
        key=lambda sizes: (len(sizes), next(iter(sizes.values())).packets),
        default={},
    )
    return [most[size] for size in sorted(most)]


def _conditions(row: PacketRow, without: str = "") -> bytes:
    told = [getattr(row, field) for field in _CONDITIONS if field != without]
    return msgspec.json.encode(told)


_Found = tuple[str, str, dict[int, float], str]
"""An influence, its term, cycles by size, and what it needs where there are none."""


def _measured(
    base: list[PacketRow],
    rows: list[PacketRow],
    fit: Hypothesis | None,
    clock_read_ns: float | None,
) -> Iterator[_Found]:
    needs = "its cases were not reached: ciphermark packets --terms with a longer --budget"
    protocol, interface = "protocol and application", "interface software"
    yield protocol, "key set for each packet", _key_setup(base, rows), needs
    yield interface, "passage through the queue", _each(base, _transfer), ""
    yield interface, "a call, without its bytes", _call(base), "it needs two sizes"
    if base[0].offload != "none":
        yield interface, "submission to the device, on the CPU", _each(base, _submission), ""
    yield "bus bandwidth", "packets from memory, not from the cache", _each(base, _memory), ""
    yield "data size", "bytes, beyond the fixed cost", _bytes(base, fit), "it needs two sizes"
    yield "iterations", "spread over numbers of packets", _spread(base, rows), needs
    yield "timer", "readings of the clock", _each(base, _timer(clock_read_ns)), ""


def _each(base: list[PacketRow], cycles: Callable[[PacketRow], float | None]) -> dict[int, float]:
    found = ((row.packet_bytes, cycles(row)) for row in base)
    return {size: value for size, value in found if value is not None}


def _key_setup(base: list[PacketRow], rows: list[PacketRow]) -> dict[int, float]:
    """What a packet costs more where its key is set for it."""
    per_packet = {
        row.packet_bytes: row.processing_cycles_per_packet
        for row in rows
        if row.key_setup == "per-packet" and _conditions(row) == _conditions(base[0])
    }
    return {
        row.packet_bytes: per_packet[row.packet_bytes] - row.processing_cycles_per_packet
        for row in base
        if row.packet_bytes in per_packet
    }


def _transfer(row: PacketRow) -> float | None:
    return row.transfer_cycles_per_packet


def _call(base: list[PacketRow]) -> dict[int, float]:
    """What a hot call costs at no bytes, by a straight line over its sizes: the way into the
    library, the gathering of lanes, and what the algorithm does once for a message."""
    hot = [row for row in base if row.hot_cycles_per_byte]
    if len(hot) < 2:
        return {}
    sizes = np.array([row.packet_bytes for row in hot], dtype=float)
    cycles = sizes * np.array([row.hot_cycles_per_byte for row in hot])
    line = fitted(sizes, cycles, units=cycles, errors=np.zeros(len(hot)))
    return {row.packet_bytes: line.a for row in base}


def _submission(row: PacketRow) -> float | None:
    if row.cpu_cycles is None or row.transfer_cpu_cycles is None:
        return None
    return (row.cpu_cycles - row.transfer_cpu_cycles) / row.packets


def _memory(row: PacketRow) -> float | None:
    further = _memory_per_byte(row)
    return None if further is None else further * row.packet_bytes


def _memory_per_byte(row: PacketRow) -> float | None:
    if row.cold_cycles_per_byte is None or row.hot_cycles_per_byte is None:
        return None
    return row.cold_cycles_per_byte - row.hot_cycles_per_byte


def _bytes(base: list[PacketRow], fit: Hypothesis | None) -> dict[int, float]:
    return {} if fit is None else {row.packet_bytes: fit.b * row.packet_bytes for row in base}


def _spread(base: list[PacketRow], rows: list[PacketRow]) -> dict[int, float]:
    """Between the dearest and the cheapest number of packets."""
    same = _conditions(base[0], without="packets")
    by_size = defaultdict(list)
    for row in rows:
        if row.key_setup == "cached" and _conditions(row, without="packets") == same:
            by_size[row.packet_bytes].append(row.processing_cycles_per_packet)
    return {
        row.packet_bytes: max(found) - min(found)
        for row in base
        if len(found := by_size[row.packet_bytes]) > 1
    }


def _timer(clock_read_ns: float | None) -> Callable[[PacketRow], float | None]:
    def cycles(row: PacketRow) -> float | None:
        if clock_read_ns is None or row.core_hz is None:
            return None
        return _READINGS * clock_read_ns * 1e-9 * row.core_hz / row.packets

    return cycles


def _say_bandwidth(terms: list[Term], base: list[PacketRow]) -> None:
    """What the longest packets from memory say of its bandwidth."""
    further, hz = _memory_per_byte(base[-1]), base[-1].core_hz
    for term in terms:
        if term.influence == "bus bandwidth" and hz is not None:
            told = f"{hz / further / 1e9:.1f} GB/s" if further > 0 else "no limit is seen"
            term.note = f"{told} at {base[-1].packet_bytes} B"


def _hypothesis(base: list[PacketRow]) -> Hypothesis | None:
    if len(base) < 2:
        return None
    sizes = np.array([row.packet_bytes for row in base], dtype=float)
    cycles = np.array([row.processing_cycles_per_packet for row in base])
    halves = [_half_width(row) for row in base]
    errors = np.array([half or 0.0 for half in halves]) / cycles
    line = fitted(sizes, cycles, units=cycles, errors=errors)
    if None in halves:
        line = line.without_intervals()
    return judged(line, sizes[0], sizes[-1])


def _half_width(row: PacketRow) -> float | None:
    """Of its cycles per packet; none where too few pairs were undisturbed."""
    cycles = row.cycles("processing")
    return cycles.half / row.packets if cycles and cycles.has_interval else None


def judged(line: Line, smallest: float, largest: float) -> Hypothesis:
    """The hypothesis over these sizes. The interval of a/b takes the ends of both, so that it is
    rather too wide: a and b are off in opposite ways."""
    fixed, slope = line.fixed, line.slope
    found = Hypothesis(
        a=line.a,
        a_interval=interval(fixed),
        b=line.b,
        b_interval=interval(slope),
        crossing_bytes=max(line.a, 0.0) / line.b if line.b > 0 else None,
        holds=None,
    )
    if line.b > 0 and fixed.low is not None:
        found.crossing_low = max(fixed.low, 0.0) / slope.high
        found.crossing_high = max(fixed.high, 0.0) / slope.low if slope.low > 0 else None
        found.holds = _holds(found.crossing_low, found.crossing_high, smallest, largest)
    return found


def _holds(low: float, high: float | None, smallest: float, largest: float) -> bool | None:
    if low > largest or (high is not None and high < smallest):
        return False
    return True if high is not None and smallest < low and high < largest else None


TITLE = "What a packet's cost is made of"


def print_packet_terms(console: Console, found: Iterable[PacketTerms]) -> None:
    """Prints the terms of each function at both ends of its sizes, and the hypothesis."""
    for terms in found:
        console.print()
        ends = list(dict.fromkeys((terms.sizes[0], terms.sizes[-1])))
        print_groups(console, list(_columns(ends)), [(title(terms), terms.terms)])
        for sentence in sentences(terms):
            console.print(Padding(Text(sentence), (0, 0, 0, 2)))


def title(terms: PacketTerms) -> str:
    """`What a packet's cost is made of: uea1 encrypt, kernels · table`."""
    parts = [terms.provider, "" if terms.backend == "default" else terms.backend]
    named = " · ".join(filter(None, parts))
    offload = "" if terms.offload == "none" else f", on {terms.offload}"
    return f"{TITLE}: {terms.algorithm} {terms.operation}, {named}{offload}"


def sentences(terms: PacketTerms) -> Iterator[str]:
    """The whole cost, the hypothesis, and the terms that are not told."""
    sizes = dict.fromkeys((terms.sizes[0], terms.sizes[-1]))
    whole = " and ".join(
        f"{figures.significant(terms.cycles[size])} at {figures.message_size(size)}"
        for size in sizes
    )
    yield f"A packet costs {whole}, cycles; shares are of that, and some terms contain others."
    if terms.hypothesis is not None:
        yield verdict(terms.hypothesis)
    for lacking in terms.lacking:
        yield f"Not told: {lacking}"


def verdict(it: Hypothesis) -> str:
    """Whether overheads dominate small packets and raw speed large ones, with the size between."""
    line = f"{figures.significant(it.a)} + {figures.significant(it.b)}·n cycles"
    said = {True: "holds", False: "does not hold", None: "is left open"}[it.holds]
    claim = f"That overheads dominate small packets and raw speed large ones {said}"
    if it.crossing_bytes is None:
        return f"{claim}: {line}, which do not grow with the size."
    equal = f"{claim}: {line}, equal at {figures.significant(it.crossing_bytes)} bytes"
    if it.crossing_low is None:
        return f"{equal} (without an interval)."
    high = "any size" if it.crossing_high is None else figures.significant(it.crossing_high)
    between = f"{figures.significant(it.crossing_low)}–{high}"
    return f"{equal} ({between})."


def _columns(sizes: list[int]) -> Iterator[Column[Term]]:
    yield Column("\ninfluence", lambda it: Text(it.influence), left=True)
    yield Column("\nterm", lambda it: Text(it.term), left=True)
    for size in sizes:
        heading = f"{figures.message_size(size)}\ncycles"
        yield Column(heading, _cell(size, "cycles", figures.significant))
        yield Column("\nshare", _cell(size, "shares", lambda share: f"{100 * share:.1f} %"))
    yield Column("", lambda it: Text(it.note, style="dim"), left=True)


def _cell(size: int, field: str, shown: Callable[[float], str]) -> Callable[[Term], Text]:
    def cell(it: Term) -> Text:
        value = getattr(it, field).get(size)
        return Text("" if value is None else shown(value))

    return cell
