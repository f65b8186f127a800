"""What the report of an imported run says; how it looks is in `templates`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ciphermark.show import figures
from ciphermark.show.column import Cell, Fact
from ciphermark.show.machine import caption
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.sections import Line, sections, sizes
from ciphermark.workloads.surroundings import SOUND, origin_line

if TYPE_CHECKING:
    from ciphermark.contract.others import ImportOrigin
    from ciphermark.record.run import Run


DIVISORS = {
    "cpu-time": "CPU time",
    "wall-time": "wall time",
    "ticks": "ticks",
    "core-cycles": "core cycles",
    "unknown": "not known",
}


def imported_page(run: Run, rows: list[Row]) -> dict[str, Any]:
    """All that the template of an imported run needs but the plots."""
    arranged, origin = sections(run.context, rows, []), run.origin
    assert origin is not None, "of an imported run"
    measured = sizes(arranged)
    return {
        "title": f"Cost of cryptography on {_place(run)} as {origin.tool} printed it",
        "origin": origin_line(run.context),
        "interrupted": False,
        "doctor": None,
        "study": None,
        "caption": caption(run.context),
        "facts": _facts(run, origin),
        "notes": run.context.notes,
        "told": _told(origin),
        "columns": [
            "Algorithm",
            "Operation",
            "Implementation",
            *map(figures.message_size, measured),
        ],
        "lines": [
            {"section": section.title, "cells": _line(line, measured)}
            for section in arranged
            for line in section.lines
        ],
        "sections": [section.title for section in arranged],
    }


def _place(run: Run) -> str:
    context = run.context
    return context.cpu_name or context.machine_name


def _facts(run: Run, origin: ImportOrigin) -> list[Fact]:
    clock, source = run.context.core_hz, run.context.cycle_source
    return [
        Fact("Program", origin.tool, origin.tool_version or "its version is not in the file"),
        Fact("Figures", figures.grouped(len(run.cases)), "not verified, without intervals"),
        Fact("Divided by", DIVISORS[origin.divisor], "what a message's time was"),
        Fact(
            "Clock",
            "not told" if clock is None else figures.clock(clock),
            "no cycles" if source is None else f"cycles {source}",
        ),
    ]


def _told(origin: ImportOrigin) -> dict[str, str]:
    """Where the figures come from, by name."""
    facts = {
        "Program": origin.tool,
        "Version": origin.tool_version,
        "Command": origin.tool_command,
        "File": origin.file,
        "Part of the file": origin.part,
        "SHA-256 of the file": origin.sha256,
        **origin.told,
    }
    return {name: text for name, text in facts.items() if text}


def _line(line: Line, measured: list[int | str]) -> list[Cell]:
    warning = "" if line.algorithm.status in SOUND else line.algorithm.status
    found = [line.by_size.get(size) for size in measured]
    return [
        Cell(line.algorithm.title, line.algorithm.title, warning, "name"),
        Cell(line.operation, line.operation),
        Cell(line.implementation, line.implementation),
        *(_rate(row.mbytes_per_second if row else None) for row in found),
    ]


def _rate(value: float | None) -> Cell:
    if value is None:
        return Cell("", mark="number")
    return Cell(figures.significant(value, separator=figures.NARROW_SPACE), value, mark="number")
