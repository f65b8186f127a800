"""Screen, report and exports of single messages."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from ciphermark.record.case_row import CALLING, key, settled
from ciphermark.statistics.estimate import Estimate, is_cost
from ciphermark.statistics.line import Line as FittedLine
from ciphermark.view import figures
from ciphermark.view.blocks import Block, Facts, Note, Notes, Section, Table, Template
from ciphermark.view.column import Column, Fact, Place, of_text, of_words
from ciphermark.view.problems import TIE, UNSETTLED, cost, unsettled
from ciphermark.workloads import energy
from ciphermark.workloads.single import code_paths_table, cost_card, matrix, patterns
from ciphermark.workloads.single.code_paths import ablations
from ciphermark.workloads.single.columns import AT_MOST, MEANING, columns, has_bounds
from ciphermark.workloads.single.left_behind import left_behind, sentence
from ciphermark.workloads.single.method import method, older_rule
from ciphermark.workloads.single.ratio import fastest, ratios_of
from ciphermark.workloads.single.row import Row, clock_of_rates
from ciphermark.workloads.single.sections import (
    Line,
    lines,
    packet_bytes,
    sections,
    sizes,
)
from ciphermark.workloads.single.sections import Section as Arranged
from ciphermark.workloads.suites.parts import parts_blocks, parts_figures
from ciphermark.workloads.surroundings import SOUND, failed, surroundings

if TYPE_CHECKING:
    from ciphermark.record.run import Context, Run
    from ciphermark.workloads.single.cost_card import CostCard

PAGE, EXPORT, TERMINAL = Place.PAGE, Place.EXPORT, Place.TERMINAL

LISTED = 3
"""Number of unsettled cases on a terminal."""

MOST_LINES = 400
"""Most lines on a terminal. A survey of today's algorithms has fewer; one of all has more."""

TITLE = "Core cycles per byte by message size"


def blocks(
    context: Context, rows: list[Row], cards: list[CostCard], run: Run | None
) -> Iterator[Block]:
    """Yields the table, calling patterns, parts of suites, charts and cost cards."""
    arranged = sections(context, rows, cards)
    if run is not None:
        yield Facts(facts=_facts(context, rows), places=PAGE)
        yield _leaders(arranged)
        yield _matrix(run, rows)
    yield Section(
        title=TITLE,
        anchor="figures",
        about="Cost cards say what a message and each of its bytes cost, with half of the "
        "95 % interval. Click a heading to sort.",
        blocks=[
            Table(
                columns=list(columns(arranged, rows)),
                rows=lines(arranged),
                section=lambda line: line.section,
                legend=list(_legend(context, arranged, rows)),
                filter="aes openssl",
            ),
            failed(rows),
        ],
        places=PAGE | EXPORT,
    )
    if run is None:
        yield from _on_screen(context, rows, cards, arranged)
    yield from patterns.pattern_blocks(rows)
    if run is None:
        yield from parts_blocks(parts_figures(context.algorithms, rows))
        yield failed(rows)
        return
    from ciphermark.workloads.single.plots import charts

    yield from charts(context, rows, cards)
    yield from beside(run, rows)
    yield _unsettled(context, rows)
    yield _cost_cards(lines(arranged))
    yield from surroundings(run, rows, method(context))


def beside(run: Run, rows: list[Row]) -> Iterator[Block]:
    """Yields the worth of the processor's features, and states that functions leave behind."""
    yield code_paths_table.features(ablations(run, rows))
    shown = {(row.provider, row.algorithm) for row in rows}
    lost = [it for it in left_behind(run) if (it.provider, it.algorithm) in shown]
    yield Section(
        title="Registers that functions leave in use",
        anchor="left-behind",
        about="Every figure is of a clean processor. Upper halves of vector registers that a "
        "function leaves in use slow legacy SSE code after it, until VZEROUPPER is executed.",
        blocks=[Notes.of(map(sentence, lost))],
    )


