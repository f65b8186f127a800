"""Kernels on simulated processors: `ciphermark simulate`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.workload import Page
from ciphermark.workloads.stored import StoredWorkload

if TYPE_CHECKING:
    from rich.console import Console

    from ciphermark.record.run import Context, Run
    from ciphermark.show.column import Lines
    from ciphermark.workloads.simulation.columns import Line
    from ciphermark.workloads.simulation.row import SimulationRow


class Simulations(StoredWorkload["SimulationRow"]):
    """Its figures are counted, of processors that are not here."""

    subject = "simulated processors"
    simulated = True
    settles = False

    def row_type(self) -> type[SimulationRow]:
        from ciphermark.workloads.simulation.row import SimulationRow

        return SimulationRow

    def rows(self, run: Run) -> list[SimulationRow]:
        from ciphermark.workloads.simulation.row import simulation_rows

        return simulation_rows(run)

    def print_rows(self, console: Console, context: Context, rows: list[SimulationRow]) -> None:
        from ciphermark.workloads.simulation.columns import print_simulations

        print_simulations(console, rows)

    def lines(self, context: Context, rows: list[SimulationRow]) -> Lines[Line]:
        from ciphermark.show.column import Lines
        from ciphermark.show.problems import REMARK
        from ciphermark.workloads.simulation import columns, remarks

        found = columns.lines(rows)
        return Lines(
            "Cycles or instructions of one call on simulated processors",
            list(columns.columns(found)),
            found,
            [(REMARK, remark) for remark in remarks.remarks(rows)],
            lambda line: remarks.target_title(line.first),
        )

    def page(self, run: Run, rows: list[SimulationRow]) -> Page:
        from ciphermark.workloads.simulation.page import simulation_page
        from ciphermark.workloads.simulation.plots import plots

        return Page(plots(rows), simulation_page(run, rows), "simulation.html.jinja", [])


WORKLOAD = Simulations()
