"""Rows of an imported run: the figures of another program, and values derived from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.record.case_row import identity
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.rows import what_ran

if TYPE_CHECKING:
    from ciphermark.contract.others import ImportedFigure
    from ciphermark.record.run import CaseRecord, Run

REASON = "one figure of another program"
"""Reason why no imported row has settled: its spread is not known."""

WORKLOAD = "single"
"""Workload of these programs: one thread, one message after the other."""


def imported_rows(run: Run) -> list[Row]:
    """Returns one row for each figure, in the order of the file."""
    clock_hz, source = run.context.core_hz, run.context.cycle_source
    figures = {figure.case: figure for figure in run.imported}
    return [_row(it, figures[it.case.case], clock_hz, source) for it in run.cases]


def _row(
    record: CaseRecord, figure: ImportedFigure, clock_hz: float | None, source: str | None
) -> Row:
    """Intervals stay null. Cycles are those that the program has counted, else time by a clock."""
    message_bytes = record.case.message_bytes
    ns = figure.ns_per_message
    cycles = _cycles(figure.core_cycles_per_message, ns, clock_hz)
    ns_per_byte, cycles_per_byte = figure.ns_per_byte, figure.core_cycles_per_byte
    if figure.ns_per_byte is not None:
        cycles_per_byte = _cycles(cycles_per_byte, ns_per_byte, clock_hz)
    elif message_bytes:
        ns_per_byte = ns and ns / message_bytes
        cycles_per_byte = cycles and cycles / message_bytes
    return Row(
        **identity(record.case) | what_ran(record),
        workload=WORKLOAD,
        cycles_per_message=cycles,
        cycles_per_byte=cycles_per_byte,
        ns_per_message=ns,
        mbytes_per_second=1e3 / ns_per_byte if ns_per_byte else None,
        core_hz=clock_hz,
        converged=False,
        not_converged_reason=REASON,
        cycle_source=source,
        agrees_with=[],
    )


def _cycles(counted: float | None, ns: float | None, clock_hz: float | None) -> float | None:
    if counted is not None or ns is None or clock_hz is None:
        return counted
    return ns * clock_hz / 1e9
