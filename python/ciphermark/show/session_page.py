"""What the report of many sessions says, in words and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ciphermark.analyse.session_findings import findings as found_in
from ciphermark.analyse.session_row import SessionRow
from ciphermark.plan.cpu_sets import listed
from ciphermark.show import figures, session_findings, session_words
from ciphermark.show.cells import Cell, Fact
from ciphermark.show.problems import UNSETTLED
from ciphermark.show.session_method import session_method
from ciphermark.show.session_words import ESTIMATED, TURNS
from ciphermark.show.surroundings import surroundings

if TYPE_CHECKING:
    from ciphermark.record.run import Context, Run
    from ciphermark.studies.study import Findings

HEADS = [
    ("", ["Algorithm", "Operation", "Implementation", "Called", "Message", "Sessions", "CPUs"]),
    ("cycles/byte", ["absolute", "apparent", "a session"]),
    ("", ["MB/s", "device CPUs"]),
    ("latency, µs", ["p50", "p90", "p99", "p99.9"]),
    ("fairness of", ["bytes", "CPU time"]),
    ("in the window", ["preemptions", "waits", "migrations", "never ran"]),
    ("", ["KiB each", "GHz"]),
]
"""Columns in groups, in the order of `_cells`."""

WORDS = 7
"""Columns that hold words."""


def session_page(run: Run, rows: list[SessionRow], findings: Findings | None) -> dict[str, Any]:
    """All that the template needs but the plots."""
    measured = [row for row in rows if row.is_measured]
    found = found_in(run, rows)
    return surroundings(run, rows, findings) | {
        "facts": _facts(run.context, rows),
        "remarks": [
            *(sentence for _, sentence in session_words.remarks(rows)),
            *session_findings.sentences(rows, found),
        ],
        "summary_heads": [
            {"name": name, "columns": columns, "numbers": place > 0}
            for place, (name, columns) in enumerate(HEADS)
        ],
        "summary": [{"section": _section(row), "cells": _cells(row)} for row in measured],
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


def _cells(row: SessionRow) -> list[Cell]:
    implementation = " · ".join(it for it in (row.provider, row.backend) if it != "default")
    called = session_words.conditions(row)
    mark = TURNS if row.threads == "per-cpu" else ""
    latency = row.latency_ns
    return [
        Cell(row.algorithm, row.algorithm, mark="name"),
        Cell(row.operation, row.operation),
        Cell(implementation, implementation),
        Cell(called, called),
        Cell("" if row.size is None else figures.message_size(row.size), row.message_bytes),
        Cell(mark + figures.grouped(row.sessions), row.sessions),
        Cell(listed(row.cpus), row.cores),
        _doubted(row, row.absolute_cycles_per_byte, ESTIMATED * row.absolute_is_estimated),
        _doubted(row, row.apparent_cycles_per_byte),
        _number(row.wall_cycles_per_byte),
        _number(row.mbytes_per_second),
        _number(row.device_cpus),
        *(
            _number(latency and getattr(latency, name) / 1e3)
            for name in ("p50", "p90", "p99", "p999")
        ),
        _index(row.fairness),
        _index(row.cpu_fairness),
        *(_count(it) for it in (row.preemptions, row.waits, row.migrations, row.never_ran)),
        _number(None if row.session_bytes is None else row.session_bytes / 1024),
        _number(row.core_hz and row.core_hz / 1e9),
    ]


def _doubted(row: SessionRow, value: float | None, mark: str = "") -> Cell:
    """A figure that is marked where it is not valid."""
    cell = _number(value, mark if row.valid else UNSETTLED + mark)
    return cell if row.valid else Cell(cell.text, value, mark="number unsettled")


def _number(value: float | None, mark: str = "") -> Cell:
    if value is None:
        return Cell("", mark="number")
    shown = figures.significant(value, separator=figures.NARROW_SPACE)
    return Cell(mark + shown, value, mark="number")


def _index(value: float | None) -> Cell:
    return Cell("" if value is None else f"{value:.4f}", value, mark="number")


def _count(value: int | None) -> Cell:
    shown = "" if value is None else figures.grouped(value, separator=figures.NARROW_SPACE)
    return Cell(shown, value, mark="number")


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
            _number(served.cpu_ns / 1e6),
            _number(apparent),
        ]
    spreads = (row.cpu_spread, row.apparent_spread)
    return cells + [
        Cell("" if it is None else figures.percent(it), it, mark="number") for it in spreads
    ]
