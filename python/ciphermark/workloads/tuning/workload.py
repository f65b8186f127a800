"""Stored runs of kernels in several builds: shown and exported row by row, and no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.workload import Page
from ciphermark.workloads.stored import StoredWorkload

if TYPE_CHECKING:
    from rich.console import Console

    from ciphermark.record.run import Context, Run
    from ciphermark.show.column import Lines
    from ciphermark.workloads.tuning.row import TuningRow


class Tuning(StoredWorkload["TuningRow"]):
    """Its rows are builds of kernels; it has no report."""

    subject = "kernels that were compiled in several ways"
    settles = False

    def row_type(self) -> type[TuningRow]:
        from ciphermark.workloads.tuning.row import TuningRow

        return TuningRow

    def rows(self, run: Run) -> list[TuningRow]:
        from ciphermark.workloads.tuning.row import tuning_rows

        return tuning_rows(run)

    def print_rows(self, console: Console, context: Context, rows: list[TuningRow]) -> None:
        from itertools import groupby

        from ciphermark.show.column import printed
        from ciphermark.show.tables import print_groups, print_left_out

        lines = self.lines(context, rows)
        groups = [(title, [*own]) for title, own in groupby(lines.rows, lines.section)]
        print_left_out(console, print_groups(console, printed(lines.columns, lines.rows), groups))

    def lines(self, context: Context, rows: list[TuningRow]) -> Lines[TuningRow]:
        from ciphermark.show.column import Column, Lines, count, of_words

        return Lines(
            "Kernels under compilers and flags",
            [
                of_words("compiler", lambda row: row.compiler, key=True),
                of_words("flags", lambda row: row.flags, key=True),
                Column("per call", lambda row: row.value),
                Column("ratio", lambda row: row.ratio),
                Column("code bytes", lambda row: row.code_bytes, form=count),
                Column("stack bytes", lambda row: row.stack_bytes, form=count),
                of_words("error", lambda row: row.error.message if row.error else "", at_end=True),
            ],
            rows,
            [],
            lambda row: " ".join(
                (row.algorithm, row.backend, row.operation, "on", row.machine or row.target)
            ),
        )

    def page(self, run: Run, rows: list[TuningRow]) -> Page:
        from ciphermark.errors import UsageError

        raise UsageError(
            f"run {run.context.run} is of kernels in several builds, which has no report: "
            f"ciphermark show {run.context.run}"
        )


WORKLOAD = Tuning()
