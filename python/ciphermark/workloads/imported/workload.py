"""Figures that another program has measured: its text becomes rows of one thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.workloads.single.workload import Single

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ciphermark.record.run import Context, Run
    from ciphermark.view.blocks import Block
    from ciphermark.workloads.single.cost_card import CostCard
    from ciphermark.workloads.single.row import Row


class Imported(Single):
    """Figures of one thread without samples, verification and intervals."""

    subject = "another program's figures"
    sampled = False
    measured_here = False
    settles = False
    tells_more = False
    tables = ("origin", "imported")

    def rows(self, run: Run) -> list[Row]:
        from ciphermark.workloads.imported.rows import imported_rows

        return imported_rows(run)

    def cost_cards(self, rows: list[Row]) -> list[CostCard]:
        from ciphermark.workloads.single.cost_card import cost_cards

        return cost_cards(rows, imported=True)

    def blocks(self, context: Context, rows: list[Row], run: Run | None) -> Iterator[Block]:
        from ciphermark.workloads.imported.document import blocks

        return blocks(context, rows, run)

    def page_title(self, run: Run) -> str:
        from ciphermark.workloads.imported.document import page_title

        return page_title(run)


WORKLOAD = Imported()
