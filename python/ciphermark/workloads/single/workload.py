"""One thread, one message after the other: what `ciphermark survey` measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.workload import Page, Workload

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console

    from ciphermark.analyse.models.cost_card import CostCard
    from ciphermark.analyse.row import Row
    from ciphermark.analyse.session_findings import SessionFindings
    from ciphermark.record.run import Context, Run
    from ciphermark.show.export.pivot import Pivot
    from ciphermark.studies.study import Findings


class Single(Workload):
    """Its cases are sampled until each has converged."""

    subject = "one thread"
    sampled = True
    of_messages = True

    def row_type(self) -> type[Row]:
        from ciphermark.analyse.row import Row

        return Row

    def rows(self, run: Run) -> list[Row]:
        from ciphermark.analyse.rows import rows

        return rows(run)

    def rows_table(self, rows: list[Row]) -> pa.Table:
        from ciphermark.analyse.rows import rows_table

        return rows_table(rows)

    def rows_from_table(self, table: pa.Table) -> list[Row]:
        from ciphermark.analyse.rows import rows_from_table

        return rows_from_table(table)

    def cost_cards(self, rows: list[Row]) -> list[CostCard]:
        from ciphermark.analyse.models.cost_card import cost_cards

        return cost_cards(rows)

    def print_rows(
        self,
        console: Console,
        context: Context,
        rows: list[Row],
        findings: SessionFindings | None = None,
    ) -> None:
        from ciphermark.show.table import print_survey

        print_survey(console, context, rows, self.cost_cards(rows))

    def pivot(self, context: Context, rows: list[Row], cards: list[CostCard]) -> Pivot:
        from ciphermark.show.export.pivot import of_survey

        return of_survey(context, rows, cards)

    def page(
        self, run: Run, rows: list[Row], cards: list[CostCard], findings: Findings | None
    ) -> Page:
        from ciphermark.show.page import page
        from ciphermark.show.plots import PLOTS

        return Page(list(PLOTS), page(run, rows, cards, findings), "report.html.jinja")


WORKLOAD = Single()
