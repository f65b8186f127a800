"""What the report of simulated processors says, in words and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ciphermark.contract.simulation import Metric
from ciphermark.show import figures
from ciphermark.show.cells import Fact
from ciphermark.show.column import page_cells, page_heads
from ciphermark.workloads.simulation import remarks as simulation_words
from ciphermark.workloads.simulation import show_model_tests as model_tests
from ciphermark.workloads.simulation.columns import MOST_SIZES, columns
from ciphermark.workloads.simulation.lines import lines, sizes
from ciphermark.workloads.simulation.method import simulation_method
from ciphermark.workloads.simulation.row import SimulationRow
from ciphermark.workloads.simulation.targets import TargetView, view
from ciphermark.workloads.surroundings import about

if TYPE_CHECKING:
    from ciphermark.answers.models.backtests import ModelTests
    from ciphermark.record.run import Context, Run


def simulation_page(run: Run, rows: list[SimulationRow], tests: ModelTests) -> dict[str, Any]:
    """All that the template needs but the plots."""
    shown = lines(rows)
    table = list(columns(shown))
    targets = [view(it) for it in run.targets]
    return about(run) | {
        "title": _title(targets),
        "doctor": "",
        "study": None,
        "timed": {},
        "facts": _facts(run.context, rows, targets),
        "remarks": list(simulation_words.remarks(rows)),
        "left_out": max(0, len(sizes(shown)) - MOST_SIZES),
        "summary_heads": page_heads(table),
        "summary": [
            {"section": line.first.target, "cells": page_cells(table, line)} for line in shown
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
