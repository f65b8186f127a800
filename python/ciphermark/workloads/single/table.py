"""The figures of a survey on a terminal, as many columns as it is wide."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ciphermark.record.case_row import CALLING, key
from ciphermark.show import figures
from ciphermark.show.fitting import Column, print_groups, print_left_out
from ciphermark.show.problems import FAILED, UNSETTLED, Problem, print_failures, unsettled
from ciphermark.statistics.estimate import Estimate
from ciphermark.workloads.single import method
from ciphermark.workloads.single import show_cost_card as cost_card
from ciphermark.workloads.single.fastest import fastest
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.sections import Line, Section, lines, packet_bytes, sections, sizes
from ciphermark.workloads.single.show_patterns import print_patterns
from ciphermark.workloads.single.upper_bounds import AT_MOST, MEANING, bound, has_bounds
from ciphermark.workloads.suites.parts import parts_figures
from ciphermark.workloads.suites.show_parts import print_parts

if TYPE_CHECKING:
    from ciphermark.record.run import Context
    from ciphermark.workloads.single.cost_card import CostCard

SMALLER = "*"
"""Mark beside the throughput of a message that is smaller than a packet."""

STATUS_STYLES = {"broken": "red", "legacy": "yellow"}
"""Statuses that are said beside the name. The others are what people expect."""

LISTED = 3
"""Unsettled cases that are named; the report names all."""

MOST_LINES = 400
"""A survey of today's algorithms stays below, whatever is installed; one of all does not."""


def print_survey(
    console: Console, context: Context, rows: list[Row], cards: list[CostCard]
) -> None:
    """Prints the table of a run, what failed, and what the marks mean."""
    facts = {it.name: it for it in context.algorithms}
    suites = [row for row in rows if row.algorithm in facts and facts[row.algorithm].suite]
    # The parts of suites stand beside them, in a table of their own.
    every = sections(context, suites or rows, cards)
    arranged = _shortened(every)
    groups = [(section.title, section.lines) for section in arranged]
    left_out = print_groups(console, _columns(arranged, rows), groups)
    print_patterns(console, rows)
    if suites:
        print_parts(console, parts_figures(context.algorithms, rows))
    print_failures(console, rows)
    _print_legend(console, context, arranged, rows, unsettled(rows))
    print_left_out(console, left_out)
    _print_shortened(console, context, len(lines(arranged)), len(lines(every)))


def _shortened(every: list[Section]) -> list[Section]:
    """All sections, or of many lines those that are the fastest at some size."""
    if len(lines(every)) <= MOST_LINES:
        return every
    return [replace(section, lines=_fastest(section)) for section in every]


def _fastest(section: Section) -> list[Line]:
    """The lines of which a row is the fastest of its algorithm, size and way of calling.

    Lines without a figure, which have no rival, stay.
    """
    rivals: dict[Hashable, list[Row]] = {}
    for line in section.lines:
        for size, row in line.by_size.items():
            rivals.setdefault((row.algorithm, size, *key(row, CALLING)), []).append(row)
    winners = {row.case for rows in rivals.values() if (row := fastest(rows))}
    return [
        line
        for line in section.lines
        if not line.by_size or any(row.case in winners for row in line.by_size.values())
    ]


def _print_shortened(console: Console, context: Context, shown: int, every: int) -> None:
    if shown == every:
        return
    note = (
        f"{figures.counted(shown, 'line')} of {figures.grouped(every)}: the fastest at some size. "
        f"All: ciphermark export {context.run} --format markdown, or the report"
    )
    console.print(Text(note, style="dim"))


def _columns(arranged: list[Section], rows: list[Row]) -> list[Column[Line]]:
    shown = lines(arranged)
    measured = sizes(arranged)
    found = [Column("cycles/byte", _name, left=True)]
    found += [_size_column(size, measured, _failed(rows)) for size in measured]
    cards = [line.card for line in shown if line.card]
    if cards:
        known = any(card.long.fixed.low is not None for card in cards)
        if any(len(card.lines) > 1 for card in cards):
            found.append(Column(f"{cost_card.FROM}\nsize", _start, 8, "size of the cost card"))
        found.append(Column("cycles/\nmessage", _fixed))
        if known:
            found.append(Column("", _fixed_interval, 8, "± of the cost card"))
        found.append(Column("+ cycles/\nbyte", _slope))
        if known:
            found.append(Column("", _slope_interval, 8, "± of the cost card"))
    if any(line.step for line in shown):
        found += [
            Column("step/\nmessage", _step_message, 3),
            Column("", _step_message_interval, 8, "± of the step"),
            Column("step/\nbyte", _step_byte, 3),
            Column("", _step_byte_interval, 8, "± of the step"),
        ]
    if any(line.setup for line in shown):
        found.append(Column("cycles/\nkey setup", _setup, 7, "key setup"))
    packet = packet_bytes(measured)
    if packet is not None:
        heading = f"MB/s at\n{figures.message_size(packet)}"
        found.append(Column(heading, lambda line: _throughput(line, packet), 1))
    found.append(Column("provider", lambda line: Text(line.provider), left=True))
    if any(line.way for line in shown):
        found.append(Column("called", lambda line: Text(line.way, style="dim"), left=True))
    found.append(Column("backend", lambda line: Text(line.backend, style="dim"), 4, left=True))
    return found


def _failed(rows: list[Row]) -> set[tuple[str, str, str, int | str | None]]:
    return {
        (row.algorithm, row.operation, row.provider, row.size)
        for row in rows
        if row.error is not None
    }


