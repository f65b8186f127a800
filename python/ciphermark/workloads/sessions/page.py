"""What the report of many sessions says, in words and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ciphermark.command.surroundings import surroundings
from ciphermark.show import figures
from ciphermark.show.cells import Cell, Fact, number_cell, share_cell
from ciphermark.show.column import page_cells, page_heads
from ciphermark.workloads.sessions import remarks as session_words
from ciphermark.workloads.sessions import show_findings as session_findings
from ciphermark.workloads.sessions.columns import columns
from ciphermark.workloads.sessions.findings import findings as found_in
from ciphermark.workloads.sessions.method import session_method
from ciphermark.workloads.sessions.row import SessionRow

if TYPE_CHECKING:
    from ciphermark.record.run import Context, Run
    from ciphermark.show.findings import Findings


def session_page(run: Run, rows: list[SessionRow], findings: Findings | None) -> dict[str, Any]:
    """All that the template needs but the plots."""
    measured = [row for row in rows if row.is_measured]
    shown = list(columns(measured))
    found = found_in(run, rows)
    return surroundings(run, rows, findings) | {
        "facts": _facts(run.context, rows),
        "remarks": [
            *(sentence for _, sentence in session_words.remarks(rows)),
            *session_findings.sentences(rows, found),
        ],
        "summary_heads": page_heads(shown),
        "summary": [
            {"section": _section(row), "cells": page_cells(shown, row)} for row in measured
        ],
        "sections": list(dict.fromkeys(map(_section, measured))),
        "rejected": [
            {
                "case": session_words.case(row),
                "outcome": session_words.outcome(row),
                "attempts": session_words.rejected(row),
            }
            for row in sorted(rows, key=lambda row: row.valid)
            if session_words.rejected(row)
        ],
        "extremes": [_extremes(row) for row in measured if row.sessions > 1],
        "method": session_method(run.context),
    }


def _facts(context: Context, rows: list[SessionRow]) -> list[Fact]:
    measured = [row for row in rows if row.is_measured]
    valid = sum(row.valid for row in measured)
    failed = sum(row.error is not None for row in rows)
    most = max((row.sessions for row in measured), default=0)
    answers = f"{figures.counted(failed, 'case')} failed" if failed else "every answer was right"
    attempts = sum(len(row.attempts) for row in rows)
    return [
        Fact("Sessions at once", figures.grouped(most), "the most of any case"),
        Fact("CPUs", str(max((row.cores for row in measured), default=0)), "the most of any case"),
        Fact("Core cycles", context.cycle_source, figures.clock(context.core_hz)),
        Fact("Verified", figures.counted(len(rows) - failed, "case"), answers),
        Fact("Valid", f"{valid} of {len(measured)}", figures.counted(attempts, "execution")),
        Fact("Took", f"{context.elapsed_s:.0f} s", figures.counted(len(rows), "case")),
    ]


def _section(row: SessionRow) -> str:
    return f"{row.algorithm} {row.operation}"


def _extremes(row: SessionRow) -> list[Cell]:
    """Who had most and least CPU time, and how far sessions lie apart."""
    cells = [Cell(session_words.case(row))]
    for served in (row.most_scheduled, row.least_scheduled):
        if served is None:
            cells += [Cell(""), Cell("", mark="number"), Cell("", mark="number")]
            continue
        apparent = served.apparent_cycles_per_byte
        cells += [
            Cell(f"session {served.session}"),
            number_cell(served.cpu_ns / 1e6),
            number_cell(apparent),
        ]
    spreads = (row.cpu_spread, row.apparent_spread)
    return [*cells, *map(share_cell, spreads)]
