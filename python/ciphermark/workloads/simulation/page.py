"""What the report of simulated processors says, in words and tables.

Of targets it tells how they were run, what they are taken for, and from where that is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ciphermark.contract.others import Metric, SimulatedTarget, target_of_board
from ciphermark.record.without_engine import description
from ciphermark.run.targets.pipelines.cores import CORES
from ciphermark.run.targets.target import UNVERIFIED
from ciphermark.show import figures
from ciphermark.show.column import Fact, page_cells, page_heads
from ciphermark.workloads.simulation.columns import MOST_SIZES, columns, lines, sizes
from ciphermark.workloads.simulation.comparison import ratio_columns, ratio_lines
from ciphermark.workloads.simulation.remarks import (
    MEANINGS,
    METRICS,
    failures,
    metrics,
    remarks,
    simulation_method,
)
from ciphermark.workloads.simulation.row import SimulationRow
from ciphermark.workloads.surroundings import about

if TYPE_CHECKING:
    from ciphermark.record.run import Context, Run


@dataclass(frozen=True)
class Parameter:
    """A fact of a target's file with its source."""

    name: str
    value: str
    source: str

    @property
    def is_verified(self) -> bool:
        return UNVERIFIED not in self.source


@dataclass(frozen=True)
class TargetView:
    """A target as the report tells of it."""

    name: str
    title: str
    reason: str
    """Why nothing was simulated; else empty."""
    summary: str
    """Clock, width, and what its figures are."""
    facts: dict[str, str]
    limits: str
    """What the model of its pipeline leaves out; empty where there is none."""
    parameters: list[Parameter]

    @property
    def unverified(self) -> int:
        """How many parameters nobody has looked up."""
        return sum(not it.is_verified for it in self.parameters)


def target_view(target: SimulatedTarget) -> TargetView:
    """By the target's file as it was when it was simulated, or measured on a board. An anonymous
    run has none.
    """
    made_with = {"Compiler": target.compiler, "Flags": target.flags, "Runner": target.runner}
    processor = description(target).get("processor")
    if processor is None:
        return TargetView(
            name=target.target,
            title=target.title,
            reason=target.reason,
            summary="no description of the processor is stored",
            facts=_known(made_with),
            limits="",
            parameters=[],
        )
    is_board = target_of_board(target.target) is not None
    metric: Metric = "cycles-measured" if is_board else processor["metric"]
    core = CORES.get(processor.get("pipeline"))
    return TargetView(
        name=target.target,
        title=target.title,
        reason=target.reason,
        summary=f"{processor['bus_width_bits']} bits, {processor['clock_mhz']:g} MHz, "
        f"{METRICS[metric]}",
        facts=_known({"Figures": f"{METRICS[metric]}: {MEANINGS[metric]}"} | made_with),
        limits="" if core is None or is_board else core.limits,
        parameters=[
            Parameter(name, _written(_value(processor, name)), source)
            for name, source in processor["sources"].items()
        ],
    )


def _value(processor: dict[str, Any], name: str) -> Any:
    """Of `clock_mhz`, or of `cycles.load`, which stands in a table of its own."""
    table, _, field = name.rpartition(".")
    return (processor[table] if table else processor)[field]


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    return value if isinstance(value, str) else figures.grouped(value, separator=" ")


def _known(facts: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in facts.items() if value}


def simulation_page(run: Run, rows: list[SimulationRow]) -> dict[str, Any]:
    """All that the template needs but the plots."""
    shown = lines(rows)
    table = list(columns(shown))
    targets = [target_view(it) for it in run.targets]
    ratios = ratio_lines(rows)
    return about(run) | {
        "title": _title(targets),
        "doctor": "",
        "study": None,
        "timed": {},
        "facts": _facts(run.context, rows, targets),
        "remarks": list(remarks(rows)),
        "left_out": max(0, len(sizes(shown)) - MOST_SIZES),
        "summary_heads": page_heads(table),
        "summary": [
            {"section": line.first.target, "cells": page_cells(table, line)} for line in shown
        ],
        "ratio_heads": page_heads(list(ratio_columns(ratios))),
        "ratios": [page_cells(list(ratio_columns(ratios)), line) for line in ratios],
        "sections": list(dict.fromkeys(line.first.target for line in shown)),
        "targets": [it for it in targets if not it.reason],
        "missing": [it for it in targets if it.reason],
        "failures": failures(rows),
        "method": simulation_method(rows),
    }


def _title(targets: list[TargetView]) -> str:
    used = [it for it in targets if not it.reason]
    boards = [it for it in used if target_of_board(it.name) is not None]
    if boards:
        return f"What cryptography costs on {boards[0].title}, beside its simulation"
    if len(used) == 1:
        return f"What cryptography costs on {used[0].title}, simulated"
    return f"What cryptography costs on {len(used)} simulated processors"


def _facts(context: Context, rows: list[SimulationRow], targets: list[TargetView]) -> list[Fact]:
    measured = [row for row in rows if row.is_measured]
    missing = sum(bool(it.reason) for it in targets)
    algorithms = len({row.algorithm for row in measured})
    failed = len(rows) - len(measured)
    kinds = metrics(rows)
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
    if len(kinds) > 1 and "cycles-measured" not in kinds:
        return Fact("Kinds of figures", str(len(kinds)), "not comparable with each other")
    if len(kinds) > 1:
        return Fact("Figures", str(len(kinds)), " and ".join(METRICS[it] for it in kinds))
    return Fact("Figures", METRICS[kinds[0]] if kinds else "none", "on all targets")


def _kernel(row: SimulationRow) -> tuple[str, ...]:
    """Rows of one operation have the same vectors."""
    return row.target, row.algorithm, row.backend, row.operation