def _size_column(
    size: int | str,
    measured: list[int | str],
    failed: set[tuple[str, str, str, int | str | None]],
) -> Column[Line]:
    """Sizes make room for others but the smallest, the largest and the packet, which tell most."""
    telling = size in (measured[0], measured[-1], packet_bytes(measured))

    def cell(line: Line) -> Text:
        row = line.by_size.get(size)
        if row is not None:
            return _figure_or_bound(row, row.cycles_per_byte)
        case = (line.algorithm.name, line.operation, line.provider, size)
        return Text(FAILED if case in failed else "", style="red")

    return Column(figures.message_size(size), cell, 0 if telling else 5 + measured.index(size) % 2)


def _name(line: Line) -> Text:
    status = line.algorithm.status
    name = Text(line.algorithm.name)
    if status in STATUS_STYLES:
        name.append(f" {status}", style=STATUS_STYLES[status])
    return name


def _figure(row: Row | None, value: float | None) -> Text:
    """A figure of a row, marked where the row did not settle."""
    if row is None or value is None:
        return Text("")
    if row.converged:
        return Text(figures.significant(value))
    return Text(UNSETTLED + figures.significant(value), style="yellow")


def _figure_or_bound(row: Row | None, value: float | None) -> Text:
    """The same of cycles, with the upper bound where there is no figure."""
    return _figure(row, value) if value is not None else Text(bound(row), style="dim")


def _start(line: Line) -> Text:
    return Text(cost_card.start(line.card) if line.card else "", style="dim")


def _fixed(line: Line) -> Text:
    if line.card is None:
        return Text("")
    return Text(cost_card.mark(line.card) + cost_card.fixed_cost(line.card.long))


def _fixed_interval(line: Line) -> Text:
    return _interval(line.card and line.card.long.fixed)


def _slope(line: Line) -> Text:
    return Text(f"+ {figures.significant(line.card.long.b)}" if line.card else "")


def _slope_interval(line: Line) -> Text:
    return _interval(line.card and line.card.long.slope)


def _interval(estimate: Estimate | None) -> Text:
    return Text(cost_card.half_width(estimate) if estimate else "", style="dim")


def _step_message(line: Line) -> Text:
    return _difference(line.step and line.step.per_message)


def _step_message_interval(line: Line) -> Text:
    return _uncertainty(line.step and line.step.per_message)


def _step_byte(line: Line) -> Text:
    return _difference(line.step and line.step.per_byte)


def _step_byte_interval(line: Line) -> Text:
    return _uncertainty(line.step and line.step.per_byte)


def _difference(estimate: Estimate | None) -> Text:
    if estimate is None:
        return Text("")
    half = None if estimate.low is None else estimate.half
    return Text(figures.difference(estimate.value, half))


def _uncertainty(estimate: Estimate | None) -> Text:
    """Half of the interval of a difference, to two digits."""
    if estimate is None or estimate.low is None:
        return Text("")
    return Text(f"±{figures.significant(estimate.half, 2)}", "dim")


def _setup(line: Line) -> Text:
    return _figure_or_bound(line.setup, line.setup and line.setup.cycles_per_message)


def _throughput(line: Line, packet: int) -> Text:
    row = line.packet_row(packet)
    shown = _figure(row, row and row.mbytes_per_second)
    return Text(SMALLER) + shown if _is_smaller(row, packet) else shown


def _is_smaller(row: Row | None, packet: int) -> bool:
    """Whether a throughput is shown that is not of a packet."""
    return row is not None and row.mbytes_per_second is not None and row.message_bytes != packet


def _print_legend(
    console: Console,
    context: Context,
    arranged: list[Section],
    rows: list[Row],
    open_cases: list[Problem],
) -> None:
    legend = Table.grid(padding=(0, 1))
    for mark, meaning in _legend(context, arranged, rows, open_cases):
        legend.add_row(Text(mark, style="dim"), Text(meaning, style="dim"))
    if legend.row_count:
        console.print()
        console.print(legend)


def _legend(
    context: Context, arranged: list[Section], rows: list[Row], open_cases: list[Problem]
) -> Iterator[tuple[str, str]]:
    """The marks that occur, each with what it means."""
    if over_groups := method.over_groups(context):
        yield "", over_groups
    if open_cases:
        measured = sum(row.error is None for row in rows)
        yield (
            UNSETTLED,
            f"{len(open_cases)} of {figures.counted(measured, 'case')} did not settle "
            f"to ±{100 * context.precision:g} %: {_named(open_cases)}",
        )
    if has_bounds(rows):
        yield AT_MOST, MEANING
    if loops := _loops_that_may_show(context, rows):
        yield (
            "",
            f"figures of short messages may be up to {figures.significant(max(loops))} cycles a "
            "message too low: the loop's cost was subtracted, and can be hidden behind their work",
        )
    yield from cost_card.legend(line.card for line in lines(arranged))
    if any(line.step for line in lines(arranged)):
        yield "step", "cycles that it costs more than with one key and hot buffers"
    packet = packet_bytes(sizes(arranged))
    if packet and any(_is_smaller(line.packet_row(packet), packet) for line in lines(arranged)):
        size = figures.message_size(packet)
        yield SMALLER, f"at the largest message up to {size} that was measured"


def _loops_that_may_show(context: Context, rows: list[Row]) -> list[float]:
    """Cycles of the loops that were subtracted, where they are more than the wanted precision."""
    return [
        row.loop_cycles
        for row in rows
        if row.loop_cycles
        and row.cycles_per_message
        and row.loop_cycles > context.precision * row.cycles_per_message
    ]


def _named(open_cases: list[Problem]) -> str:
    named = [f"{problem.what} ({problem.why})" for problem in open_cases[:LISTED]]
    rest = len(open_cases) - LISTED
    return "; ".join(named) + (f"; and {rest} more" if rest > 0 else "")
