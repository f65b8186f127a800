"""What the report of simulated processors says, in words and tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ciphermark.analyse.simulation_row import SimulationRow
from ciphermark.record.simulation import Metric
from ciphermark.show import figures, model_tests, simulation_words
from ciphermark.show.cells import Cell, Fact
from ciphermark.show.simulation_lines import Line, lines, sizes, weightiest
from ciphermark.show.simulation_method import simulation_method
from ciphermark.show.simulation_targets import TargetView, view
from ciphermark.show.surroundings import about

if TYPE_CHECKING:
    from ciphermark.analyse.model_tests import ModelTests
    from ciphermark.record.run import Context, Run

MOST_SIZES = 8
"""Columns of sizes in the table; the exports have all."""

WORDS = ["Target", "Figures", "Function", "Operation"]


def simulation_page(run: Run, rows: list[SimulationRow], tests: ModelTests) -> dict[str, Any]:
    """All that the template needs but the plots."""
    shown = lines(rows)
    present = sizes(shown)
    columns = sorted(present[place] for place in weightiest(len(present))[:MOST_SIZES])
    targets = [view(it) for it in run.targets]
    return about(run) | {
        "title": _title(targets),
        "doctor": "",
        "study": None,
        "timed": {},
        "facts": _facts(run.context, rows, targets),
        "remarks": list(simulation_words.remarks(rows)),
        "left_out": len(present) - len(columns),
        "summary_heads": _heads(columns),
        "summary": [
            {"section": line.first.target, "cells": _cells(line, columns)} for line in shown
        ],
        "sections": list(dict.fromkeys(line.first.target for line in shown)),
        "targets": [it for it in targets if not it.reason],
        "missing": [it for it in targets if it.reason],
        "models": model_tests.view(tests),
        "failures": simulation_words.failures(rows),
        "method": simulation_method(rows),
    }


def _title(targets: list[TargetView]) -> str:
    used = [it for it in targets if not it.reason]
    if len(used) == 1:
        return f"What cryptography costs on {used[0].title}, simulated"
    return f"What cryptography costs on {len(used)} simulated processors"


def _facts(context: Context, rows: list[SimulationRow], targets: list[TargetView]) -> list[Fact]:
    measured = [row for row in rows if row.is_measured]
    missing = sum(bool(it.reason) for it in targets)
    algorithms = len({row.algorithm for row in measured})
    failed = len(rows) - len(measured)
    kinds = simulation_words.metrics(rows)
    vectors = sum({_kernel(row): row.vectors_passed for row in measured}.values())
    return [
        Fact(
            "Targets",
            str(len(targets) - missing),
            f"{missing} without tools here" if missing else "all that were asked for",
        ),
        Fact("Algorithms", str(algorithms), figures.counted(len(measured), "figure")),
        _figures_fact(kinds),
        Fact("Vectors passed", figures.grouped(vectors), "on the targets themselves"),
        Fact(
            "Without a figure", figures.grouped(failed), f"of {figures.counted(len(rows), 'case')}"
        ),
        Fact("Took", f"{context.elapsed_s:.0f} s", f"on {context.cpu_name}"),
    ]


def _figures_fact(kinds: list[Metric]) -> Fact:
    if len(kinds) > 1:
        return Fact("Kinds of figures", str(len(kinds)), "not comparable with each other")
    named = simulation_words.METRICS[kinds[0]] if kinds else "none"
    return Fact("Figures", named, "on all targets")


def _kernel(row: SimulationRow) -> tuple[str, ...]:
    """Rows of one operation have the same vectors."""
    return row.target, row.algorithm, row.backend, row.operation


def _heads(columns: Sequence[int]) -> list[dict[str, Any]]:
    """In groups of one unit, in the order of `_cells`."""
    groups = [
        ("", WORDS),
        ("cycles or instructions of a call", ["key setup", *map(figures.message_size, columns)]),
        (f"at {figures.message_size(columns[-1])}", ["per byte", "µs"]) if columns else ("", []),
        ("bytes of", ["code", "context", "stack"]),
    ]
    return [
        {"name": name, "columns": heads, "numbers": heads is not WORDS}
        for name, heads in groups
        if heads
    ]


def _cells(line: Line, columns: Sequence[int]) -> list[Cell]:
    first = line.first
    metric = simulation_words.METRICS[first.metric]
    words = (first.target, metric, line.function, line.operation)
    counts = [line.of_setup(), *map(line.at, columns)]
    memory = [line.most(f"{it}_bytes") for it in ("code", "context", "stack")]
    return [
        *(Cell(word, word, mark="" if place else "name") for place, word in enumerate(words)),
        *map(_count, counts),
        *(_at_largest(line, columns[-1]) if columns else ()),
        *map(_count, memory),
    ]


def _at_largest(line: Line, message_bytes: int) -> list[Cell]:
    """The cost of a byte, and the time at the clock of the target, which instructions lack."""
    value = line.at(message_bytes)
    rows = [row for row in line.own if row.message_bytes == message_bytes and row.value == value]
    per_byte, microseconds = (
        (rows[0].value_per_byte, rows[0].microseconds) if rows else (None, None)
    )
    return [_number(per_byte), _number(microseconds)]


def _count(value: int | None) -> Cell:
    shown = "" if value is None else figures.grouped(value, separator=figures.NARROW_SPACE)
    return Cell(shown, value, mark="number")


def _number(value: float | None) -> Cell:
    shown = "" if value is None else figures.significant(value, separator=figures.NARROW_SPACE)
    return Cell(shown, value, mark="number")
