"""Kernels under compilers and flags as a table for a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.show import figures
from ciphermark.show.export.pivot import Pivot, figure
from ciphermark.show.problems import REMARK
from ciphermark.workloads.tuning import remarks

if TYPE_CHECKING:
    from ciphermark.workloads.tuning.row import TuningRow


def pivot(rows: list[TuningRow]) -> Pivot:
    """A section for each kernel on each target, with all variants that have figures."""
    headings = ["Compiler", "Flags", "front", "cycles/byte", "a call", "by the default's"]
    headings += ["code bytes", "stack bytes"]
    sections = {
        group.title: [_cells(row) for row in group.measured]
        for group in remarks.groups(rows)
        if group.measured
    }
    title = "Kernels under compilers and flags"
    gains = [it.sentence.rstrip(".") for it in remarks.sentences(rows, "speed")]
    return Pivot(title, headings, 2, sections, [(REMARK, gain) for gain in gains])


def _cells(row: TuningRow) -> list[str]:
    return [
        row.compiler,
        f"{row.flags} (default)" if row.is_default else row.flags,
        "yes" if row.on_front else "",
        figure(row.cycles_per_byte),
        figure(row.value),
        figure(row.ratio),
        _whole(row.code_bytes),
        _whole(row.stack_bytes),
    ]


def _whole(value: int | None) -> str:
    return "" if value is None else figures.grouped(value, separator=figures.NARROW_SPACE)
