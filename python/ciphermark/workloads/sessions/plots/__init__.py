"""The plots of a run of many sessions. To add one, write a function that makes it and name it
here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.workloads.sessions.plots import curves, cycles, executions
from ciphermark.workloads.sessions.scaling import scalings, with_room

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.show.plots.panel import Plot
    from ciphermark.workloads.sessions.row import SessionRow


def plots(run: Run, rows: list[SessionRow]) -> list[Plot]:
    """Those that have something to show."""
    core_cpus = run.context.engine_hello.environment.state.core_cpus
    measured = [row for row in rows if row.is_measured]
    return [
        *cycles.plots(measured),
        curves.over_sessions(measured, core_cpus),
        curves.throughput(measured, with_room(scalings(measured, core_cpus))),
        *executions.plots(run, measured),
    ]
