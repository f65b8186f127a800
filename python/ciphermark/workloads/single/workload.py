"""One thread, one message after the other: what `ciphermark survey` measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.workload import Page
from ciphermark.workloads.stored import StoredWorkload

if TYPE_CHECKING:
    from rich.console import Console

    from ciphermark.record.run import Context, Run
    from ciphermark.record.table import Table
    from ciphermark.show.column import Lines
    from ciphermark.workloads.single.cost_card import CostCard
    from ciphermark.workloads.single.row import Row
    from ciphermark.workloads.single.sections import Line


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

        found = super().rows_from_table(table)
        for row in found:
            withhold(row)
        return found

    def has_figure(self, row: Row) -> bool:
        return row.has_figure

    def message_rows(self, rows: list[Row]) -> list[Row]:
        return rows

    def cost_cards(self, rows: list[Row]) -> list[CostCard]:
        from ciphermark.workloads.single.cost_card import cost_cards

        return cost_cards(rows)

    def print_rows(self, console: Console, context: Context, rows: list[Row]) -> None:
        from ciphermark.workloads.single.table import print_survey

        print_survey(console, context, rows, self.cost_cards(rows))

    def print_beside(self, console: Console, run: Run, rows: list[Row]) -> None:
        from ciphermark.workloads.single import code_paths_table
        from ciphermark.workloads.single.code_paths import ablations
        from ciphermark.workloads.single.left_behind import left_behind, sentence

        if found := ablations(run, rows):
            console.print(code_paths_table.features(found))
        shown = {(row.provider, row.algorithm) for row in rows}
        for it in left_behind(run):
            if (it.provider, it.algorithm) in shown:
                console.print(sentence(it), markup=False, highlight=False)

    def lines(self, context: Context, rows: list[Row]) -> Lines[Line]:
        from ciphermark.workloads.single.table import table_lines

        return table_lines(context, rows, self.cost_cards(rows))

    def page(self, run: Run, rows: list[Row]) -> Page:
        from ciphermark.workloads.single.page import page
        from ciphermark.workloads.single.plots import PLOTS

        cards = self.cost_cards(rows)
        return Page(list(PLOTS), page(run, rows, cards), "report.html.jinja", cards)


WORKLOAD = Single()