def _on_screen(
    context: Context, rows: list[Row], cards: list[CostCard], whole: list[Arranged]
) -> Iterator[Block]:
    facts = {it.name: it for it in context.algorithms}
    suites = [row for row in rows if row.algorithm in facts and facts[row.algorithm].suite]
    # The parts of suites stand beside them, in a table of their own.
    every = sections(context, suites, cards) if suites else whole
    arranged = _shortened(every)
    shown = lines(arranged)
    yield Table(
        columns=list(columns(arranged, rows)),
        rows=shown,
        section=lambda line: line.section,
        legend=list(_legend(context, arranged, rows)),
        places=TERMINAL,
    )
    if len(shown) < len(lines(every)):
        note = (
            f"{figures.counted(len(shown), 'line')} of {figures.grouped(len(lines(every)))}: the "
            f"fastest at some size. All: ciphermark export {context.run} --format markdown, or the "
            "report"
        )
        yield Notes.of([note], style="dim", places=TERMINAL)


def _shortened(every: list[Arranged]) -> list[Arranged]:
    """Returns all sections; of many lines only those that are the fastest at some size."""
    if len(lines(every)) <= MOST_LINES:
        return every
    return [replace(section, lines=_fastest(section)) for section in every]


def _fastest(section: Arranged) -> list[Line]:
    """Returns the lines with a row that is the fastest of its case.

    A case is an algorithm, a size and a manner of calling. Lines without a figure have no rival and
    stay.
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


def _legend(context: Context, arranged: list[Arranged], rows: list[Row]) -> Iterator[Note]:
    """Yields the marks that occur, each with its meaning."""
    if older := older_rule(context):
        yield Note(older)
    if open_cases := unsettled(rows):
        count = settled(rows)
        cases = f"{count.unsettled} of {figures.counted(count.cases, 'case')}"
        named = [f"{problem.what} ({problem.why})" for problem in open_cases[:LISTED]]
        rest = len(open_cases) - LISTED
        named += [f"and {rest} more"] if rest > 0 else []
        said = f"{cases} did not settle to ±{100 * context.precision:g} %: {'; '.join(named)}"
        yield Note(said, UNSETTLED)
    if has_bounds(rows):
        yield Note(MEANING, AT_MOST)
    if loops := _loops_that_may_show(context, rows):
        yield Note(
            f"figures of short messages may be up to {figures.significant(max(loops))} cycles a "
            "message too low: the cost of the loop was subtracted, but the processor may hide "
            "it behind their work"
        )
    if clock := clock_of_rates(rows):
        yield Note(clock)
    yield from map(Note, energy.remarks(rows))
    cards = cost_card.legend(line.card for line in lines(arranged))
    yield from (Note(meaning, mark) for mark, meaning in cards)
    if any(line.step for line in lines(arranged)):
        yield Note("extra cycles over one key and hot buffers", "step")


def _loops_that_may_show(context: Context, rows: list[Row]) -> list[float]:
    """Cycles of the loops that were subtracted, where they are more than the wanted precision."""
    return [
        row.loop_cycles
        for row in rows
        if row.loop_cycles
        and row.cycles_per_message
        and row.loop_cycles > context.precision * row.cycles_per_message
    ]


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


def _leaders(arranged: list[Arranged]) -> Template:
    """Returns the cheapest sound implementation of each section, at the message of a packet."""
    packet = packet_bytes(sizes(arranged))
    cheapest = list(_cheapest(arranged, packet or 0))
    content = {"size": figures.message_size(packet or 0), "leaders": cheapest} if cheapest else None
    return Template(name="leaders.html.jinja", content=content)


def _cheapest(arranged: list[Arranged], packet: int) -> Iterator[dict[str, str]]:
    for section in arranged:
        candidates = [
            (row.cycles_per_byte, line, row)
            for line in section.lines
            if line.algorithm.status in SOUND
            and (row := line.by_size.get(packet))
            and row.cycles_per_byte is not None
            # Without an interval a figure decides nothing.
            and row.ci_low is not None
        ]
        if candidates:
            cycles, line, row = min(candidates, key=lambda candidate: candidate[0])
            mark = "" if row.converged else UNSETTLED
            yield {
                "section": section.title,
                "algorithm": line.algorithm.title,
                "implementation": line.implementation,
                "cycles": mark + _number(cycles),
                "throughput": mark + _number(row.mbytes_per_second),
            }


def _number(value: float | None) -> str:
    return "" if value is None else figures.significant(value, separator=figures.NARROW_SPACE)


def _matrix(run: Run, rows: list[Row]) -> Template:
    views = matrix.views(run.context, rows, ratios_of(run))
    content = None if views is None else {"matrix": views, "tie": TIE, "sound": SOUND}
    return Template(name="matrix.html.jinja", content=content)


def _unsettled(context: Context, rows: list[Row]) -> Section:
    notes = [f"{problem.what}: {problem.why}" for problem in unsettled(rows)]
    return Section(
        title="Figures that did not settle, and why",
        anchor="unsettled",
        about=f"These figures are less sure than ±{100 * context.precision:g} %. Measure them "
        "again on a quieter machine or with more time (--budget); ciphermark doctor says what "
        "disturbs.",
        blocks=[Notes.of(notes, numbered=True)],
        places=PAGE,
    )


class _Fitted(NamedTuple):
    """A line of a cost card, up to a size."""

    line: Line
    card: CostCard
    part: FittedLine
    end: float


def _cost_cards(shown: list[Line]) -> Section:
    rows = [
        _Fitted(line, line.card, part, end)
        for line in shown
        if line.card
        for part, end in _ranges(line.card)
    ]
    stepped = any(line.step for line in shown)
    columns: list[Column[_Fitted]] = [
        of_words("Algorithm", lambda it: it.line.algorithm.title, kind="name", note=_warning),
        of_words("Operation", lambda it: it.line.operation),
        of_words("Implementation", lambda it: it.line.implementation),
        of_text("Per message, cycles", lambda it: cost_card.fixed(it.part, figures.NARROW_SPACE)),
        of_text("95 % interval", lambda it: _interval(it.part.fixed)),
        of_text("Per byte, cycles", lambda it: cost(it.part.slope, figures.NARROW_SPACE)),
        of_text("95 % interval", lambda it: _interval(it.part.slope)),
        of_text("Fitted", _sizes),
        Column(
            "Largest error",
            lambda it: it.card.largest_residual,
            form=lambda share, separator: figures.percent(share),
            note=lambda it: f"at {figures.message_size(it.card.largest_residual_bytes)}",
        ),
        *(_of_steps() if stepped else ()),
        of_words("Remark", lambda it: cost_card.remark(it.card)),
    ]
    return Section(
        title="Cost cards with their intervals",
        about="A step is what a message and each of its bytes cost more than with one key and hot "
        "buffers."
        if stepped
        else "",
        blocks=[Table(columns=columns, rows=rows)],
        places=PAGE,
        folded=True,
    )


def _warning(it: _Fitted) -> str:
    status = it.line.algorithm.status
    return "" if status in SOUND else status


def _ranges(card: CostCard) -> Iterator[tuple[FittedLine, float]]:
    """Yields each line of a card with the size up to which it holds."""
    bounds = [*(it.start for it in card.lines[1:]), card.sizes[-1]]
    return zip(card.lines, bounds, strict=True)


def _sizes(it: _Fitted) -> str:
    return " to ".join(figures.message_size(int(size)) for size in (it.part.start, it.end))


def _interval(estimate: Estimate) -> str:
    if estimate.low is None or not is_cost(estimate):
        return ""
    return f"{_number(estimate.low)} to {_number(estimate.high)}"


def _of_steps() -> Iterator[Column[_Fitted]]:
    for heading, name in (("Step per message", "per_message"), ("Step per byte", "per_byte")):
        yield of_text(f"{heading}, cycles", partial(_added, name=name, part=0))
        yield of_text("95 % interval", partial(_added, name=name, part=1))


def _added(it: _Fitted, name: str, part: int) -> str:
    estimate: Estimate | None = None if it.line.step is None else getattr(it.line.step, name)
    if estimate is None:
        return ""
    half = None if estimate.low is None else estimate.half
    value, *interval = (
        figures.difference(end, half, figures.NARROW_SPACE) for end in estimate if end is not None
    )
    return [value, " to ".join(interval)][part]
