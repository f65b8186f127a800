"""Kernels under compilers and flags: `ciphermark tune`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.workload import Page
from ciphermark.workloads.stored import StoredWorkload

if TYPE_CHECKING:
    from rich.console import Console

    from ciphermark.record.run import Context, Run
    from ciphermark.show.export.pivot import Pivot
    from ciphermark.workloads.tuning.row import TuningRow


class Tuning(StoredWorkload["TuningRow"]):
    """Its rows are variants of one kernel; it has no report."""

    subject = "kernels that were compiled in several ways"
    settles = False

    def row_type(self) -> type[TuningRow]:
        from ciphermark.workloads.tuning.row import TuningRow

        return TuningRow

    def rows(self, run: Run) -> list[TuningRow]:
        from ciphermark.workloads.tuning.row import tuning_rows

        return tuning_rows(run)

    def print_rows(self, console: Console, context: Context, rows: list[TuningRow]) -> None:
        from ciphermark.workloads.tuning.table import print_notes, print_tuning

        print_tuning(console, rows)
        print_notes(console, context.notes)

    def pivot(self, context: Context, rows: list[TuningRow]) -> Pivot:
        from ciphermark.workloads.tuning.table import pivot

        return pivot(rows)

    def page(self, run: Run, rows: list[TuningRow]) -> Page:
        from ciphermark.errors import UsageError

        raise UsageError(
            f"run {run.context.run} is of kernels in several variants, which has no report: "
            f"ciphermark show {run.context.run}"
        )


WORKLOAD = Tuning()
