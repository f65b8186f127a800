"""Stored runs of kernels in several builds, shown and exported row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.workloads.stored import StoredWorkload

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ciphermark.record.run import Context, Run
    from ciphermark.view.blocks import Block
    from ciphermark.workloads.tuning.row import TuningRow


class Tuning(StoredWorkload["TuningRow"]):
    """Builds of kernels, without a report."""

    subject = "kernels that were compiled in several ways"
    settles = False

    def row_type(self) -> type[TuningRow]:
        from ciphermark.workloads.tuning.row import TuningRow

        return TuningRow

    def rows(self, run: Run) -> list[TuningRow]:
        from ciphermark.workloads.tuning.row import tuning_rows

        return tuning_rows(run)

    def blocks(self, context: Context, rows: list[TuningRow], run: Run | None) -> Iterator[Block]:
        from ciphermark.errors import UsageError
        from ciphermark.view.blocks import Table
        from ciphermark.view.column import Column, count, of_words

        if run is not None:
            raise UsageError(
                f"run {context.run} is of kernels in several builds, which has no report: "
                f"ciphermark show {context.run}"
            )
        yield Table(
            title="Kernels under compilers and flags",
            columns=[
                of_words("compiler", lambda row: row.compiler, key=True),
                of_words("flags", lambda row: row.flags, key=True),
                Column("per call", lambda row: row.value),
                Column("ratio", lambda row: row.ratio),
                Column("code bytes", lambda row: row.code_bytes, form=count),
                Column("stack bytes", lambda row: row.stack_bytes, form=count),
                of_words("error", lambda row: row.error.message if row.error else "", at_end=True),
            ],
            rows=rows,
            section=lambda row: " ".join(
                (row.algorithm, row.backend, row.operation, "on", row.machine or row.target)
            ),
        )


WORKLOAD = Tuning()
