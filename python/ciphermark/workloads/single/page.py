"""What the report of a survey says, in words and tables; how it looks is in `templates`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ciphermark.record.case_row import settled
from ciphermark.show import figures
from ciphermark.show.column import Cell, Fact, page_cells, page_heads
from ciphermark.show.problems import TIE, UNSETTLED, cost, unsettled
from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.possible import is_cost
from ciphermark.workloads.single import cost_card, matrix, patterns
from ciphermark.workloads.single.columns import AT_MOST, MEANING, columns, has_bounds
from ciphermark.workloads.single.cost_card import Step
from ciphermark.workloads.single.left_behind import left_behind, sentence
from ciphermark.workloads.single.method import method
from ciphermark.workloads.single.patterns import PatternCost, pattern_costs
from ciphermark.workloads.single.ratio import ratios_of
from ciphermark.workloads.single.row import Row, clock_of_rates
from ciphermark.workloads.single.sections import Line, Section, lines, packet_bytes, sections, sizes
from ciphermark.workloads.surroundings import SOUND, surroundings

if TYPE_CHECKING:
    from ciphermark.record.run import Context, Run
    from ciphermark.statistics.line import Line as FittedLine
    from ciphermark.workloads.single.cost_card import CostCard


def page(run: Run, rows: list[Row], cards: list[CostCard]) -> dict[str, Any]:
    """All that the template of a survey needs but the plots."""
    context = run.context
    arranged = sections(context, rows, cards)
    table = list(columns(arranged, rows))
    return surroundings(run, rows) | {
        "facts": _facts(context, rows),
        "packet_size": _packet_size(arranged),
        "leaders": list(_leaders(arranged)),
        "matrix": matrix.views(context, rows, ratios_of(run)),
        "summary_heads": page_heads(table),
        "summary": [
            {"section": section.title, "cells": page_cells(table, line)}
            for section in arranged
            for line in section.lines
        ],
        "sections": [section.title for section in arranged],
        "patterns": _patterns(rows),
        "stepped": _stepped(lines(arranged)),
        "cost_cards": _cost_rows(lines(arranged)),
        "unsettled": unsettled(rows),
        "left_behind": [sentence(it) for it in left_behind(run)],
        "tie": TIE,
        "clock": clock_of_rates(rows),
        "card_legend": [*cost_card.legend(cards)],
        "upper_bounds": f"{AT_MOST} {MEANING}" if has_bounds(rows) else "",
        "precision": f"{100 * context.precision:g} %",
        "method": method(context),
    }


def _facts(context: Context, rows: list[Row]) -> list[Fact]:
    clocks = context.engine_hello.environment.clocks
    count = settled(rows)
    answers = (
        f"{figures.counted(count.failed, 'case')} failed"
        if count.failed
        else "every answer was right"
    )
    return [
        Fact(
            "Core clock",
            figures.clock(context.core_hz or 0),
            "at the start",
        ),
        Fact(
            "Core cycles",
            clocks.cycle_source,
            f"residual {figures.percent(clocks.cycle_residual, 1)}",
        ),
        Fact("Verified", figures.counted(count.cases - count.failed, "case"), answers),
        Fact(
            f"Settled to ±{100 * context.precision:g} %",
            figures.percent(count.settled / count.cases, 3) if rows else "none",
            f"{count.settled} of {count.cases}",
        ),
        Fact("Took", f"{context.elapsed_s:.0f} s", _effort(context)),
    ]


def _effort(context: Context) -> str:
    if context.bye is None:
        return "the engine did not end by itself"
    samples = figures.grouped(context.bye.samples, separator=figures.NARROW_SPACE)
    return f"{context.bye.rounds} rounds, {samples} samples"


def _leaders(arranged: list[Section]) -> Iterable[dict[str, str]]:
    """The cheapest sound implementation of each section, at the message that a packet carries. What
    has no interval decides nothing."""
    packet = packet_bytes(sizes(arranged))
    for section in arranged:
        candidates = [
            (row.cycles_per_byte, line, row)
            for line in section.lines
            if line.algorithm.status in SOUND
            and (row := line.by_size.get(packet or 0))
            and row.cycles_per_byte is not None
            and row.ci_low is not None
        ]
        if candidates:
            cycles, line, row = min(candidates, key=lambda candidate: candidate[0])
            yield {
                "section": section.title,
                "algorithm": line.algorithm.title,
                "implementation": line.implementation,
                "cycles": _figure(row, cycles).text,
                "throughput": _figure(row, row.mbytes_per_second).text,
            }


def _packet_size(arranged: list[Section]) -> str:
    packet = packet_bytes(sizes(arranged))
    return figures.message_size(packet) if packet else ""


def _number(value: float | None) -> str:
    return "" if value is None else figures.significant(value, separator=figures.NARROW_SPACE)


def _name(line: Line) -> Cell:
    """The algorithm, with its status where that is a warning."""
    algorithm = line.algorithm
    warning = "" if algorithm.status in SOUND else algorithm.status
    return Cell(algorithm.title, algorithm.title, warning, "name")


def _figure(row: Row | None, value: float | None, note: str = "", mark: str = "number") -> Cell:
    if row is None or value is None:
        return Cell("", mark="number")
    if row.converged:
        return Cell(_number(value), value, note, mark)
    return Cell(f"{UNSETTLED}{_number(value)}", value, note, f"{mark} unsettled")


def _patterns(rows: list[Row]) -> dict[str, Any] | None:
    """What the section on calling patterns says; nothing where there is one pattern only."""
    costs = pattern_costs(rows)
    if not costs:
        return None
    sizes = patterns.sizes(costs)
    return {
        "verdict": patterns.verdict(costs),
        "sentences": patterns.sentences(costs),
        "sizes": [figures.message_size(size) for size in sizes],
        "rows": [
            {
                "first": cost is alike[0],
                "cells": _pattern_cells(cost, sizes),
            }
            for alike in costs
            for cost in alike
        ],
    }


def _pattern_cells(cost: PatternCost, sizes: list[int]) -> list[Cell]:
    row = cost.row
    words = (row.algorithm, row.operation, patterns.implementation(cost), patterns.pattern(cost))
    return [*map(Cell, words), *(_pattern_cell(cost, size) for size in sizes)]


def _pattern_cell(cost: PatternCost, size: int) -> Cell:
    """Cycles per message, before them how many times the best that is."""
    if size not in cost.by_size:
        return Cell("", mark="number")
    row, times = cost.by_size[size]
    mark = "number dear" if size in cost.dear() else "number"
    return _figure(row, row.cycles_per_message, figures.times(times.value), mark)


def _stepped(shown: list[Line]) -> bool:
    return any(line.step for line in shown)


def _cost_rows(shown: list[Line]) -> list[list[Cell]]:
    stepped = _stepped(shown)
    return [
        _cost_row(line, line.card, fitted, stepped)
        for line in shown
        if line.card
        for fitted in _ranges(line.card)
    ]


def _ranges(card: CostCard) -> Iterator[tuple[FittedLine, float]]:
    """Each line of a card with the size up to which it holds."""
    ends = [*(it.start for it in card.lines[1:]), card.sizes[-1]]
    return zip(card.lines, ends, strict=True)


def _cost_row(
    line: Line, card: CostCard, fitted: tuple[FittedLine, float], stepped: bool
) -> list[Cell]:
    part, end = fitted
    sizes_ = " to ".join(figures.message_size(int(size)) for size in (part.start, end))
    worst = f"at {figures.message_size(card.largest_residual_bytes)}"
    return [
        _name(line),
        Cell(line.operation),
        Cell(line.implementation),
        Cell(cost_card.fixed(part, figures.NARROW_SPACE), mark="number"),
        _interval(part.fixed),
        Cell(cost(part.slope, figures.NARROW_SPACE), mark="number"),
        _interval(part.slope),
        Cell(sizes_, mark="number"),
        Cell(figures.percent(card.largest_residual), note=worst, mark="number"),
        *(_step_cells(line.step) if stepped else []),
        Cell(cost_card.remark(card)),
    ]


def _interval(estimate: Estimate) -> Cell:
    if estimate.low is None or not is_cost(estimate):
        return Cell("", mark="number")
    return Cell(f"{_number(estimate.low)} to {_number(estimate.high)}", mark="number")


def _step_cells(step: Step | None) -> list[Cell]:
    """What a message and a byte cost more than with one key and hot buffers."""
    added = (step.per_message, step.per_byte) if step else (None, None)
    return [cell for estimate in added for cell in _added(estimate)]


def _added(estimate: Estimate | None) -> list[Cell]:
    if estimate is None:
        return [Cell("", mark="number")] * 2
    half = None if estimate.low is None else estimate.half
    value, *ends = (
        figures.difference(it, half, figures.NARROW_SPACE) for it in estimate if it is not None
    )
    return [Cell(value, mark="number"), Cell(" to ".join(ends), mark="number")]
