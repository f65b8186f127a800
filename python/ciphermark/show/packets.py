"""The figures of packets on a terminal, as many columns as it is wide."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ciphermark.analyse.packet_row import PacketRow
from ciphermark.plan.cpu_sets import listed
from ciphermark.show import figures, packet_words
from ciphermark.show.fitting import Column, print_groups, print_left_out
from ciphermark.show.problems import UNSETTLED, print_failures

NAMED = 3
"""Cases that did not settle that are named; the report names all."""


def print_packets(console: Console, rows: list[PacketRow]) -> None:
    """Prints the table of a run, what failed and what did not settle, and what the columns mean."""
    measured = [row for row in rows if row.is_measured]
    left_out = print_groups(console, _columns(measured), list(_groups(measured).items()))
    print_failures(console, rows)
    _print_remarks(console, rows)
    _print_unsettled(console, rows)
    print_left_out(console, left_out)


def _groups(rows: list[PacketRow]) -> dict[str, list[PacketRow]]:
    """Rows by what is done to the packets and by whom, in the order of the plan."""
    grouped: dict[str, list[PacketRow]] = {}
    for row in rows:
        grouped.setdefault(packet_words.function(row), []).append(row)
    return grouped


def _columns(rows: list[PacketRow]) -> list[Column[PacketRow]]:
    """Cycles first; what makes room for them on a narrow terminal last."""
    found = [
        Column("\npacket", lambda row: Text(packet_words.size(row)), left=True),
        _count("packets", rows),
        Column("\nCPUs", lambda row: Text(listed(row.cpus)), left=True),
        _count("batch", rows),
        Column("cycles/packet\ntransfer", _figure("transfer_cycles_per_packet")),
        Column("\nprocessing", _settled("processing_cycles_per_packet")),
        Column("\nactual", _settled("actual_cycles_per_packet")),
    ]
    if any(row.cycles_per_bit is not None for row in rows):
        found += [
            Column("actual\ncycles/bit", _settled("cycles_per_bit"), 2),
            Column("cycles/byte\nprocessing", _settled("processing_cycles_per_byte"), 3),
            Column("function alone\nhot", _figure("hot_cycles_per_byte"), 6, "function hot"),
            Column("\ncold", _figure("cold_cycles_per_byte"), 6, "cold"),
        ]
    found.append(Column("million\npackets/s", _millions))
    if any(row.mbytes_per_second is not None for row in rows):
        found.append(Column("\nMB/s", _figure("mbytes_per_second"), 4, "MB/s"))
    found += [
        Column("latency\np50 µs", _latency("p50"), 7, "latency"),
        Column("\np99 µs", _latency("p99"), 5, "latency p99"),
        Column("\nlost", _figure("lost"), 8, "lost"),
        Column("\ntwice", _figure("duplicated"), 8, "delivered twice"),
    ]
    if any(map(packet_words.conditions, rows)):
        found.append(
            Column("called", lambda row: Text(packet_words.conditions(row), "dim"), left=True)
        )
    return found


def _count(field: str, rows: list[PacketRow]) -> Column[PacketRow]:
    """A number that stays on the screen where it tells cases apart."""
    differs = len({getattr(row, field) for row in rows}) > 1
    return Column(
        f"\n{field}",
        lambda row: Text(figures.grouped(getattr(row, field))),
        1 if differs else 9,
        field,
    )


def _settled(field: str) -> Callable[[PacketRow], Text]:
    """A figure, marked where it is less sure than wanted."""

    def cell(row: PacketRow) -> Text:
        value = getattr(row, field)
        if value is None or row.converged:
            return _plain(value)
        return Text(UNSETTLED + figures.signed(value), style="yellow")

    return cell


def _figure(field: str) -> Callable[[PacketRow], Text]:
    return lambda row: _plain(getattr(row, field))


def _plain(value: float | None) -> Text:
    return Text("" if value is None else figures.signed(value))


def _millions(row: PacketRow) -> Text:
    return _plain(row.packets_per_second and row.packets_per_second / 1e6)


def _latency(field: str) -> Callable[[PacketRow], Text]:
    return lambda row: _plain(row.latency_ns and getattr(row.latency_ns, field) / 1e3)


def _print_remarks(console: Console, rows: list[PacketRow]) -> None:
    remarks = list(packet_words.remarks(rows))
    if remarks:
        console.print()
    for remark in remarks:
        console.print(Text(f"· {remark}", style="dim"))


def _print_unsettled(console: Console, rows: list[PacketRow]) -> None:
    """The cases whose figures are less sure than wanted, with why."""
    found = list(packet_words.unsettled(rows))
    if not found:
        return
    measured = sum(row.is_measured for row in rows)
    console.print()
    count = f"{len(found)} of {figures.counted(measured, 'case')}"
    console.print(Text(f"{UNSETTLED} {count} did not settle", style="yellow"))
    for row, why in found[:NAMED]:
        line = f"{packet_words.case(row)}: {why}"
        console.print(Padding(Text(line, style="dim"), (0, 0, 0, 2)))
    if rest := max(0, len(found) - NAMED):
        console.print(Padding(Text(f"and {rest} more, in the report", style="dim"), (0, 0, 0, 2)))
