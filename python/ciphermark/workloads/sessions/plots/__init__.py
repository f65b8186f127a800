"""The plots of a run of many sessions. To add one, write a file with a `plots` and name it here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.workloads.sessions.plots import (
    cycles,
    fairness,
    latency,
    over_sessions,
    scaling,
    soak,
)
from ciphermark.workloads.sessions.scaling import scalings
from ciphermark.workloads.sessions.show_findings import shown

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.show.plots.panel import Plot
    from ciphermark.workloads.sessions.row import SessionRow


def plots(run: Run, rows: list[SessionRow]) -> list[Plot]:
    """Those that have something to show."""
    core_cpus = run.context.hello.environment.state.core_cpus
    measured = [row for row in rows if row.is_measured]
    return [
        *cycles.plots(measured),
        over_sessions.plot(measured, core_cpus),
        scaling.plot(measured, shown(scalings(measured, core_cpus))),
        *fairness.plots(run, measured),
        *latency.plots(run, measured),
        *soak.plots(run, measured),
    ]
