"""One thread, one message after the other: what `ciphermark survey` measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.workloads.stored import StoredWorkload

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ciphermark.record.run import Context, Run
    from ciphermark.record.table import Table
    from ciphermark.view.blocks import Block
    from ciphermark.workloads.single.cost_card import CostCard
    from ciphermark.workloads.single.row import Row


class Single(StoredWorkload["Row"]):
    """Its cases are sampled until each has converged."""

    subject = "one thread"
    sampled = True
    of_messages = True
    compared = "cycles a message"
    tells_more = True

    def row_type(self) -> type[Row]:
        from ciphermark.workloads.single.row import Row

        return Row

    def rows(self, run: Run) -> list[Row]:
        from ciphermark.workloads.single.rows import rows

        return rows(run)

    def rows_from_table(self, table: Table) -> list[Row]:
        from ciphermark.workloads.single.row import withhold

        stored = super().rows_from_table(table)
        for row in stored:
            withhold(row)
        return stored

    def has_figure(self, row: Row) -> bool:
        return row.has_figure

    def message_rows(self, rows: list[Row]) -> list[Row]:
        return rows

    def cost_cards(self, rows: list[Row]) -> list[CostCard]:
        from ciphermark.workloads.single.cost_card import cost_cards

        return cost_cards(rows)

    def blocks(self, context: Context, rows: list[Row], run: Run | None) -> Iterator[Block]:
        from ciphermark.workloads.single.document import blocks

        return blocks(context, rows, self.cost_cards(rows), run)

    def beside(self, run: Run, rows: list[Row]) -> Iterator[Block]:
        from ciphermark.workloads.single.document import beside

        return beside(run, rows)


WORKLOAD = Single()
