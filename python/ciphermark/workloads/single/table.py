"""The figures of a survey: on a terminal, as many columns as it is wide, and as a table for
papers."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ciphermark.record.case_row import CALLING, key, settled
from ciphermark.show import figures
from ciphermark.show.column import Lines, printed
from ciphermark.show.problems import UNSETTLED, Problem, print_failures, unsettled
from ciphermark.show.tables import print_groups, print_left_out
from ciphermark.workloads import energy
from ciphermark.workloads.single import cost_card, method
from ciphermark.workloads.single.columns import (
    AT_MOST,
    COST_CARD,
    MEANING,
    columns,
    has_bounds,
)
from ciphermark.workloads.single.patterns import print_patterns
from ciphermark.workloads.single.ratio import fastest
from ciphermark.workloads.single.row import Row, clock_of_rates
from ciphermark.workloads.single.sections import Line, Section, lines, sections
from ciphermark.workloads.suites.parts import parts_figures, print_parts

if TYPE_CHECKING:
    from ciphermark.record.run import Context
    from ciphermark.workloads.single.cost_card import CostCard

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
    table = printed(columns(arranged, rows), lines(arranged))
    left_out = print_groups(console, table, groups)
    print_patterns(console, rows)
    if suites:
        print_parts(console, parts_figures(context.algorithms, rows))
    print_failures(console, rows)
    has_cards = all(it.called != COST_CARD for it in left_out)
    _print_legend(console, context, arranged, rows, has_cards=has_cards)
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
    winners = {best.case for rows in rivals.values() if (best := fastest(rows))}
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


def _print_legend(
    console: Console,
    context: Context,
    arranged: list[Section],
    rows: list[Row],
    *,
    has_cards: bool,
) -> None:
    legend = Table.grid(padding=(0, 1))
    for mark, meaning in _legend(context, arranged, rows, has_cards=has_cards):
        legend.add_row(Text(mark, style="dim"), Text(meaning, style="dim"))
    if legend.row_count:
        console.print()
        console.print(legend)


def _legend(
    context: Context, arranged: list[Section], rows: list[Row], *, has_cards: bool
) -> Iterator[tuple[str, str]]:
    """The marks that occur, each with what it means."""
    if older_rule := method.older_rule(context):
        yield "", older_rule
    if open_cases := unsettled(rows):
        count = settled(rows)
        yield (
            UNSETTLED,
            f"{count.unsettled} of {figures.counted(count.cases, 'case')} did not settle "
            f"to ±{100 * context.precision:g} %: {_named(open_cases)}",
        )
    if has_bounds(rows):
        yield AT_MOST, MEANING
    if loops := _loops_that_may_show(context, rows):
        yield (
            "",
            f"figures of short messages may be up to {figures.significant(max(loops))} cycles a "
            "message too low: the cost of the loop was subtracted, but the processor may hide "
            "it behind their work",
        )
    if clock := clock_of_rates(rows):
        yield "", clock
    yield from (("", sentence) for sentence in energy.remarks(rows))
    if has_cards:
        yield from cost_card.legend(line.card for line in lines(arranged))
    if any(line.step for line in lines(arranged)):
        yield "step", "extra cycles over one key and hot buffers"


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


def table_lines(context: Context, rows: list[Row], cards: list[CostCard]) -> Lines[Line]:
    """In cycles per byte, a line for each implementation and a column for each size, with cost
    cards and throughput."""
    arranged = sections(context, rows, cards)
    legend = [*cost_card.legend(cards)]
    if has_bounds(rows):
        legend.insert(0, (AT_MOST, MEANING))
    if unsettled(rows):
        legend.insert(0, (UNSETTLED, f"did not settle to ±{100 * context.precision:g} %"))
    title = "Core cycles per byte by message size"
    table = list(columns(arranged, rows))
    return Lines(title, table, lines(arranged), legend, lambda line: line.section)
