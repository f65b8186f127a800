"""What the report of many sessions says, in words and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ciphermark.record.case_row import settled
from ciphermark.show import figures
from ciphermark.show.column import Cell, Fact, number_cell, share_cell
from ciphermark.workloads import flows
from ciphermark.workloads.sessions import remarks
from ciphermark.workloads.sessions.columns import columns
from ciphermark.workloads.sessions.figures import MOST_CLOCK_SPREAD, MOST_OFFSET_NS
from ciphermark.workloads.sessions.row import SessionRow
from ciphermark.workloads.single.method import ANSWERS, calling, cycles
from ciphermark.workloads.surroundings import surroundings

if TYPE_CHECKING:
    from ciphermark.record.run import Context, Run


def session_page(run: Run, rows: list[SessionRow]) -> dict[str, Any]:
    """All that the template needs but the plots."""
    measured = [row for row in rows if row.is_measured]
    return surroundings(run, rows) | {
        "facts": _facts(run.context, rows),
        "remarks": [sentence for _, sentence in remarks.remarks(rows)],
        **flows.summary(list(columns(measured)), measured),
        "rejected": [
            {
                "case": remarks.case(row),
                "outcome": remarks.outcome(row),
                "attempts": remarks.rejected(row),
            }
            for row in sorted(rows, key=lambda row: row.valid)
            if remarks.rejected(row)
        ],
        "extremes": [_extremes(row) for row in measured if row.sessions > 1],
        "method": _method(run.context),
    }


def _facts(context: Context, rows: list[SessionRow]) -> list[Fact]:
    attempts = sum(len(row.attempts) for row in rows)
    count = settled(rows)
    most = figures.grouped(flows.most_of(rows, "sessions"))
    valid = f"{count.settled} of {count.cases}"
    counted = Fact("Valid", valid, figures.counted(attempts, "execution"))
    return flows.facts(context, rows, ("Sessions at once", most), counted)


def _extremes(row: SessionRow) -> list[Cell]:
    """Who had most and least CPU time, and how far sessions lie apart."""
    cells = [Cell(remarks.case(row))]
    for served in (row.most_scheduled, row.least_scheduled):
        cells += [
            Cell("" if served is None else f"session {served.session}"),
            number_cell(None if served is None else served.cpu_ns / 1e6),
            number_cell(None if served is None else served.apparent_cycles_per_byte),
        ]
    spreads = (row.cpu_spread, row.apparent_spread)
    return [*cells, *map(share_cell, spreads)]


def _method(context: Context) -> dict[str, str]:
    """Heading and paragraph of each rule."""
    return {
        "Sessions": (
            "Each session has a key, nonces and buffers of its own, and takes one message after "
            "the other. It has a thread of its own, or takes turns with others on a thread for "
            "each CPU where that is said. All are made ready, wait, and start at once."
        ),
        **calling(context.plan),
        "Window": (
            "The window opens when every thread has run. At both edges the CPU time and the "
            "work of each thread are read; only the difference counts. Sessions go on after the "
            "window, so that none stops within it."
        ),
        "Absolute and apparent": (
            "Absolute cycles per byte are the CPU time of all sessions, as cycles, divided by "
            "their bytes: the cost of the work. Apparent cycles per byte are the elapsed time, "
            "as cycles, divided by the same bytes. On one CPU the two differ only by the time "
            "of other work on it; on p CPUs the apparent ones fall towards the p-th part. "
            "Wall-clock cycles per byte are those of one session, which waits for the others."
        ),
        "Cycles": cycles(context.engine_hello.environment.clocks),
        "Estimate": (
            f"Where wall clocks of CPUs differ by more than {MOST_OFFSET_NS / 1e3:g} µs, or "
            f"their core clocks by more than {figures.percent(MOST_CLOCK_SPREAD, 1)}, the "
            "absolute figure is the apparent one times the number of CPUs that the sessions "
            "kept busy by the kernel's accounts."
        ),
        "Fairness": (
            "Jain's index of the bytes that each session did: 1 when all did the same, 1/n when "
            "one of n did everything."
        ),
        "Validity": (
            "Each execution is checked: whether others used the CPUs, the rate was steady, "
            "every session ran, there were enough messages, the clock was constant, and CPU "
            "time was evenly shared. If a check fails, times are adjusted and the execution is "
            "repeated; every attempt is listed with the reason of its rejection."
        ),
        "Answers": ANSWERS,
    }
