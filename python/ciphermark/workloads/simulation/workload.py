"""Kernels on simulated processors: `ciphermark simulate`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.workload import Page, Workload

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console

    from ciphermark.analyse.models.cost_card import CostCard
    from ciphermark.analyse.session_findings import SessionFindings
    from ciphermark.analyse.simulation_row import SimulationRow
    from ciphermark.record.run import Context, Run
    from ciphermark.show.export.pivot import Pivot
    from ciphermark.studies.study import Findings


class Simulations(Workload):
    """Its figures are counted, of processors that are not here."""

    subject = "simulated processors"
    simulated = True
    settles = False

    def row_type(self) -> type[SimulationRow]:
        from ciphermark.analyse.simulation_row import SimulationRow

        return SimulationRow

    def rows(self, run: Run) -> list[SimulationRow]:
        from ciphermark.analyse.simulation_rows import simulation_rows

        return simulation_rows(run)

    def rows_table(self, rows: list[SimulationRow]) -> pa.Table:
        from ciphermark.analyse.simulation_rows import simulation_rows_table

        return simulation_rows_table(rows)

    def rows_from_table(self, table: pa.Table) -> list[SimulationRow]:
        from ciphermark.analyse.simulation_rows import simulation_rows_from_table

        return simulation_rows_from_table(table)

    def print_rows(
        self,
        console: Console,
        context: Context,
        rows: list[SimulationRow],
        findings: SessionFindings | None = None,
    ) -> None:
        from ciphermark.show.simulation import print_simulations

        print_simulations(console, rows)

    def pivot(self, context: Context, rows: list[SimulationRow], cards: list[CostCard]) -> Pivot:
        from ciphermark.show.export.pivot import of_simulations

        return of_simulations(rows)

    def page(
        self, run: Run, rows: list[SimulationRow], cards: list[CostCard], findings: Findings | None
    ) -> Page:
        from ciphermark.analyse.model_tests import model_tests
        from ciphermark.show.plots import simulation
        from ciphermark.show.simulation_page import simulation_page

        tests = model_tests(run)
        said = simulation_page(run, rows, tests)
        return Page(simulation.plots(rows, tests), said, "simulation.html.jinja")


WORKLOAD = Simulations()
