"""The figures of an imported run on a terminal (throughput, which every program tells), and as a
table for a paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ciphermark.show import figures
from ciphermark.show.export.pivot import Pivot, figure
from ciphermark.show.problems import REMARK
from ciphermark.show.tables import Column, print_groups, print_left_out
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.sections import Line, lines, packet_bytes, sections, sizes

if TYPE_CHECKING:
    from ciphermark.record.run import Context


def print_imported(console: Console, context: Context, rows: list[Row]) -> None:
    """Prints the table of a run, and what its figures do not say."""
    arranged = sections(context, rows, [])
    groups = [(section.title, section.lines) for section in arranged]
    left_out = print_groups(console, _columns(sizes(arranged), lines(arranged)), groups)
    print_left_out(console, left_out)
    console.print()
    print_notes(console, context.notes)


def print_notes(console: Console, notes: Sequence[str]) -> None:
    """A sentence beside each dot."""
    grid = Table.grid(padding=(0, 1))
    for note in notes:
        grid.add_row(Text("·", style="dim"), Text(note, style="dim"))
    console.print(grid)


def _columns(measured: list[int | str], shown: list[Line]) -> list[Column[Line]]:
    """MB/s at each size; what makes room for them on a narrow terminal last."""
    packet = packet_bytes(measured)
    found: list[Column[Line]] = [Column("MB/s", lambda line: Text(line.algorithm.name), left=True)]
    found += [_rates(size, measured) for size in measured]
    if packet is not None:
        found += [
            _at_packet("ns/message", "ns_per_message", packet, 3),
            *(
                [_at_packet("cycles/byte", "cycles_per_byte", packet, 2)]
                if _has_cycles(shown)
                else []
            ),
        ]
    found.append(Column("library", lambda line: Text(line.provider), 1, left=True, key=True))
    at_end: dict[str, Any] = {"left": True, "key": True, "below": True}
    if any(line.way for line in shown):
        found.append(Column("called", lambda line: Text(line.way, "dim"), 7, **at_end))
    found.append(Column("backend", lambda line: Text(line.backend, "dim"), 8, **at_end))
    return found


def _has_cycles(shown: list[Line]) -> bool:
    return any(row.cycles_per_byte is not None for line in shown for row in line.by_size.values())


def _rates(size: int | str, measured: list[int | str]) -> Column[Line]:
    """Sizes make room for others but the smallest, the largest and the packet, which tell most."""
    telling = size in (measured[0], measured[-1], packet_bytes(measured))

    def cell(line: Line) -> Text:
        return _number(line.by_size.get(size), "mbytes_per_second")

    dispensable = 0 if telling else 4 + measured.index(size) % 2
    return Column(figures.message_size(size), cell, dispensable)


def _at_packet(heading: str, field: str, packet: int, dispensable: int) -> Column[Line]:
    title = f"{heading}\nat {figures.message_size(packet)}"
    return Column(
        title, lambda line: _number(line.by_size.get(packet), field), dispensable, heading
    )


def _number(row: Row | None, field: str) -> Text:
    value = None if row is None else getattr(row, field)
    return Text("" if value is None else figures.significant(value))


def pivot(context: Context, rows: list[Row]) -> Pivot:
    """In MB/s, which every program tells, and with what the figures do not say."""
    arranged = sections(context, rows, [])
    measured = sizes(arranged)
    return Pivot(
        "MB/s by message size, as another program said",
        ["Algorithm", "Provider", "Backend", *map(figures.message_size, measured)],
        3,
        {
            section.title: [_pivot_cells(line, measured) for line in section.lines]
            for section in arranged
        },
        [(REMARK, note) for note in context.notes],
    )


def _pivot_cells(line: Line, measured: list[int | str]) -> list[str]:
    backend = " · ".join(filter(None, [line.backend, line.way]))
    found = [line.by_size.get(size) for size in measured]
    rates = [figure(row.mbytes_per_second if row else None) for row in found]
    return [line.algorithm.title, line.provider, backend, *rates]
