"""The figures of packets on a terminal, as many columns as it is wide."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ciphermark.show import figures
from ciphermark.show.column import printed
from ciphermark.show.fitting import print_groups, print_left_out
from ciphermark.show.problems import UNSETTLED, print_failures
from ciphermark.workloads.packets import remarks as packet_words
from ciphermark.workloads.packets.columns import columns
from ciphermark.workloads.packets.row import PacketRow

NAMED = 3
"""Cases that did not settle that are named; the report names all."""


def print_packets(console: Console, rows: list[PacketRow]) -> None:
    """Prints the table of a run, what failed and what did not settle, and what the columns mean."""
    measured = [row for row in rows if row.is_measured]
    left_out = print_groups(
        console, printed(columns(measured), measured), list(_groups(measured).items())
    )
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
