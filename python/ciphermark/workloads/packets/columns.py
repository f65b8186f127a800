"""The columns of packets, for a terminal, a report and exports, and their table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ciphermark.plan.cpu_sets import listed
from ciphermark.record.case_row import settled
from ciphermark.show import figures
from ciphermark.show.column import Column, Place, count, of_words, printed
from ciphermark.show.frame import print_notes
from ciphermark.show.problems import UNSETTLED, print_failures
from ciphermark.show.tables import print_groups, print_left_out
from ciphermark.statistics.estimate import Estimate
from ciphermark.workloads import energy, flows
from ciphermark.workloads.flows import field, latency_us, together
from ciphermark.workloads.packets import remarks
from ciphermark.workloads.packets.row import Figure, PacketRow

PAGE, TERMINAL = Place.PAGE, Place.TERMINAL

NAMED = 3
"""Cases that did not settle that are named; the report names all."""


def columns(rows: list[PacketRow]) -> Iterator[Column[PacketRow]]:
    """Cycles first; what makes room for them on a narrow terminal last."""
    yield from flows.names(remarks.conditions)
    yield flows.sizes("Packet")
    yield _case("Packets", "packets")
    yield of_words("CPUs", lambda row: listed(row.cpus), order=lambda row: row.cores, key=True)
    yield _case("Batch", "batch")
    a_packet = "cycles/packet\n"
    yield _figure("transfer", "transfer_cycles_per_packet", a_packet + "transfer", dispensable=1)
    for name in ("processing", "actual"):
        yield _settled(
            name,
            f"{name}_cycles_per_packet",
            a_packet + name,
            estimate=partial(_cycles, name=name),
        )
    yield _figure("CPU", "cpu_cycles_per_packet", a_packet + "CPU", places=PAGE)
    yield _settled("actual cycles/bit", "cycles_per_bit", "actual\ncycles/bit", dispensable=2)
    yield _settled(
        "",
        "processing_cycles_per_byte",
        "cycles/byte\nprocessing",
        dispensable=3,
        places=TERMINAL,
    )
    yield _figure("", "processing_cycles_per_byte", "cycles/byte\nprocessing", places=PAGE)
    for state in ("hot", "cold"):
        yield _figure(
            "",
            f"{state}_cycles_per_byte",
            f"function alone\n{state}",
            page_heading=f"cycles/byte\nalone, {state}",
            called="function hot" if state == "hot" else state,
            dispensable=6,
            places=TERMINAL | PAGE,
        )
    yield Column(
        "million/s",
        field("packets_per_second", 1e6),
        "million\npackets/s",
        page_heading="Million/s",
    )
    yield _figure("MB/s", "mbytes_per_second", "MB/s", dispensable=4)
    has_bytes = any(row.packet_bytes != 0 for row in rows)
    yield from energy.columns(lambda row: row.energy, rows, per_message=not has_bytes)
    for name, dispensable in (("p50", 7), ("p90", None), ("p99", 5), ("p999", None)):
        head = "p99.9" if name == "p999" else name
        yield Column(
            f"{head} µs",
            latency_us(name),
            f"latency\n{head} µs",
            page_heading=f"latency, µs\n{head}",
            called="latency" if name == "p50" else f"latency {head}",
            dispensable=dispensable or 0,
            places=PAGE if dispensable is None else Place.EVERYWHERE,
        )
    if any(row.latency_by_priority_ns for row in rows):
        for place, which in ((0, "most"), (-1, "least")):
            yield Column(
                f"{which} urgent p50 µs",
                _latency_of_priority(place),
                f"{which} urgent\np50 µs",
                page_heading=f"latency, µs\n{which} urgent, p50",
                called="latency by priority",
                dispensable=2,
            )
    for name, counted, called in (
        ("lost", "lost", "lost"),
        ("twice", "duplicated", "delivered twice"),
    ):
        heading = f"packets\n{name}"
        yield _count(name, counted, name, page_heading=heading, dispensable=8, called=called)
    yield _count("out of order", "out_of_order", "packets\nout of order", places=PAGE)
    yield _count("queue full", "queue_full", "a pass\nqueue full", places=PAGE)
    yield _count("flushed", "flushed", "a pass\nflushed", places=PAGE)
    yield Column("MiB", field("buffer_bytes", 2**20), places=PAGE)
    yield Column("GHz", field("core_hz", 1e9), places=PAGE)


def _latency_of_priority(place: int) -> Callable[[PacketRow], float | None]:
    def value(row: PacketRow) -> float | None:
        found = row.latency_by_priority_ns
        return found[place].p50 / 1e3 if found else None

    return value


def _figure(name: str, of: str, heading: str, **others: Any) -> Column[PacketRow]:  # noqa: ANN401
    return Column(name, field(of), heading, **others)


def _settled(name: str, of: str, heading: str, **others: Any) -> Column[PacketRow]:  # noqa: ANN401
    """A figure that is marked where it is less sure than wanted."""
    return _figure(name, of, heading, mark=lambda row: "" if row.converged else UNSETTLED, **others)


def _count(name: str, of: str, heading: str, **others: Any) -> Column[PacketRow]:  # noqa: ANN401
    return _figure(name, of, heading, form=count, **others)


def _case(name: str, of: str) -> Column[PacketRow]:
    """A number of the case, which goes first where all rows have the same."""
    return _count(name, of, of, page_heading=name, dispensable=9, key=True)


def _cycles(row: PacketRow, name: Figure) -> Estimate | None:
    return row.cycles(name)


def print_packets(console: Console, rows: list[PacketRow]) -> None:
    """Prints the table of a run, what failed and what did not settle, and what the columns mean."""
    measured = [row for row in rows if row.is_measured]
    groups = list(together(measured, remarks.function).items())
    left_out = print_groups(console, printed(columns(measured), measured), groups)
    print_failures(console, rows)
    _print_remarks(console, rows)
    _print_unsettled(console, rows)
    print_left_out(console, left_out)


def _print_remarks(console: Console, rows: list[PacketRow]) -> None:
    sentences = list(remarks.remarks(rows))
    if sentences:
        console.print()
    print_notes(console, sentences)


def _print_unsettled(console: Console, rows: list[PacketRow]) -> None:
    """The cases whose figures are less sure than wanted, with why."""
    unsettled = list(remarks.unsettled(rows))
    if not unsettled:
        return
    count = settled(rows)
    console.print()
    said = f"{count.unsettled} of {figures.counted(count.cases, 'case')} did not settle"
    console.print(Text(f"{UNSETTLED} {said}", style="yellow"))
    for row, why in unsettled[:NAMED]:
        line = f"{remarks.case(row)}: {why}"
        console.print(Padding(Text(line, style="dim"), (0, 0, 0, 2)))
    if rest := max(0, len(unsettled) - NAMED):
        console.print(Padding(Text(f"and {rest} more, in the report", style="dim"), (0, 0, 0, 2)))
