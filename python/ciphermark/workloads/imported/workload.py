"""Figures that another program has measured: its text becomes rows of one thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.workload import Page
from ciphermark.workloads.single.workload import Single

if TYPE_CHECKING:
    from rich.console import Console

    from ciphermark.record.run import Context, Run
    from ciphermark.show.export.pivot import Pivot
    from ciphermark.workloads.single.cost_card import CostCard
    from ciphermark.workloads.single.row import Row


class Imported(Single):
    """Its rows are those of one thread, without what only samples tell."""

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

    def print_rows(self, console: Console, context: Context, rows: list[Row]) -> None:
        from ciphermark.workloads.imported.table import print_imported

        print_imported(console, context, rows)

    def pivot(self, context: Context, rows: list[Row]) -> Pivot:
        from ciphermark.workloads.imported.table import pivot

        return pivot(context, rows)

    def page(self, run: Run, rows: list[Row]) -> Page:
        from ciphermark.workloads.imported.page import imported_page
        from ciphermark.workloads.single.plots import over_size

        said, cards = imported_page(run, rows), self.cost_cards(rows)
        return Page([over_size.IMPORTED], said, "imported.html.jinja", cards)


WORKLOAD = Imported()
