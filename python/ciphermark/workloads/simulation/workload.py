"""Kernels on simulated processors: `ciphermark simulate`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.workloads.stored import StoredWorkload

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ciphermark.record.run import Context, Run
    from ciphermark.view.blocks import Block
    from ciphermark.workloads.simulation.row import SimulationRow


class Simulations(StoredWorkload["SimulationRow"]):
    """Kernels on processors that are not here, counted."""

    subject = "simulated processors"
    simulated = True
    settles = False

    def row_type(self) -> type[SimulationRow]:
        from ciphermark.workloads.simulation.row import SimulationRow

        return SimulationRow

    def rows(self, run: Run) -> list[SimulationRow]:
        from ciphermark.workloads.simulation.row import simulation_rows

        return simulation_rows(run)

    def blocks(
        self, context: Context, rows: list[SimulationRow], run: Run | None
    ) -> Iterator[Block]:
        from ciphermark.workloads.simulation.document import blocks

        return blocks(rows, run)

    def page_title(self, run: Run) -> str:
        from ciphermark.workloads.simulation.document import page_title

        return page_title(run)


WORKLOAD = Simulations()
